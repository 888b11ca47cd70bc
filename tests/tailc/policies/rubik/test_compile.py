"""Tables that can be worked out by hand, and what a compile says besides."""

from dataclasses import replace
from math import log

import pytest

from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.errors import Code, TailcError
from tailc.forms.tail_table import (
    LARGEST_CYCLES,
    LARGEST_TIME_NS,
    QueuedRequests,
    Transition,
    level_for,
)
from tailc.pipeline.compile import compile_policy
from tailc.pipeline.estimate_findings import check_estimates
from tailc.pipeline.spec import open_kind
from tests.tailc.policies.rubik.case import swapped, write

SMALL = ("feedback: {", "table: {positions: 3, most_positions: 5}\nfeedback: {")
# Requests of 240,000 cycles, 100 us at the clock, and 100 us of memory time.
ALIKE = "240000,100\n" * 20
# One in 25 has tenfold cycles, and another one in 25 has tenfold memory time.
RARE = "2400000,100\n" * 4 + "240000,1000\n" * 4 + "240000,100\n" * 92


def compiled(folder, rows: str, *changes):
    case = write(folder, swapped(*changes))
    case.design.write_text("cycles,memory_us\n" + rows)
    return compile_policy(str(case.spec))


def test_of_requests_alike_each_position_adds_one_request(tmp_path):
    table = compiled(tmp_path, ALIKE, SMALL).policy.tail_table
    assert table.cycles[0].left == tuple(240_000 * i for i in range(1, 6))
    assert table.memory_ns[0].left == tuple(100_000 * i for i in range(1, 6))
    assert (table.bound_us, table.cores, table.sleep.wake_ns) == (3_000, 2, 20_000)


def test_by_default_the_table_has_eight_rows_and_a_last_one_and_64_positions(tmp_path):
    policy = compile_policy(str(write(tmp_path).spec)).policy
    table, settings = policy.tail_table, dict(policy.evidence.settings)
    assert (len(table.cycles), len(table.memory_ns), table.positions) == (9, 9, 64)
    assert (settings["buckets"], settings["positions_convolved"]) == (128, 16)
    # Rows begin at the octiles of exponential cycles with a mean of 600,000.
    octiles = [600_000 * log(8 / (8 - i)) for i in range(1, 8)]
    found = [row.from_elapsed for row in table.cycles[1:-1]]
    # A row begins at the smallest request of its bucket, a 127th of the longest request wide.
    assert all(0 <= at - begin <= table.cycles[-1].from_elapsed / 127
               for at, begin in zip(octiles, found, strict=True))  # fmt: skip


def test_longer_than_any_request_measured_runs_at_the_highest_frequency(tmp_path):
    table = compiled(tmp_path, ALIKE, SMALL).policy.tail_table
    assert table.cycles[-1].from_elapsed == 240_001
    assert set(table.cycles[-1].left) == {LARGEST_CYCLES}
    assert level_for(table, QueuedRequests((0,), 240_000)) == 0
    assert level_for(table, QueuedRequests((0,), 240_001)) == len(table.levels) - 1
    assert level_for(table, QueuedRequests((0,), 0, 100_001)) == len(table.levels) - 1


def test_without_memory_time_the_rule_is_of_cycles_alone(tmp_path):
    table = compiled(tmp_path, "240000,0\n" * 20, SMALL).policy.tail_table
    assert set(table.memory_ns[0].left) == {0}
    # 240,000 cycles in 3 ms less the age: 0.1 of the 800 MHz at age 0, 1.2 GHz at 2.8 ms.
    assert table.levels[level_for(table, QueuedRequests((0,)))].frequency_khz == 800_000
    assert table.levels[level_for(table, QueuedRequests((2_800_000,)))].frequency_khz == 1_200_000


def test_without_cycles_no_clock_helps_and_the_lowest_frequency_is_as_good(tmp_path):
    table = compiled(tmp_path, "0,100\n" * 20, SMALL).policy.tail_table
    assert set(table.cycles[0].left) == {0}
    assert level_for(table, QueuedRequests((0, 0, 0, 0))) == 0


def test_a_bound_that_a_request_alone_misses_is_told_with_the_nearest_one(tmp_path):
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, ALIKE, ("latency: 3ms", "latency: 170us"))
    (finding,) = refused.value.findings
    assert finding.code is Code.INFEASIBLE
    # 240,000 cycles at 3.4 GHz are 70.6 us.
    assert "171 us" in finding.message
    assert "3.4 GHz" in finding.message
    assert finding.place.line == 4


# Two cores, and 170.588 us a request at 3.4 GHz: 11,724.138 requests per second keep both busy.
@pytest.mark.parametrize(
    ("rates", "excess"),
    [
        ("[500/s, 12000/s]", ["12000/s"]),
        ("[11724.138/s]", ["11724.138/s"]),
        ("[20000/s, 500/s, 30000/s]", ["20000/s", "30000/s"]),
    ],
)
def test_rates_that_the_highest_frequency_cannot_serve_are_refused(tmp_path, rates, excess):
    with pytest.raises(TailcError) as refused:
        compiled(tmp_path, ALIKE, SMALL, ("[500/s, 2000/s]", rates))
    findings = refused.value.findings
    assert {finding.code for finding in findings} == {Code.INFEASIBLE}
    starts = [finding.place.excerpt[finding.place.column - 1 :] for finding in findings]
    assert all(start.startswith(rate) for start, rate in zip(starts, excess, strict=True))
    assert all("11724.137/s" in finding.help for finding in findings)


