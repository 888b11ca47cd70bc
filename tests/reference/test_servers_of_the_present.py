"""Server counts from the present alone, by hand."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tailc_solvers.green.parallel.problem import Shape

from tests.reference.jobs_at_present import ActiveJob, baseline
from tests.reference.nebulous_plain import Hint, HintedJob, nebulous
from tests.reference.nebulous_plain import least_servers as least_by_servers
from tests.reference.reactive_plain import least_servers, reactive

MINUTE = 60_000
SHAPE = Shape.from_counts(8, [2, 4, 8], [2_000, 3_600, 6_000])
NEW = ActiveJob(SHAPE, 4, 3_600, 1_100)


def test_a_new_job_has_what_it_asked_for_unless_its_slack_covers_less():
    assert least_servers(NEW, MINUTE) == 4
    assert least_servers(replace(NEW, slack_ppt=1_800), MINUTE) == 2
    assert least_servers(replace(NEW, slack_ppt=1_799), MINUTE) == 4


def test_a_job_that_ran_faster_may_run_slower():
    # Nine minutes at 3.6 and one at 2.0 are 34.4; ten at 3.6 by 1.1 are 32.73.
    ahead = replace(NEW, work_done=9 * MINUTE * 3_600, run_ms=9 * MINUTE)
    assert least_servers(ahead, MINUTE) == 2
    # One and one: 5.6 against 6.55.
    assert least_servers(replace(NEW, work_done=MINUTE * 3_600, run_ms=MINUTE), MINUTE) == 4


def test_a_job_that_is_behind_has_the_fastest():
    behind = replace(NEW, work_done=1, run_ms=100 * MINUTE)
    assert least_servers(behind, MINUTE) == 8
    slower_at_eight = Shape.from_counts(8, [2, 4, 8], [2_000, 3_600, 3_000])
    assert least_servers(replace(behind, shape=slower_at_eight), MINUTE) == 4


def test_green_servers_go_to_the_job_that_gains_most_by_each():
    # From 4 to 8 servers: 0.6 a server here, 0.9 there.
    other = replace(NEW, shape=Shape.from_counts(8, [2, 4, 8], [2_000, 3_600, 7_200]))
    assert reactive([NEW, other], green_servers=12, servers=50, while_ms=MINUTE) == [4, 8]
    assert reactive([NEW, other], green_servers=16, servers=50, while_ms=MINUTE) == [8, 8]
    assert reactive([NEW, other], green_servers=16, servers=15, while_ms=MINUTE) == [4, 8]
    assert reactive([NEW, other], green_servers=11, servers=50, while_ms=MINUTE) == [4, 4]


def test_of_equal_gains_the_first_job_is_served_and_nobody_who_gains_nothing():
    assert reactive([NEW, NEW], green_servers=12, servers=50, while_ms=MINUTE) == [8, 4]
    flat = replace(NEW, shape=Shape.from_counts(8, [4, 8], [3_600, 3_600]))
    assert reactive([flat], green_servers=50, servers=50, while_ms=MINUTE) == [4]


def test_where_the_least_is_too_much_all_have_what_they_asked_for_and_the_last_waits():
    behind = replace(NEW, work_done=1, run_ms=100 * MINUTE)
    assert reactive([behind, NEW, NEW], green_servers=0, servers=11, while_ms=MINUTE) == [4, 4, 0]
    assert baseline([NEW, behind, NEW], 9) == [4, 4, 0]


def test_the_hinted_jobs_go_round_and_the_best_hint_is_first():
    poor, good = HintedJob(NEW, Hint.POOR), HintedJob(NEW, Hint.EXCELLENT)
    assert least_by_servers(NEW, MINUTE) == 4
    assert nebulous([poor, good], green_servers=12, servers=50, while_ms=MINUTE) == [4, 8]
    assert nebulous([poor, good], green_servers=16, servers=50, while_ms=MINUTE) == [8, 8]
    small = HintedJob(replace(NEW, requested=2, slack_ppt=1_000), Hint.POOR)
    # Each one step before anyone has two.
    assert nebulous([small, small], green_servers=8, servers=50, while_ms=MINUTE) == [4, 4]


def test_of_equal_hints_the_job_that_had_least_is_first():
    much = replace(NEW, run_ms=MINUTE, server_ms=8 * MINUTE, work_done=1)
    little = replace(NEW, run_ms=MINUTE, server_ms=4 * MINUTE, work_done=1)
    jobs = [HintedJob(much, Hint.GOOD), HintedJob(little, Hint.GOOD)]
    # The first may be on two servers now, as it had eight.
    assert nebulous(jobs, green_servers=10, servers=50, while_ms=MINUTE) == [2, 8]


def test_a_mean_of_servers_is_kept_by_the_slack():
    assert least_by_servers(replace(NEW, slack_ppt=2_000), MINUTE) == 2
    assert least_by_servers(replace(NEW, slack_ppt=1_999), MINUTE) == 4


jobs_of_any_past = st.builds(
    lambda run, speed, requested, slack: replace(
        NEW,
        requested=requested,
        run_ms=run,
        work_done=run * speed,
        server_ms=run * requested,
        slack_ppt=slack,
    ),
    st.integers(0, 10**7),
    st.integers(0, 6_000),
    st.sampled_from([2, 4, 8]),
    st.integers(1_000, 2_000),
)


@given(st.lists(jobs_of_any_past, max_size=6), st.integers(0, 60), st.integers(0, 60))
def test_more_green_energy_never_gives_hinted_jobs_fewer_servers_in_all(jobs, green, more):
    hinted = [HintedJob(job, Hint(at % 4)) for at, job in enumerate(jobs)]
    few = nebulous(hinted, green_servers=green, servers=200, while_ms=MINUTE)
    many = nebulous(hinted, green_servers=green + more, servers=200, while_ms=MINUTE)
    least = [least_by_servers(job, MINUTE) for job in jobs]
    assert all(a >= b for a, b in zip(few, least, strict=True))
    assert sum(few) <= max(sum(least), green)
    assert sum(many) >= sum(few)


@given(st.lists(jobs_of_any_past, max_size=6), st.integers(0, 60))
def test_counts_keep_every_average_and_the_green_servers(jobs, green):
    given_servers = reactive(jobs, green_servers=green, servers=200, while_ms=MINUTE)
    least = [least_servers(job, MINUTE) for job in jobs]
    assert all(a >= b for a, b in zip(given_servers, least, strict=True))
    assert sum(given_servers) <= max(sum(least), green)
