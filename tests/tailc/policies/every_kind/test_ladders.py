"""Every kind that emits ladders: their look-ups, replays, verdicts and differences."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest
import tailc_runtime

from tailc.artifact.envelope import Policy
from tailc.artifact.files import write_policy
from tailc.forms.controller import first_state, output_ppm, scaled_ladder
from tailc.forms.ladder.batch import STARTS, BatchLookup
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Climb, Ladder, LoadAxis, Row
from tailc.models import streams
from tailc.models.subjects import on_ladders
from tailc.models.workload import workload
from tailc.studies.held_out import read_held_out
from tailc.units import format_mrps

QUICK = ("--requests", "2000", "--replicates", "60", "--no-progress")
BRIEF = ("--requests", "400", "--replicates", "49", "--no-progress")


@pytest.fixture
def ladders(compiled) -> tuple[Ladder, ...]:
    found = tuple(form for form in compiled.policy.forms if isinstance(form, Ladder))
    if not found:
        pytest.skip(f"kind `{compiled.policy.kind}` emits no ladder")
    return found


def queries(ladder: Ladder) -> list[tuple[int, int, int]]:
    """(load, waited, executed) on both sides of every number of a row, and of where it begins."""
    found: set[tuple[int, int, int]] = set()
    for row in ladder.rows:
        delay_us = row.admission.delay_us
        limits = {delay_us, *(climb.age_us for climb in row.climbs)}
        times = {time + off for time in limits for off in (-1, 0, 1) if time + off >= 0}
        waits = {time for time in times if time <= delay_us + 1}
        loads = {row.first_load + off for off in (-1, 0, 1) if row.first_load + off >= 0}
        found |= set(itertools.product(loads, waits, times))
    return sorted(found)


def test_faster_rungs_cost_more(ladders):
    """Of cores in power: which kind of core a rung takes is no matter of more or less."""
    for ladder in ladders:
        units = [ladder.power.unit] if ladder.power else range(len(ladder.cost_units))
        for slower, faster in itertools.pairwise(ladder.rungs):
            assert slower.speed_ppm <= faster.speed_ppm
            assert all(slower.cost_ppm[unit] <= faster.cost_ppm[unit] for unit in units)


def test_every_look_up_gives_the_same_answer(compiled, ladders):
    embedded = tailc_runtime.open_policies(compiled.stem.with_suffix(".tailc"))
    for written in ladders:
        ladder = _at_first(compiled.policy, written)
        states = queries(ladder)
        alone = [lookup(ladder, *query) for query in states]
        alone = [(STARTS.index(answer.start), answer.wait_us, answer.rung) for answer in alone]
        batch = BatchLookup(ladder)(*np.array(states, dtype=np.int64).T)
        together = zip(*(a.tolist() for a in (batch.start, batch.wait_us, batch.rung)), strict=True)
        assert list(together) == alone
        assert [embedded[ladder.request_class].lookup(*query) for query in states] == alone


def _at_first(policy: Policy, ladder: Ladder) -> Ladder:
    """The ladder as it holds before its controller, if it has one, has measured anything."""
    control = policy.controller
    if control is None:
        return ladder
    return scaled_ladder(ladder, output_ppm(control, first_state(control)))


def test_the_command_line_looks_up_what_the_library_does(compiled, ladders, tailc):
    ladder = ladders[0]
    load, waited, age = queries(ladder)[len(queries(ladder)) // 2]
    axis = {LoadAxis.IN_SYSTEM: "--in-system", LoadAxis.RATE: "--rate"}[ladder.load_axis]
    by_class = [] if ladder.request_class is None else ["--class", ladder.request_class]
    words = ("--waited", f"{waited}us", "--age", f"{age}us", "--output-format", "json")
    at = load if ladder.load_axis is LoadAxis.IN_SYSTEM else format_mrps(load)
    ended = tailc("lookup", compiled.stem, axis, at, *words, *by_class)
    answer = lookup(ladder, load, waited, age)
    result = json.loads(ended.out)["result"]
    assert (result["rung"], result["start"]) == (answer.rung, answer.start.value)


def test_in_a_replay_every_request_leaves_after_its_work_is_done(compiled, ladders):
    profile = read_held_out(compiled.policy, str(compiled.case.held_out)).profile
    rungs = len(ladders[0].rungs)
    load = workload(profile, ladders[0])
    requests, rate_mrps = 2000, compiled.policy.rates_mrps[0]
    arrival_ns = np.empty(requests, np.int64)
    streams.poisson_arrivals(streams.stream(1), rate_mrps, arrival_ns)
    order = np.arange(requests) % len(load.work_ns)
    engine = on_ladders("first", ladders[:1]).engine(rate_mrps, 10_000)
    outcome = engine.replay(load, order, arrival_ns, 0)
    assert outcome.arrived == requests
    fastest = load.speed[load.curve_of[order]].max(axis=1)
    least_ns = load.work_ns[order] / fastest
    assert (outcome.latency_ns - outcome.wait_ns >= least_ns - 1).all()
    assert (outcome.wait_ns >= 0).all()
    assert set(outcome.rung.tolist()) <= set(range(rungs))
    assert 0 < outcome.utilization <= 1


def test_verify_gives_the_same_verdict_on_any_number_of_threads(compiled, ladders, tailc):
    baselines = ("--baselines", "first")
    words = (compiled.stem, "--trace", compiled.case.held_out, *QUICK, *baselines)
    outcomes = [tailc("verify", *words, "--threads", n) for n in (1, 2)]
    assert outcomes[0].out == outcomes[1].out
    assert outcomes[0].code == outcomes[1].code
    assert outcomes[0].code in (0, 1, 4)


def test_a_diff_with_another_row_compares_quantities(compiled, ladders, tailc, tmp_path):
    changed = dataclasses.replace(
        compiled.policy, forms=(_with_another_row(ladders[0]), *compiled.policy.forms[1:])
    )
    write_policy(changed, tmp_path / "changed")
    words = ("--trace", compiled.case.held_out, *BRIEF, "--output-format", "json")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", *words)
    behaviour = json.loads(ended.out)["result"]["behaviour"]
    assert behaviour["points"]
    for point in behaviour["points"]:
        assert {"p50", "p99", "threads"} <= {each["name"] for each in point["quantities"]}


def test_a_policy_differs_from_one_with_another_row(compiled, ladders, tailc, tmp_path):
    changed = dataclasses.replace(
        compiled.policy, forms=(_with_another_row(ladders[0]), *compiled.policy.forms[1:])
    )
    write_policy(changed, tmp_path / "changed")
    ended = tailc("diff", compiled.stem, tmp_path / "changed", "--exit-code")
    assert ended.code == 2
    back = tailc("diff", tmp_path / "changed", compiled.stem, "--exit-code")
    assert back.code == 2


def _with_another_row(ladder: Ladder) -> Ladder:
    """The ladder whose last row climbs a microsecond later, or for the first time."""
    *others, last = ladder.rows
    *before, climb = last.climbs
    later = Climb(climb.age_us + 1, climb.rung)
    climbs = (*before, later) if before else (climb, Climb(1, len(ladder.rungs) - 1))
    row = Row(last.first_load, last.last_load, last.admission, climbs)
    return dataclasses.replace(ladder, rows=(*others, row))
