"""The Python runtime's tail tables and shares, beside those of the forms."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_runtime import (
    BadMeaning,
    OtherForm,
    Shares,
    TailTable,
    UnknownForm,
    open_any,
    open_policies,
    open_policy,
    open_shares,
    open_tail_table,
)
from tailc_runtime.opening import policy_from
from tailc_runtime.structure import _FORM_TABLES
from tailc_runtime.vectors import rows_of, wrong_levels, wrong_shares, wrong_steps

from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms import shares as form
from tailc.forms import shares_step
from tailc.forms.tail_table import QueuedRequests, internal_bound_ns, level_for
from tests.runtimes.python_controller_case import numbers_in, refusals
from tests.tailc.artifact.published import VECTORS, changed_json, shares_policy
from tests.tailc.artifact.random_policies import random_shares_policy, random_tail_policy

SEEDS = st.integers(0, 2**32)
PPM = 1_000_000
US = 1_000


def test_a_core_runs_at_the_slowest_frequency_that_is_in_time_for_every_request() -> None:
    """240,000 cycles and 40 us of memory within 600 us: 428.6 MHz; the second, 350 us old, has
    410,000 cycles left and 75 us of memory for 175 us: 2,343 MHz, so 2.4 GHz.
    """
    table = open_tail_table(VECTORS / "tails.tailc")
    assert table.frequency_khz((0,)) == 800_000
    assert table.frequency_khz((0, 350 * US)) == 2_400_000
    assert table.level((0, 350 * US)) == 8
    assert table.frequency_khz((560 * US,)) == 3_400_000


def test_the_level_is_the_next_one_from_the_very_nanosecond_on() -> None:
    """300 us at 800 MHz are 240,000 cycles: with 40 us of memory time that leaves 260 us of 600."""
    table = open_tail_table(VECTORS / "tails.tailc")
    assert [table.level((age,)) for age in (260 * US - 1, 260 * US, 260 * US + 1)] == [0, 0, 1]


def test_a_row_holds_from_its_very_progress_on() -> None:
    """At 280 us, 240,000 cycles need 857 MHz and 210,000 need 750; at 265 us 40 us of memory leave
    295 us for 240,000 cycles, 814 MHz, and 30 us leave 305, 787 MHz.
    """
    table = open_tail_table(VECTORS / "tails.tailc")
    assert [table.level((280 * US,), cycles) for cycles in (0, 89_999, 90_000)] == [1, 1, 0]
    assert [table.level((265 * US,), 0, ns) for ns in (0, 19_999, 20_000)] == [1, 1, 0]


def test_a_queue_longer_than_the_rows_runs_at_the_highest_frequency() -> None:
    table = open_tail_table(VECTORS / "tails.tailc")
    assert table.positions == 4
    assert table.frequency_khz((0,) * 4) < table.frequency_khz((0,) * 5) == 3_400_000


def test_beside_batch_work_requests_run_at_its_least_frequency() -> None:
    table = open_tail_table(VECTORS / "tails-batch.json")
    assert table.batch == (1_600_000, 1_200_000, 1_660)
    assert table.frequency_khz((0,)) == 1_600_000


def test_what_else_a_server_needs_is_told() -> None:
    table = open_tail_table(VECTORS / "tails.tailc")
    assert table.frequencies_khz == tuple(range(800_000, 3_400_001, 200_000))
    assert (table.power_mw[0], table.cores) == (1_540, 6)
    assert (table.sleep_power_mw, table.wake_ns) == (300, 20_000)
    assert (table.percentile_ppm, table.bound_us) == (950_000, 600)
    assert (table.batch, table.controller) == (None, None)
    assert (table.name, table.generation) == ("tails", 1)


def test_frequencies_follow_the_controller() -> None:
    table = open_tail_table(VECTORS / "tails-trim.tailc")
    assert table.controller
    assert table.controller.acts_on == "latency-bound"
    before = table.level((100 * US,) * 3)
    shown_ppm = table.controller.step(1_500, 0)
    assert shown_ppm < PPM
    assert table.level((100 * US,) * 3) > before
    assert table.level((100 * US,) * 3, scale_ppm=PPM) == before
    assert table.level((100 * US,) * 3, scale_ppm=shown_ppm) == table.level((100 * US,) * 3)


@pytest.mark.parametrize("query", [((-1,), 0, 0), ((0, -1), 0, 0), ((0,), -1, 0), ((0,), 0, -1)])
def test_a_negative_argument_is_an_error(query: tuple[tuple[int, ...], int, int]) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        open_tail_table(VECTORS / "tails.tailc").level(*query)


@pytest.mark.parametrize(("ages", "scale_ppm"), [((), None), ((0,), -1), ((0,), 2 * PPM + 1)])
def test_a_core_without_requests_and_a_scale_beyond_2_are_errors(
    ages: tuple[int, ...], scale_ppm: int | None
) -> None:
    with pytest.raises(ValueError, match="must not be empty, and `scale_ppm` must be 0 to"):
        open_tail_table(VECTORS / "tails.tailc").level(ages, scale_ppm=scale_ppm)


def test_a_policy_of_another_form_is_no_damage_but_an_error() -> None:
    tails, shares, lucene = (VECTORS / f"{n}.tailc" for n in ("tails", "shares", "lucene"))
    for opens, path, words in (
        (open_policy, tails, "has a tail table, not ladders"),
        (open_policies, shares, "has shares, not ladders"),
        (open_tail_table, lucene, "has ladders, not a tail table"),
        (open_shares, tails, "has a tail table, not shares"),
    ):
        with pytest.raises(OtherForm, match=words):
            opens(path)
    assert [type(open_any(path)) for path in (tails, shares, lucene)] == [TailTable, Shares, dict]


def test_the_settings_of_shares_are_those_of_the_form() -> None:
    """Of every field of the form, so that none is forgotten."""
    wanted = shares_policy().shares
    assert wanted
    for suffix in ("json", "tailc"):
        got = open_shares(VECTORS / f"shares.{suffix}")
        for field in fields(form.Shares):
            value = getattr(wanted, field.name)
            if field.name == "machines":
                for machine, theirs in zip(value, got.machines, strict=True):
                    assert vars(machine) == vars(theirs)
            else:
                assert getattr(got, field.name) == (value.value if field.name == "law" else value)


def any_queue(rng: Random, table: TailTable) -> tuple[tuple[int, ...], int, int, int]:
    """Ages up to a little more than the bound, elapsed near the rows, any scale."""
    scale = rng.choice((0, 1, PPM - 1, PPM, 2 * PPM, rng.randint(0, 2 * PPM)))
    most = table.bound_us * scale // US + 2
    ages = tuple(rng.randrange(most) for _ in range(rng.randint(1, table.positions + 1)))
    return (
        ages,
        rng.randrange(2 ** rng.randint(1, 54)),
        rng.randrange(2 ** rng.randint(1, 54)),
        scale,
    )


@given(SEEDS, st.booleans())
def test_levels_are_those_of_the_form(seed: int, flat: bool) -> None:
    rng = Random(seed)
    policy = random_tail_policy(rng)
    assert policy.tail_table
    table = policy_from((encode_flat if flat else encode_json)(policy))
    assert isinstance(table, TailTable)
    for _ in range(20):
        ages, cycles, memory_ns, scale = any_queue(rng, table)
        wanted = level_for(policy.tail_table, QueuedRequests(ages, cycles, memory_ns), scale)
        assert table.level(ages, cycles, memory_ns, scale) == wanted, (ages, cycles, memory_ns)
    assert table.bound_us * US == internal_bound_ns(policy.tail_table)


@given(SEEDS, st.booleans())
def test_random_shares_open_with_their_machines(seed: int, flat: bool) -> None:
    policy = random_shares_policy(Random(seed))
    opened = policy_from((encode_flat if flat else encode_json)(policy))
    assert isinstance(opened, Shares)
    assert policy.shares
    names = [machine.name for machine in policy.shares.machines]
    assert [machine.name for machine in opened.machines] == names


@given(SEEDS)
def test_shares_tick_as_those_of_the_form(seed: int) -> None:
    """Bit for bit, whatever is measured."""
    rng = Random(seed)
    policy = random_shares_policy(rng)
    assert policy.shares
    runs = policy_from(encode_flat(policy))
    assert isinstance(runs, Shares)
    state = shares_step.first_state(policy.shares)
    for _ in range(12):
        measured = [
            rng.choice((0.0, one.target, 2 * one.target * rng.random(), 1e308))
            for one in runs.served
        ]
        state = shares_step.tick(policy.shares, state, measured)
        assert runs.tick(measured) == state.granted_ppm
        for one, theirs in zip(runs.served, state.machines, strict=True):
            mine = (one.a, one.b, *one.believed, one.short_steps)
            told = theirs.estimate
            believed = told.believed_a, told.believed_b
            assert repr(mine) == repr((told.a, told.b, *believed, theirs.short_steps))
        assert runs.cannot_meet() == shares_step.cannot_meet(policy.shares, state)


@pytest.mark.parametrize("measured", [(1.0,), (1.0, -1.0), (1.0, float("nan")), (1.0, 2.0, 3.0)])
def test_a_throughput_that_is_none_is_refused_and_forgotten(measured: tuple[float, ...]) -> None:
    shares, untouched = (open_shares(VECTORS / "shares.tailc") for _ in range(2))
    for _ in range(40):
        with pytest.raises(ValueError, match="throughputs must be numbers"):
            shares.tick(measured)
        assert shares.tick((20.0, 11.0)) == untouched.tick((20.0, 11.0))
    assert shares.ticks == 40


def with_numbers(rng: Random, name: str, paths: list[tuple[str | int, ...]]) -> bytes:
    """The policy with one or two of its numbers replaced by suspicious ones."""

    def change(document: Any) -> None:
        for path in rng.sample(paths, rng.choice((1, 1, 2))):
            part = document["forms"]
            for key in path[:-1]:
                part = part[key]
            old = part[path[-1]]
            part[path[-1]] = rng.choice((0, 1, -1, old + 1, old - 1, -old, 2 * old, PPM, 2**31))

    return changed_json(change, name=name)


@pytest.mark.parametrize("name", ["tails-trim", "tails-batch", "shares"])
@pytest.mark.parametrize("count", [150, pytest.param(10_000, marks=pytest.mark.fuzz)])
def test_other_numbers_are_refused_by_both_readers_or_by_none(name: str, count: int) -> None:
    forms = json.loads((VECTORS / f"{name}.json").read_bytes())["forms"]
    paths = list(numbers_in(forms))
    rng = Random(count)
    found = [refusals(with_numbers(rng, name, paths)) for _ in range(count)]
    assert set(found) == {(True, True), (False, False)}


def test_a_controller_that_scales_nothing_is_refused() -> None:
    table = json.loads((VECTORS / "tails-trim.json").read_bytes())["forms"]
    for name in ("shares", "lucene"):
        with pytest.raises(BadMeaning, match="must be `climb-ages` with ladders"):
            policy_from(changed_json(lambda policy: policy["forms"].append(table[1]), name=name))


def test_a_reader_of_version_1_2_would_name_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tailc_runtime.structure._FORM_TABLES", _FORM_TABLES[:2])
    with pytest.raises(UnknownForm, match="unknown form `tail-table`"):
        open_tail_table(VECTORS / "tails.tailc")


def test_a_wrong_level_is_reported_with_what_was_wanted() -> None:
    rows = rows_of(VECTORS / "levels" / "tails.csv")[1][:3]
    path = VECTORS / "tails.tailc"
    assert wrong_levels(path, rows) == []
    (wrong,) = wrong_levels(path, [{**rows[0], "level": "13"}])
    assert "level((0,), 0, 0, 1000000) is (0, 800000), wanted (13, 800000)" in wrong


def test_a_wrong_tick_is_reported_by_its_double() -> None:
    rows = rows_of(VECTORS / "shares" / "shares-observer.csv")[1][:5]
    path = VECTORS / "shares-observer.json"
    assert wrong_shares(path, rows) == []
    (wrong,) = wrong_shares(path, [*rows[:4], {**rows[4], "a": rows[4]["a"][:-1]}])
    assert "follow 4 is" in wrong


def test_a_wrong_step_of_a_bound_is_reported(tmp_path: Path) -> None:
    rows = rows_of(VECTORS / "steps" / "tails-trim.csv")[1][:3]
    (wrong,) = wrong_steps(VECTORS / "tails-trim.json", [*rows[:2], {**rows[2], "level": "9"}])
    assert "short-tails 2 is (1200174923776, 1091553, '2')" in wrong


@pytest.mark.parametrize("suffix", ["json", "tailc"])
def test_what_a_change_of_frequency_costs_is_read_and_changes_no_level(suffix):
    names = "tails-transition", "tails"
    halting, free = (open_tail_table(VECTORS / f"{name}.{suffix}") for name in names)
    assert (halting.transition, free.transition) == ((50_000, 5_000), None)
    # 240,000 cycles in 600 us less two halts of 50 us, 40 us of memory time, and the age.
    assert halting.level([310_000]) == free.level([410_000]) != free.level([310_000])
