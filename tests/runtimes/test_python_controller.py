"""The Python runtime's controller and its look-ups under it, beside those of the forms."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tailc_runtime import Controller, PolicyTable, open_policies, open_policy
from tailc_runtime.opening import policy_from
from tailc_runtime.vectors import rows_of, wrong_steps

from tailc.artifact.envelope import Policy
from tailc.artifact.flat_form import encode_flat
from tailc.artifact.json_form import encode_json
from tailc.forms.controller import first_state, output_ppm, scaled_ladder, step
from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.table import Ladder
from tests.runtimes.python_controller_case import numbers_in, refusals
from tests.tailc.artifact.published import ROOT, VECTORS, changed_json
from tests.tailc.artifact.random_policies import random_ladder_policy

SEEDS = st.integers(0, 2**32)
PPM = 1_000_000
STARTS = (Start.NOW, Start.WAIT, Start.ON_EXIT)
POLICY = VECTORS / "controller.tailc"


def controlled() -> tuple[PolicyTable, Controller]:
    table = open_policy(POLICY)
    assert table.controller
    return table, table.controller


def test_a_controller_says_what_to_measure_and_how_often() -> None:
    _, controller = controlled()
    assert (controller.acts_on, controller.percentile_ppm) == ("climb-ages", 990_000)
    assert (controller.target_us, controller.output_ppm) == (200_000, PPM)
    assert (controller.epoch_requests, controller.window_requests) == (500, 2_000)


def test_a_policy_without_a_controller_has_none() -> None:
    assert open_policy(VECTORS / "cores.tailc").controller is None


def test_a_step_moves_the_output_and_look_ups_follow() -> None:
    """At 60/s ki is 0.25 ms/ms: 40 ms too long take 10 ms of the 109 ms of a whole output."""
    table, controller = controlled()
    assert table.lookup(11, 0, 79_999)[2] == 1
    shown_ppm = controller.step(240_000, 60_000)
    assert shown_ppm == controller.output_ppm == round((1 - 10 / 109) * PPM)
    climbs_at = 80_000 * shown_ppm // PPM
    assert [table.lookup(11, 0, age)[2] for age in (climbs_at - 1, climbs_at)] == [1, 2]


def test_a_refused_measurement_is_forgotten() -> None:
    _, controller = controlled()
    for tail_us, rate_mrps in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="must not be negative"):
            controller.step(tail_us, rate_mrps)
    assert controller.step(200_000, 0) == PPM


def test_tables_of_one_opening_share_their_controller_and_those_of_two_do_not() -> None:
    tables, again = open_policies(POLICY), open_policies(POLICY)
    assert tables[None].controller is tables["short"].controller is not again[None].controller


def test_the_cores_of_a_ladder_are_told() -> None:
    table = open_policy(VECTORS / "cores.tailc")
    assert table.rungs == ("slow", "medium", "fast")
    assert table.core_unit == (0, 1, 2)
    assert table.core_count == (7, 2, 2, 0)
    assert table.move_us == (0, 500, 500)
    shared = open_policy(VECTORS / "lucene.tailc")
    assert (shared.core_unit, shared.core_count, shared.move_us) == ((), (), ())


@pytest.mark.parametrize("query", [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, -5, 5)])
def test_a_negative_argument_is_an_error_under_every_output(query: tuple[int, int, int]) -> None:
    table, _ = controlled()
    for output in (0, 1, PPM):
        with pytest.raises(ValueError, match="must not be negative"):
            table.lookup_scaled(*query, output)
    with pytest.raises(ValueError, match="must not be negative"):
        table.lookup(*query)


@pytest.mark.parametrize("output", [-1, PPM + 1])
def test_an_output_beyond_0_to_1_is_an_error(output: int) -> None:
    with pytest.raises(ValueError, match="the output must be 0 to 1,000,000"):
        controlled()[0].lookup_scaled(0, 0, 0, output)


def queries(rng: Random, ladder: Ladder) -> list[tuple[int, int, int, int]]:
    """Load, waited, executed and output; half of the times at scaled ages or beside them."""
    ages = [climb.age_us for row in ladder.rows for climb in row.climbs]
    found: list[tuple[int, int, int, int]] = []
    for _ in range(30):
        output = rng.choice((0, 1, 2, 499_999, PPM - 1, PPM, rng.randint(0, PPM)))
        edge = rng.choice(ages) * output // PPM + rng.randint(-1, 1)
        age = max(edge, 0) if rng.random() < 0.5 else rng.randrange(2 * max(ages) + 2)
        waited = rng.randint(0, age)
        load = rng.randrange(2 * ladder.rows[-1].first_load + 2)
        found.append((load, waited, rng.choice((age, age - waited)), output))
    return found


def first_difference(policy: Policy, tables: dict[str | None, PolicyTable], rng: Random) -> str:
    for ladder in policy.ladders:
        table = tables[ladder.request_class]
        for *query, output in queries(rng, ladder):
            wanted = lookup(scaled_ladder(ladder, output), *query)
            start, wait_us, rung = table.lookup_scaled(*query, output)
            if (STARTS[start], wait_us, rung) != (wanted.start, wanted.wait_us, wanted.rung):
                return f"{query} under {output}: {(start, wait_us, rung)}, wanted {wanted}"
    return ""


@given(SEEDS, st.booleans())
def test_look_ups_under_an_output_are_those_of_the_scaled_ladder(seed: int, flat: bool) -> None:
    rng = Random(seed)
    policy = random_ladder_policy(rng)
    tables = policy_from((encode_flat if flat else encode_json)(policy))
    assert not first_difference(policy, tables, rng)


@given(SEEDS)
def test_steps_are_those_of_the_form(seed: int) -> None:
    rng = Random(seed)
    policy = random_ladder_policy(rng)
    while policy.controller is None:
        policy = random_ladder_policy(rng)
    for encode in (encode_json, encode_flat):
        runs = next(iter(policy_from(encode(policy)).values())).controller
        assert runs
        state = first_state(policy.controller)
        for _ in range(12):
            assert (runs.output, runs.output_ppm) == (
                state.output,
                output_ppm(policy.controller, state),
            )
            tail_us = rng.choice((0, 2**53, rng.randrange(2**20), rng.randrange(2**33)))
            rate_mrps = rng.choice((0, rng.randrange(2**20), rng.randrange(2**53)))
            state = step(policy.controller, state, tail_us, rate_mrps)
            runs.step(tail_us, rate_mrps)


def test_the_examples_of_the_readme_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An epoch of 250 ms at a very high rate: ki is 0.17, so 8.5 of 109 ms are taken away."""
    monkeypatch.chdir(tmp_path)  # some write files
    text = (ROOT / "runtimes/python/README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(block.replace('"schemas/', f'"{ROOT}/schemas/'), {})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "start on d2"
    # Of the scheduler: the results of a request's parts, and its counter of requests.
    assert shown[1:3] == ["['TAIL LATENCY', 'Tail Latency']", "tailc_requests_total 1"]
    del shown[1:3]
    share = float(shown[1].removeprefix("climb at ").removesuffix(" % of the ages"))
    assert share == pytest.approx(100 * (1 - 8.5 / 109), abs=1e-3)
    # 380,000 cycles in 600 - 120 - 75 us are 938 MHz; 210,000 in 600 - 350 - 40 us are 1 GHz.
    assert shown[2] == "run at 1000000 kHz"
    # The row from 16 decoding sequences, and the column from 4,099 waiting tokens.
    assert shown[3].startswith("768 tokens")
    assert shown[3].endswith("2 may start")
    # By hand, of the first model: (0.2 + 0.3 (1 - 27.5/30)) - 0.12 * 0 is 0.225, and 0.25 stays.
    assert shown[4:7] == ["encoder 22.4999 %", "index 25.0 %", "nightly 52.5001 %"]
    # 24 server-epochs, of which half are promised to be green: 12 * 7.25 and 12 * 6 cents.
    assert shown[7] == "10 servers of racks 5-6 on green"
    assert shown[8].startswith("pays 1.59 $ for ")


def acted_on(path: tuple[str | int, ...]) -> bool:
    """Speeds and powers are for people: the runtime does not look at their sign."""
    return "speed_ppm" not in path and not ("cost_ppm" in path and path[-1] == 3)


def with_numbers(rng: Random, paths: list[tuple[str | int, ...]]) -> bytes:
    """The policy with one or two of its numbers replaced by suspicious ones."""

    def change(document: Any) -> None:
        for path in rng.sample(paths, rng.choice((1, 1, 2))):
            part = document["forms"]
            for key in path[:-1]:
                part = part[key]
            old = part[path[-1]]
            part[path[-1]] = rng.choice((0, 1, -1, old + 1, old - 1, -old, 2 * old, PPM, 2**31))

    return changed_json(change, name="controller")


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.fuzz)])
def test_other_numbers_are_refused_by_both_readers_or_by_none(count: int) -> None:
    forms = json.loads((VECTORS / "controller.json").read_bytes())["forms"]
    paths = [path for path in numbers_in(forms) if acted_on(path)]
    rng = Random(count)
    found = [refusals(with_numbers(rng, paths)) for _ in range(count)]
    assert set(found) == {(True, True), (False, False)}


def test_a_wrong_step_is_reported_with_what_was_wanted() -> None:
    rows = rows_of(VECTORS / "steps" / "controller.csv")[1][:5]
    assert wrong_steps(POLICY, rows) == []
    for column, odd in (("output", "1"), ("output_ppm", "1"), ("climbs", "0:0 3:1 80001:2")):
        (wrong,) = wrong_steps(POLICY, [*rows[:4], {**rows[4], column: odd}])
        assert "steady 4 is (1099511627776, 1000000, " in wrong
        assert odd in wrong


def test_steps_of_a_policy_without_a_controller_are_all_wrong() -> None:
    rows = rows_of(VECTORS / "steps" / "controller.csv")[1][:5]
    assert len(wrong_steps(Path(VECTORS / "cores.json"), rows)) == 5
