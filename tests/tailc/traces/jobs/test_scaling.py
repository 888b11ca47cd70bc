"""Logs scaled to a datacentre, as the published workloads were."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tailc.errors import Code, TailcError
from tailc.traces.jobs.log import LogHeader, node_seconds, peak_width, refuse_wide
from tailc.traces.jobs.scaling import (
    DividedWidths,
    JobScaling,
    WidthMap,
    multiplied_runs,
    scaled_jobs,
    window,
    with_applications,
    with_green_percents,
    without_widest,
)
from tests.tailc.traces.jobs.making import log_of, seeded_log

HOUR = 3_600
# Haque 2016, table B.2.
INTREPID_CORES = WidthMap(((256, 4), (512, 4), (1_024, 8), (2_048, 8), (4_096, 16)), otherwise=32)
# Section B.4: applications of the NAS Parallel Benchmarks in the two workloads.
GRID5K_JOBS = {"FT": 12, "LU": 6, "MG": 3, "CG": 2, "SP": 1, "EP": 1, "IS": 1}
INTREPID_JOBS = {"IS": 73, "MG": 24, "CG": 14, "FT": 1, "SP": 1}


def intrepid(seed=7, hours=96):
    """Jobs as wide as partitions of a Blue Gene/P; 35 of those of two days take half of it."""
    drawn = np.random.default_rng(seed)
    jobs = 481 * hours // 48
    submit_s = np.sort(drawn.integers(0, hours * HOUR, jobs))
    run_s = drawn.integers(60, 7 * HOUR, jobs)
    width = drawn.choice([512, 1_024, 2_048, 4_096], jobs)
    width[drawn.permutation(jobs)[: 35 * hours // 48]] = 40_960
    return log_of(submit_s, run_s, width, header=LogHeader(capacity=40_960))


def refused(call, *arguments):
    with pytest.raises(TailcError) as found:
        call(*arguments)
    (finding,) = found.value.findings
    return finding


def test_the_published_scaling_of_intrepid():
    log = intrepid(hours=48)
    scaled = scaled_jobs(log, JobScaling(35, DividedWidths(24), multiply_run=8))
    assert (log.jobs, scaled.jobs) == (481, 446)
    kept = log.part(log.width < 40_960)
    assert scaled.number.tolist() == kept.number.tolist()
    assert scaled.width.tolist() == [-(-int(width) // 24) for width in kept.width]
    assert scaled.run_s.tolist() == (8 * kept.run_s).tolist()


def test_a_job_of_all_of_intrepid_does_not_fit_unless_it_is_dropped():
    assert DividedWidths(24).applied_to(log_of([0], [1], [40_960])).width.tolist() == [1_707]
    whole = scaled_jobs(intrepid(), JobScaling(0, DividedWidths(24), multiply_run=8))
    finding = refused(refuse_wide, whole, 1_680)
    assert finding.code is Code.TOO_WIDE
    assert "needs 1707 servers, but the datacentre has 1680" in finding.message
    dropped = scaled_jobs(intrepid(), JobScaling(70, DividedWidths(24), multiply_run=8))
    refuse_wide(dropped, 1_680)
    assert dropped.width.max() <= 1_680


def test_that_scaling_leaves_a_third_of_the_node_hours():
    log = log_of([0, 0], [90, 60], [24 * 7, 24 * 3])
    scaled = scaled_jobs(log, JobScaling(0, DividedWidths(24), multiply_run=8))
    assert 3 * node_seconds(scaled) == node_seconds(log)


def test_cores_are_mapped_by_the_published_table():
    widths = [256, 512, 1_024, 2_048, 4_096, 8_192, 40_960]
    log = log_of([0] * 7, [1] * 7, widths)
    assert INTREPID_CORES.applied_to(log).width.tolist() == [4, 4, 8, 8, 16, 32, 32]


@pytest.mark.parametrize(("counts", "jobs"), [(GRID5K_JOBS, 26), (INTREPID_JOBS, 113)])
def test_the_published_applications_are_as_many_as_the_jobs(counts, jobs):
    log = with_applications(seeded_log(3, jobs), counts, seed=1)
    named = log.application_of_job
    assert {name: named.count(name) for name in counts} == counts
    other = with_applications(log, counts, seed=2)
    assert other.application_of_job != named


def test_a_window_starts_a_log_of_its_own():
    log = log_of([0, 10, 20, 29, 30], [1] * 5, [1] * 5, header=LogHeader(1_000))
    part = window(log, 10, 20)
    assert part.number.tolist() == [2, 3, 4]
    assert part.submit_s.tolist() == [0, 10, 19]
    assert part.header.start_unix_s == 1_010


def test_of_equally_wide_jobs_the_longest_are_dropped_then_the_last():
    log = log_of([0, 1, 2, 3, 4], [5, 9, 5, 5, 99], [8, 8, 8, 8, 1])
    assert without_widest(log, 1).number.tolist() == [1, 3, 4, 5]
    assert without_widest(log, 2).number.tolist() == [1, 3, 5]
    assert without_widest(log, 0).number.tolist() == [1, 2, 3, 4, 5]


@given(st.integers(1, 10**6), st.fractions(Fraction(1, 100), 100))
def test_run_times_are_rounded_half_up_and_never_to_nothing(run_s, factor):
    log = multiplied_runs(log_of([0], [run_s], [1]), factor)
    exact = run_s * factor
    assert log.run_s[0] >= 1
    assert log.run_s[0] == 1 or -Fraction(1, 2) < log.run_s[0] - exact <= Fraction(1, 2)


def test_a_requested_time_is_multiplied_where_there_is_one():
    log = log_of([0, 0], [10, 10], [1, 1])
    object.__setattr__(log, "requested_s", np.array([0, 30]))
    assert multiplied_runs(log, 8).requested_s.tolist() == [0, 240]


def test_shares_of_green_are_alike_likely_and_none_for_long_jobs():
    log = with_green_percents(seeded_log(5, 10_000), seed=11)
    short = log.green_ppm[log.run_s <= 48 * HOUR]
    counts = {part: int((short == part * 250_000).sum()) for part in range(5)}
    assert sum(counts.values()) == len(short)
    # Five alike: each has a fifth, give or take four standard deviations.
    allowed = 4 * np.sqrt(len(short) * 0.2 * 0.8)
    assert all(abs(count - len(short) / 5) < allowed for count in counts.values())
    long = with_green_percents(log_of([0] * 50, [48 * HOUR + 1] * 50, [1] * 50), seed=11)
    assert set(long.green_ppm.tolist()) == {0}
    at_limit = with_green_percents(log_of([0] * 50, [48 * HOUR] * 50, [1] * 50), seed=11)
    assert len(set(at_limit.green_ppm.tolist())) == 5


def test_a_job_is_promised_the_same_whatever_else_is_in_the_log():
    log = seeded_log(5, 200)
    whole = with_green_percents(log, seed=3)
    part = with_green_percents(window(log, 10 * HOUR, 10 * HOUR), seed=3)
    of_number = dict(zip(whole.number.tolist(), whole.green_ppm.tolist(), strict=True))
    assert part.green_ppm.tolist() == [of_number[number] for number in part.number.tolist()]
    other = with_green_percents(log, seed=4)
    assert other.green_ppm.tolist() != whole.green_ppm.tolist()


def test_everything_is_done_in_order():
    scaling = JobScaling(5, INTREPID_CORES, Fraction(1, 2))
    part = window(intrepid(), 0, 48 * HOUR)
    scaled = with_green_percents(scaled_jobs(part, scaling), seed=1)
    # The five are dropped by the widths that they had, and long jobs by how long they are then.
    kept = without_widest(part, 5)
    assert scaled.number.tolist() == kept.number.tolist()
    assert scaled.width.tolist() == INTREPID_CORES.applied_to(kept).width.tolist()
    refuse_wide(scaled, 50)
    assert set(scaled.width.tolist()) <= {4, 8, 16, 32}
    assert scaled.submit_s.max() < 48 * HOUR
    assert peak_width(scaled) > 0
    assert scaled.green_ppm is not None


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        (lambda log: window(log, 10**9, 60), Code.EMPTY_TRACE, "no job is submitted"),
        (lambda log: without_widest(log, 481), Code.EMPTY_TRACE, "leaves none"),
        (
            lambda log: WidthMap(((1, 2),)).applied_to(log),
            Code.OUT_OF_RANGE,
            "not in the table",
        ),
        (lambda log: with_applications(log, GRID5K_JOBS, 1), Code.BAD_VALUE, "`26`, not 481"),
    ],
)
def test_what_leaves_no_workload_is_refused(call, code, says):
    finding = refused(call, intrepid(hours=48))
    assert finding.code is code
    assert says in finding.message


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: DividedWidths(0), "widths must be divided by at least 1"),
        (lambda: JobScaling(multiply_run=0), "run times can be multiplied by at most"),
        (lambda: JobScaling(drop_largest=-1), "the number of dropped jobs must not be negative"),
    ],
)
def test_a_scaling_that_means_nothing_cannot_exist(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize("arguments", [(((1, 2), (1, 3)),), (((0, 2),),), (((1, 0),),), ((), None)])
def test_a_table_of_widths_is_one(arguments):
    with pytest.raises(ValueError, match="mapped"):
        WidthMap(*arguments)
