"""The expected rows are worked out by hand in the comments, from the paper's equations 1 to 5."""

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.table import (
    AT_ONCE,
    Admission,
    Boost,
    Climb,
    Guard,
    Row,
    Rule,
)
from tailc.pipeline.compile import compile_policy
from tests.tailc.toy import with_lines, write_toy

MS = 1_000
FOUR_ROWS = (
    # 3 threads from the start: 3 q <= 6 up to q = 2.
    Row(1, 2, AT_ONCE, (Climb(0, 2),)),
    # q = 3, 2 threads until 100 ms: both end by then, thread-time 2 per ms, 3 * 2 = 6.
    Row(3, 3, AT_ONCE, (Climb(0, 1), Climb(100 * MS, 2))),
    # q = 4: 4 * (50 + 50 + 2 * 50 + 3 * 12.5) / (50 + 112.5) = 5.846.
    Row(4, 4, AT_ONCE, (Climb(0, 0), Climb(50 * MS, 1), Climb(100 * MS, 2))),
    # q = 5: 5 * (50 + 100 + 2 * 33.3) / (50 + 133.3) = 5.909.
    Row(5, 5, AT_ONCE, (Climb(0, 0), Climb(100 * MS, 1), Climb(150 * MS, 2))),
    # q = 6: sequential, 6 * 1 = 6.
    Row(6, 6, AT_ONCE, (Climb(0, 0), Climb(150 * MS, 2))),
    # More than there are cores: one thread each.
    Row(7, None, AT_ONCE, (Climb(0, 0),)),
)


def test_the_worked_example_compiles_to_the_rows_of_the_hand_calculation(tmp_path):
    form = compile_policy(write_toy(tmp_path)).policy.forms[0]
    assert form.rows == FOUR_ROWS
    assert form.guard == Guard(1, 7)
    assert form.rules == (Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW)
    assert form.boost == Boost(0, 6_000_000)


def test_the_evidence_states_tail_mean_and_parallelism_of_every_load(tmp_path):
    evidence = compile_policy(write_toy(tmp_path)).policy.evidence
    tails_us = [row.tail_us for row in evidence.rows]
    assert tails_us == [75_000, 75_000, 100_000, 112_500, 133_333, 150_000]
    assert [row.mean_us for row in evidence.rows][2] == 66_667
    totals = [row.total_cost_ppm for row in evidence.rows]
    assert totals == pytest.approx([3e6, 6e6, 6e6, 5.846e6, 5.909e6, 6e6], abs=500)
    assert all(row.bound_us is not None and row.gap_us >= 0 for row in evidence.rows)


def test_loads_beyond_the_target_are_searched_when_asked_for(tmp_path):
    spec = with_lines(
        (
            "search: {method: grid, step: 50ms}",
            "search: {method: grid, step: 50ms, max_in_system: 8, admit_on_departure: false}",
        )
    )
    form = compile_policy(write_toy(tmp_path, spec)).policy.forms[0]
    # q = 7 waits 50 ms, and is sequential for 100: 7 * (50 + 100 + 3 * 25) / (100 + 175) = 5.727.
    # q = 8 waits as long, and stays sequential: 8 * (50 + 150) / (100 + 200) = 5.333.
    delayed = Admission.after_delay(50 * MS)
    assert form.rows[5:] == (
        Row(7, 7, delayed, (Climb(0, 0), Climb(100 * MS, 2))),
        Row(8, 8, delayed, (Climb(0, 0), Climb(150 * MS, 2))),
        Row(9, None, AT_ONCE, (Climb(0, 0),)),
    )


def test_under_the_arrival_clock_later_climbs_come_the_wait_later(tmp_path):
    searched = (
        "search: {method: grid, step: 50ms}",
        "search: {method: grid, step: 50ms, max_in_system: 8}",
    )
    clock = ("quantum: 5ms}", "quantum: 5ms, age_clock: arrival}")
    by_start = compile_policy(write_toy(tmp_path, with_lines(searched))).policy.forms[0]
    by_arrival = compile_policy(write_toy(tmp_path, with_lines(searched, clock))).policy.forms[0]
    assert Rule.AGE_FROM_ARRIVAL in by_arrival.rules
    for start, arrival in zip(by_start.rows, by_arrival.rows, strict=True):
        wait_us = 50 * MS if start.first_load >= 7 else 0
        shifted = [Climb(c.age_us + wait_us, c.rung) for c in start.climbs[1:]]
        assert list(arrival.climbs[1:]) == shifted