def test_a_rate_just_below_the_capacity_of_the_highest_frequency_is_compiled(tmp_path):
    changes = SMALL, ("[500/s, 2000/s]", "[11724.137/s]")
    assert compiled(tmp_path, ALIKE, *changes).policy.tail_table is not None


def test_the_evidence_tells_the_moments_of_a_request(tmp_path):
    settings = dict(compiled(tmp_path, RARE).policy.evidence.settings)
    # 0.04 * 2.4e6 + 0.96 * 2.4e5, and 2.16e6 * sqrt(0.04 * 0.96).
    assert settings["mean_cycles"] == 326_400
    assert settings["deviation_cycles"] == 423_272
    assert settings["mean_memory_ns"] == 136_000
    assert settings["clock_khz"] == 2_400_000


def test_added_tails_below_the_tail_of_the_sum_are_a_warning(tmp_path):
    """Four in a hundred are long by cycles and four by memory time: the 95th percentile of either
    is short, and that of both together long."""
    found = compiled(tmp_path, RARE).findings
    assert [finding.code for finding in found] == [Code.HOPEFUL_SUM]
    assert "at 14 of 14 frequencies" in found[0].message
    assert "for a request alone" in found[0].message


@pytest.mark.parametrize(("distribution", "late"), [("separate", 8), ("joint", 4)])
def test_the_joint_distribution_has_no_more_late_than_the_percentile_allows(
    tmp_path, distribution, late
):
    """Of the hundred requests, alone and under 1 ms; those of 1 ms of memory time cannot be."""
    change = (SMALL[0], f"table: {{distribution: {distribution}}}\nfeedback: {{")
    table = compiled(tmp_path, RARE, change, ("latency: 3ms", "latency: 1ms")).policy.tail_table
    ghz = table.levels[level_for(table, QueuedRequests((0,)))].frequency_khz / 1e6
    requests = [tuple(map(int, row.split(","))) for row in RARE.splitlines()]
    assert sum(cycles / ghz / 1e3 + memory > 1_000 for cycles, memory in requests) == late


def test_the_joint_distribution_of_requests_alike_adds_one_request_for_each_position(tmp_path):
    change = (SMALL[0], "table: {distribution: joint, most_positions: 20}\nfeedback: {")
    found = compiled(tmp_path, ALIKE, change)
    table, levels = found.policy.tail_table, found.policy.tail_table.levels
    assert [each.code for each in found.findings] == [Code.SMALL_SAMPLE]
    for position in range(16):
        for level in levels:
            served_ns = table.cycles[0].left[position] * 1e6 / level.frequency_khz
            wanted_ns = (position + 1) * (240_000 * 1e6 / level.frequency_khz + 100_000)
            assert 0 <= served_ns + table.memory_ns[0].left[position] - wanted_ns < 3


def test_of_independent_cycles_and_memory_time_nothing_is_to_warn_of(tmp_path):
    assert compile_policy(str(write(tmp_path).spec)).findings == ()


@pytest.mark.parametrize(("percentile", "enough"), [("99.0%", 368), ("99.9%", 3_688)])
def test_a_percentile_that_the_sample_may_lie_below_is_warned_of(tmp_path, percentile, enough):
    """0.99^368 and 0.999^3688 are just below 2.5 %."""
    change = ("percentile: 95%", f"percentile: {percentile}")
    # The feedback's window of 80 ms is too short for p99.9, which is another warning.
    found = compiled(tmp_path, "240000,100\n" * (enough - 1), change).findings
    (finding,) = (one for one in found if one.code is Code.SMALL_SAMPLE)
    assert finding.place.excerpt[finding.place.column - 1 :].startswith(percentile)
    assert f"measure at least {enough:,} requests" in finding.help
    found = compiled(tmp_path, "240000,100\n" * enough, change).findings
    assert Code.SMALL_SAMPLE not in {one.code for one in found}


def test_a_held_out_part_keeps_its_memory_times(tmp_path, tailc):
    case = write(tmp_path, swapped(("  reference:", "  held_out: 25%\n  reference:")))
    assert tailc("split", case.spec, "-o", tmp_path / "part").code == 0
    whole = compile_policy(str(case.spec)).policy
    part = str(tmp_path / "part.design.parquet")
    inputs = {each.role.value: each.digest for each in whole.inputs}
    from tailc.studies.held_out import read_held_out

    assert read_held_out(whole, part).profile.digest == inputs["design"]
    assert read_held_out(whole, str(case.design)).profile.digest == inputs["held-out"]


HALTING = ("wake: 20us}", "wake: 20us}\n  transition: {time: 50us, energy: 5uJ}")


