"""Nebulous beside a plain twin, and its rules by hand."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tailc_solvers.green.parallel.problem import Shape

from tailc.models.datacentre.supply import PPM, Supply
from tailc.models.malleable_jobs.allocator import ClusterView
from tailc.models.malleable_jobs.baselines.nebulous import NebulousAllocator
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.hints import Hint, JobDescription
from tailc.models.malleable_jobs.jobs import MalleableJob, UnfinishedJob
from tests.reference.jobs_at_present import ActiveJob
from tests.reference.nebulous_plain import HintedJob, nebulous
from tests.tailc.models.datacentre.sites import Known

COUNTS = (1, 2, 4, 8)
SPEEDS = (1_000, 1_900, 3_500, 6_000)
LOOK_AHEAD_S = 900
FIFTY = Cluster(50, 30_000, 0, 0, 900)
NARROW = {1: 1_000_000, 2: 1_900_000, 4: 3_000_000}
WIDE = {2: 1_900_000, 4: 3_500_000, 8: 5_000_000}


def sun(servers) -> Supply:
    green = 30_000 * np.array(servers, np.int64)
    return Supply(green, np.full(len(green), 105_500), np.full(len(green), 200_000))


def job(number=1, submit_s=0, requested=2, run_s=900) -> MalleableJob:
    """On 2 servers 1.9 times as fast as on one; `run_s` on those."""
    curves = {4: NARROW, 8: WIDE}
    return MalleableJob(number, submit_s, run_s * 1_900 // 1_000, requested, 1_100_000, curves)


def replayed(servers, jobs, words):
    return replay_malleable(
        FIFTY, sun(servers), Known(sun(servers)), jobs, NebulousAllocator(words)
    )


@st.composite
def listed_jobs(draw):
    """(requested servers, slowdown, time run, mean servers in thousandths, hint)."""
    return (
        draw(st.sampled_from(COUNTS)),
        draw(st.sampled_from([1_000, 1_100, 1_500])),
        draw(st.integers(1, 5_000)),
        draw(st.integers(500, 8_000)),
        draw(st.sampled_from(list(Hint))),
    )


@given(st.lists(listed_jobs(), min_size=1, max_size=5), st.integers(0, 60))
@settings(max_examples=200)
def test_both_give_the_same_servers(listed, green_servers):
    cluster = Cluster(60, 30_000, 0, 0, 900)
    curve = {n: 1_000 * speed for n, speed in zip(COUNTS, SPEEDS, strict=True)}
    active, present, words = [], [], {}
    for number, (requested, slowdown, ran_s, mean, hint) in enumerate(listed):
        one = MalleableJob(number, 0, 10**6, requested, 1_000 * slowdown, {8: curve})
        server_s = mean * ran_s // 1_000
        active.append(UnfinishedJob(one, 8, 1, 0, 0, ran_s, server_s))
        words[number] = JobDescription("sort", hint)
        shape = Shape.from_counts(8, COUNTS, SPEEDS)
        asked = SPEEDS[COUNTS.index(requested)]
        plain = ActiveJob(shape, requested, asked, slowdown, 0, 1_000 * server_s, 1_000 * ran_s)
        present.append(HintedJob(plain, hint))
    view = ClusterView(cluster, 0, sun([green_servers]), tuple(active))
    ours = NebulousAllocator(words).allocate(view).servers
    theirs = nebulous(
        present, green_servers=green_servers, servers=60, while_ms=1_000 * LOOK_AHEAD_S
    )
    assert [ours[number] for number in range(len(listed))] == theirs


def test_the_first_run_of_an_application_has_the_fewest_machines_and_the_next_more():
    words = {number: JobDescription("sort", Hint.GOOD) for number in (1, 2, 3)}
    jobs = [job(1), job(2, 4_000), job(3, 5_000)]
    found = replayed([20] * 8, jobs, words)
    # While the second runs wide, 16 more servers are not fed: 20 less the least of it, 2.
    assert [one.vms for one in found.done] == [4, 8, 8]
    assert not any(one.is_late for one in found.done)


def test_more_machines_need_green_energy_to_the_end_of_the_expected_run():
    words = {number: JobDescription("sort", Hint.GOOD) for number in (1, 2)}
    # The first runs for 15 minutes on two servers; the second would run into the night.
    found = replayed([2, 2, 2, 20, 0, 0], [job(1), job(2, 2_701)], words)
    assert next(one.ran_s for one in found.done) == 900
    assert [one.vms for one in found.done] == [4, 4]
    found = replayed([2, 2, 2, 20, 20, 0], [job(1), job(2, 2_701)], words)
    assert [one.vms for one in found.done] == [4, 8]


def test_more_machines_need_servers_for_each_two_beside_the_least_of_others():
    words = {number: JobDescription("sort", Hint.GOOD) for number in (1, 2)}
    long = job(9, 1_800, run_s=3_600)
    for fed, vms in ((6, 8), (5, 4)):
        found = replayed(
            [2, 2] + [fed] * 6,
            [job(1), long, job(2, 1_900)],
            {**words, 9: JobDescription("mesh", Hint.POOR)},
        )
        assert {one.number: one.vms for one in found.done} == {1: 4, 2: vms, 9: 4}


def test_a_word_on_another_application_is_no_help():
    words = {1: JobDescription("sort", Hint.GOOD), 2: JobDescription("mesh", Hint.GOOD)}
    found = replayed([20] * 6, [job(1), job(2, 2_701)], words)
    assert [one.vms for one in found.done] == [4, 4]


@given(
    st.lists(st.integers(0, 50), min_size=8, max_size=8),
    st.lists(
        st.tuples(st.integers(0, 3_000), st.integers(1, 2_000), st.sampled_from(list(Hint))),
        max_size=6,
    ),
)
def test_mean_servers_are_never_below_the_promise_where_there_is_room(green, listed):
    jobs = [job(n, at, run_s=run) for n, (at, run, _) in enumerate(sorted(listed))]
    words = {n: JobDescription("sort", hint) for n, (_, _, hint) in enumerate(sorted(listed))}
    found = replayed(green, jobs, words)
    for one in found.done:
        assert one.server_s * 1_100_000 >= 2 * one.ran_s * PPM