def test_the_threads_objective_spends_the_tail_it_is_given(tmp_path):
    spec = with_lines(
        (
            "search: {method: grid, step: 50ms}",
            "search: {method: grid, step: 50ms, objective: threads, max_in_system: 4}",
        ),
        ("latency: 200ms", "latency: 125ms"),
    )
    compiled = compile_policy(write_toy(tmp_path, spec))
    first = compiled.policy.evidence.rows[0]
    # Sequential for 100 ms and 3 threads after: 150 = 100 + 2 * 25, thread-time 50 and 175.
    assert compiled.sweep.chosen.solution.rows[0].schedule.climbs() == (
        Climb(0, 0),
        Climb(100 * MS, 2),
    )
    assert (first.tail_us, first.cost_time_us) == (125_000, 112_500)


def test_an_unattainable_target_names_the_nearest_attainable_tail(tmp_path):
    spec = with_lines(
        (
            "search: {method: grid, step: 50ms}",
            "search: {method: grid, step: 50ms, objective: threads}",
        ),
        ("latency: 200ms", "latency: 110ms"),
    )
    with pytest.raises(TailcError) as refused:
        compile_policy(write_toy(tmp_path, spec))
    (finding,) = refused.value.findings
    assert finding.code is Code.INFEASIBLE
    assert "`p99 <= 110 ms`" in finding.message
    assert "4 requests in the system" in finding.message
    assert "112.5 ms" in finding.message


def test_a_budget_that_ends_is_no_answer(tmp_path):
    with pytest.raises(TailcError) as ended:
        compile_policy(write_toy(tmp_path), overrides={"max_evaluations": 2})
    assert ended.value.findings[0].code is Code.BUDGET_ENDED


def test_the_generation_moves_only_when_the_policy_does(tmp_path):
    first = compile_policy(write_toy(tmp_path)).policy
    again = compile_policy(write_toy(tmp_path), previous=first).policy
    changed_spec = with_lines(("rates: [10/s]", "rates: [20/s]"))
    changed = compile_policy(write_toy(tmp_path, changed_spec), previous=first).policy
    assert (first.generation, again.generation, changed.generation) == (1, 1, 2)


def test_a_degree_that_is_no_faster_is_a_warning(tmp_path):
    spec = with_lines(("[1, 1.5, 2]", "[1, 1.5, 1.5]"), ("quantum: 5ms", "max_degree: 3"))
    (finding,) = (
        f
        for f in compile_policy(write_toy(tmp_path, spec)).findings
        if f.code is Code.RUNG_DOMINATED
    )
    assert "degree 3" in finding.message


def test_the_dual_refuses_what_it_cannot_do(tmp_path):
    (tmp_path / "own").mkdir()
    own = with_lines(
        ("search: {method: grid, step: 50ms}", "search: {method: dual}"),
        ("speedup: [1, 1.5, 2]", "speedup: {columns: [s1, s2]}"),
    )
    trace = "request,demand_ms,s1,s2\n1,50,1,1.5\n2,150,1,1.9\n"
    budget = with_lines(
        ("search: {method: grid, step: 50ms}", "search: {method: dual, max_evaluations: 9}")
    )
    for spec in (write_toy(tmp_path / "own", own, trace), write_toy(tmp_path, budget)):
        with pytest.raises(TailcError) as refused:
            compile_policy(spec)
        assert refused.value.findings[0].code is Code.METHOD_UNFIT


