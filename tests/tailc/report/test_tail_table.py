"""Tail tables in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.tail_table import Sleep, TailRow
from tailc.report.policy import policy_result, policy_text
from tailc.report.steering import controller_text
from tailc.report.tail_table import cycles_text, idle_text, levels_text, tail_table_text, time_text
from tests.tailc.artifact.published import VECTORS, policy_of, tail_policy

TABLE = tail_policy().tail_table
assert TABLE
BATCHED = policy_of("tails-batch").tail_table
assert BATCHED


def test_bound_cores_and_sleep_are_told_first() -> None:
    assert tail_table_text(TABLE).splitlines()[:2] == [
        "bound       600 us for p95, 6 cores, up to 4 requests at a core",
        "idle        sleeps at 300 mW, awake in 20 us",
    ]


def test_batch_work_and_the_clock_of_demands_are_told_where_there_are() -> None:
    assert tail_table_text(BATCHED).splitlines()[1:3] == [
        "idle        batch work at 1.2 GHz and 1.66 W, requests at 1.6 GHz at least; "
        "asleep 300 mW, awake in 20 us",
        "measured    at 2.4 GHz",
    ]


def test_what_a_change_of_frequency_costs_is_shown_where_it_costs_anything() -> None:
    halting = policy_of("tails-transition").tail_table
    assert halting
    line = "transition  halts 50 us and takes 5 uJ"
    assert tail_table_text(halting).splitlines()[2] == line
    assert "transition" not in tail_table_text(TABLE)


def test_every_frequency_has_its_power() -> None:
    lines = levels_text(TABLE).splitlines()
    assert lines[:3] == ["frequency   power", "  800 MHz  1.54 W", "    1 GHz  1.66 W"]
    assert len(lines) == 1 + len(TABLE.levels)


def test_rows_are_told_by_what_the_running_request_has_had() -> None:
    """180,001 and 700,001 are rounded for people."""
    text = tail_table_text(TABLE)
    assert "\n\n".join(text.split("\n\n")[2:]).splitlines() == [
        "remaining cycles until done, by elapsed cycles",
        "elapsed  running  1 behind  2 behind  3 behind",
        "      0    240 k     410 k     560 k     700 k",
        "   90 k    210 k     380 k     540 k     690 k",
        "  180 k    160 k     340 k     500 k     650 k",
        "  400 k        0         0     300 k     300 k",
        "",
        "remaining memory time until done, by elapsed memory time",
        "elapsed  running  1 behind  2 behind  3 behind",
        "   0 ns    40 us     75 us    105 us    135 us",
        "  20 us    30 us     70 us    100 us    130 us",
    ]


def test_of_many_positions_the_first_four_and_the_last_are_told() -> None:
    row = TailRow(0, tuple(range(16)))
    text = tail_table_text(replace(TABLE, cycles=(row,), memory_ns=(row,)))
    assert "elapsed  running  1 behind  2 behind  3 behind  15 behind" in text
    assert "up to 16 requests at a core" in text


@pytest.mark.parametrize(
    ("cycles", "words"),
    [(0, "0"), (999, "999"), (1_000, "1 k"), (1_234_567, "1.235 M"), (2**43, "8796 G")],
)
def test_cycles_are_rounded_to_four_digits(cycles: int, words: str) -> None:
    assert cycles_text(cycles) == words


@pytest.mark.parametrize(
    ("time_ns", "words"),
    [(0, "0 ns"), (999, "999 ns"), (135_001, "135 us"), (1_500_000, "1.5 ms"), (10**9, "1 s")],
)
def test_times_are_rounded_to_four_digits(time_ns: int, words: str) -> None:
    assert time_text(time_ns) == words


def test_a_core_may_wake_at_once() -> None:
    assert idle_text(replace(TABLE, sleep=Sleep(0, 0))) == "sleeps at 0 mW, awake in 0 ns"


def test_a_controller_scales_the_bound_above() -> None:
    controller = tail_policy().controller
    assert controller
    assert controller_text(controller).splitlines()[1] == (
        "scales      the bound above, by 100 % at first, then 50 % to 150 %"
    )
    assert policy_text(tail_policy()).endswith(controller_text(controller))


def test_a_policy_in_words_holds_its_tail_table_and_its_json_has_all() -> None:
    assert tail_table_text(TABLE) in policy_text(tail_policy())
    form = policy_result(tail_policy())["policy"]["forms"][0]  # type: ignore[index]
    assert form["form"] == "tail-table"
    assert form["cycles"][2]["from_elapsed"] == 180_001


@pytest.mark.parametrize("name", ["tails", "tails-extremes", "tails-smallest", "shares-observer"])
def test_every_form_can_be_told(name: str) -> None:
    assert policy_text(policy_of(name))
    assert (VECTORS / f"{name}.json").is_file()