@pytest.mark.parametrize("distribution", ["separate", "joint"])
def test_entries_include_halts_now_at_an_arrival_and_at_each_exit_before(tmp_path, distribution):
    fine = (SMALL[0], SMALL[1].replace("{positions", f"{{distribution: {distribution}, positions"))
    free = compiled(tmp_path, RARE, fine).policy.tail_table
    halting = compiled(tmp_path, RARE, fine, HALTING).policy.tail_table
    assert (free.transition, halting.transition) == (None, Transition(50_000, 5_000))
    assert halting.cycles == free.cycles
    for before, after in zip(free.memory_ns, halting.memory_ns, strict=True):
        halts = [left + 50_000 * (i + 2) for i, left in enumerate(before.left)]
        wanted = [min(left, LARGEST_TIME_NS) for left in halts]
        assert (after.from_elapsed, list(after.left)) == (before.from_elapsed, wanted)


def test_the_energy_of_a_change_is_no_part_of_the_entries(tmp_path):
    free = compiled(tmp_path, ALIKE, SMALL).policy.tail_table
    costly = (HALTING[0], HALTING[1].replace("50us", "0us"))
    assert compiled(tmp_path, ALIKE, SMALL, costly).policy.tail_table.memory_ns == free.memory_ns


@pytest.mark.parametrize(
    ("method", "is_auto", "hint"),
    [
        ("separate", False, "set `search.method: simulation`"),
        ("simulation", False, "give a longer trace"),
        # The method `auto` compared the formula's table with these settings, and took it.
        ("separate", True, "give a longer trace"),
        ("auto", True, "give a longer trace"),
    ],
)
def test_a_cheaper_setting_by_hand_is_answered_by_a_search_that_the_kind_has(
    tmp_path, method, is_auto, hint
):
    opened = open_kind(str(write(tmp_path).spec))
    policy = compiled(tmp_path, ALIKE, SMALL).policy
    by_hand = ByHand("fixed at 1.6 GHz", 2_000, 0, 0, 58_000)
    row = RateEstimate(0, "Poisson", 500_000, 2_900, 2_800, 2_950, Standing.PASS, by_hand)
    estimates = Estimates(Sample.IN_SAMPLE, 20, 10, 100, 20_000, (row,))
    evidence = replace(policy.evidence, method=method, estimates=estimates)
    policy = replace(policy, evidence=evidence, forms=policy.forms[:1])
    (finding,) = check_estimates(
        policy,
        [None],
        opened.loaded,
        lambda _: True,
        allows_misses=False,
        is_auto=is_auto,
        unattainable=(),
    )
    assert finding.code is Code.BETTER_BY_HAND
    assert finding.help.startswith(hint)


@pytest.mark.parametrize(
    ("standing", "is_auto", "tail_us", "is_warned"),
    [
        (Standing.UNDECIDED, False, 2_990, True),
        # It misses the SLO of 3 ms.
        (Standing.UNDECIDED, False, 3_010, False),
        # The policy meets the SLO for sure, and the setting hardly does.
        (Standing.PASS, False, 2_990, False),
        (Standing.PASS, False, 2_930, True),
        # The method `auto` has found on resamples that the setting is not safe.
        (Standing.UNDECIDED, True, 2_990, False),
    ],
)
def test_a_cheaper_setting_that_is_as_uncertain_as_the_policy_is_better(
    tmp_path, standing, is_auto, tail_us, is_warned
):
    opened = open_kind(str(write(tmp_path).spec))
    policy = compiled(tmp_path, ALIKE, SMALL).policy
    by_hand = ByHand("fixed at 1.6 GHz", tail_us, 0, 0, 58_000)
    row = RateEstimate(0, "Poisson", 500_000, 2_900, 2_800, 3_100, standing, by_hand)
    estimates = Estimates(Sample.IN_SAMPLE, 20, 10, 100, 20_000, (row,))
    policy = replace(policy, evidence=replace(policy.evidence, estimates=estimates))
    found = check_estimates(
        policy,
        [None],
        opened.loaded,
        lambda _: True,
        allows_misses=False,
        is_auto=is_auto,
        unattainable=(),
    )
    assert (Code.BETTER_BY_HAND in {one.code for one in found}) == is_warned


@pytest.mark.parametrize(
    ("unattainable", "way"), [((), "add cores or threads"), ((0,), "make single requests faster")]
)
def test_a_longer_latency_is_named_as_a_bound(tmp_path, unattainable, way):
    opened = open_kind(str(write(tmp_path).spec))
    policy = compiled(tmp_path, ALIKE, SMALL).policy
    row = RateEstimate(0, "Poisson", 500_000, 3_400, 3_300, 3_500, Standing.FAIL, None)
    estimates = Estimates(Sample.IN_SAMPLE, 20, 10, 100, 20_000, (row,))
    policy = replace(policy, evidence=replace(policy.evidence, estimates=estimates))
    with pytest.raises(TailcError, match="is missed") as missed:
        check_estimates(
            policy,
            [None],
            opened.loaded,
            lambda _: False,
            allows_misses=False,
            is_auto=True,
            unattainable=unattainable,
        )
    (finding,) = missed.value.findings
    assert finding.help.startswith(f"{way}, or relax the latency to at least 3.5 ms")