def test_a_held_out_part_leaves_digests_of_whole_design_and_held_out(tmp_path):
    trace = "request,demand_ms\n" + "".join(f"{i},{10 + i % 7}\n" for i in range(200))
    spec = with_lines(("reference: one thread", "reference: one thread\n  held_out: 25%"))
    policy = compile_policy(write_toy(tmp_path, spec, trace)).policy
    parts = {part.role.value: part for part in policy.inputs}
    assert parts["whole"].requests == 200
    assert parts["design"].requests + parts["held-out"].requests == 200
    assert len({part.digest for part in policy.inputs}) == 3


@pytest.mark.parametrize(("unit", "step"), [("us", "50us"), ("s", "50s")])
def test_a_unit_off_by_a_thousand_is_seen_against_the_slo(tmp_path, unit, step):
    spec = with_lines(("unit: ms", f"unit: {unit}"), ("step: 50ms", f"step: {step}"))
    findings = compile_policy(write_toy(tmp_path, spec)).findings
    (suspect,) = (finding for finding in findings if finding.code is Code.UNIT_SUSPECT)
    assert suspect.place is not None
    assert suspect.place.line == 8
    codes = [finding.code for finding in compile_policy(write_toy(tmp_path)).findings]
    assert codes == [Code.SMALL_SAMPLE]


def test_an_infeasible_candidate_is_left_out_of_a_sweep(tmp_path):
    swept = with_lines(
        ("target_parallelism: 6", "target_parallelism: [0.1, 6]"),
        (
            "search: {method: grid, step: 50ms}",
            "search: {method: grid, step: 50ms, objective: threads}",
        ),
    )
    compiled = compile_policy(write_toy(tmp_path, swept))
    assert [c.problem.budget_ppm for c in compiled.sweep.candidates] == [6_000_000]
    (left_out,) = (f for f in compiled.findings if f.code is Code.INFEASIBLE)
    assert left_out.message.startswith("target 0.1 is left out")


def test_the_previous_policy_must_be_of_the_same_name(tmp_path):
    (tmp_path / "other").mkdir()
    other = with_lines(("name: toy", "name: other"))
    previous = compile_policy(write_toy(tmp_path / "other", other)).policy
    with pytest.raises(TailcError) as refused:
        compile_policy(write_toy(tmp_path), previous=previous)
    assert refused.value.findings[0].place.line == 3


def test_the_latency_that_is_recommended_can_be_met_at_every_load(tmp_path):
    threads = (
        "search: {method: grid, step: 50ms}",
        "search: {method: grid, step: 50ms, objective: threads}",
    )
    tight = with_lines(threads, ("latency: 200ms", "latency: 110ms"))
    with pytest.raises(TailcError) as refused:
        compile_policy(write_toy(tmp_path, tight))
    # Load 4 could do with 112.5 ms, load 6 needs the 150 ms of one thread.
    assert "relax the latency to 150 ms" in str(refused.value.findings[0].help)
    relaxed = with_lines(threads, ("latency: 200ms", "latency: 150ms"))
    assert compile_policy(write_toy(tmp_path, relaxed)).policy.slos[0].latency_us == 150_000


@pytest.mark.parametrize("latency", ["400ms", "450ms", "600ms"])
def test_the_dual_meets_targets_that_the_grid_meets(tmp_path, latency):
    demand = np.random.default_rng(9).gamma(1.6, 140.0, 800).round(2) + 1
    trace = "request,demand_ms\n" + "".join(f"{i},{d}\n" for i, d in enumerate(demand))
    spec = with_lines(
        ("search: {method: grid, step: 50ms}", "search: {objective: threads, max_in_system: 8}"),
        ("latency: 200ms", f"latency: {latency}"),
        ("cores: 6, target_parallelism: 6", "cores: 15, target_parallelism: 24"),
    )
    path = write_toy(tmp_path, spec, trace)
    grid, dual = (compile_policy(path, overrides={"method": m}).policy for m in ("grid", "dual"))
    for by_grid, by_dual in zip(grid.evidence.rows, dual.evidence.rows, strict=True):
        assert by_dual.tail_us <= grid.slos[0].latency_us
        # Continuous time is never dearer than the grid, but for whole microseconds.
        assert by_dual.cost_time_us <= by_grid.cost_time_us + 2
