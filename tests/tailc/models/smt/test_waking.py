"""Waking up on lanes, of batch work and of a core that sleeps: by hand, and by closed forms."""

import dataclasses
import math
import statistics

import numpy as np
import pytest

from tailc.errors import Code, TailcError
from tailc.forms.ladder.lanes import Lanes, SharingPlan, Waking, lane_ladder, plan_at_any_load
from tailc.models import streams
from tailc.models.smt.model import Smt
from tailc.models.smt.outcome import SmtOutcome
from tailc.models.smt.waking import waking_of
from tailc.models.workload import Workload
from tests.tailc.artifact.published import small_policy

US, MS = 1_000, 1_000_000
ALONE = plan_at_any_load(0, 1)
SHARED = plan_at_any_load(None, 1)
HALF = Lanes(1, 500_000, 500_000)


def replayed(
    plan: SharingPlan,
    waking: Waking,
    arrival_ns: list[int] | np.ndarray,
    work_ns: list[int] | np.ndarray,
    *,
    has_batch: bool = True,
    lanes: Lanes = HALF,
    warm_up: int = 0,
) -> SmtOutcome:
    ladder = lane_ladder(lanes, plan)
    speeds = np.array([[rung.speed_ppm / 1e6 for rung in ladder.rungs]])
    count = len(work_ns)
    load = Workload(np.array(work_ns), np.ones(count, np.int64), np.zeros(count, np.int32), speeds)
    engine = Smt("x", (ladder,), waking=waking, has_batch=has_batch).engine(1, 100_000)
    return engine.replay(load, np.arange(count), np.array(arrival_ns), warm_up)


def woke_ns(outcome: SmtOutcome) -> tuple[int, int]:
    free, held = outcome.resting.waking.sum(axis=0)
    return round(free), round(held)


def test_batch_work_wakes_up_after_a_request_that_was_alone_and_only_then():
    waking = Waking(batch_ns=3 * US)
    arrival_ns, work_ns = [MS, 3 * MS, 3 * MS + 10 * US, 5 * MS], [MS, 9 * US, MS, MS]
    # Free from 2 ms, for 1 us from 3.009 ms, and from 4.01 ms.
    assert woke_ns(replayed(ALONE, waking, arrival_ns, work_ns)) == (3 * US + 1 * US + 3 * US, 0)
    assert woke_ns(replayed(SHARED, waking, arrival_ns, work_ns)) == (0, 0)


def test_it_wakes_up_beside_a_request_where_one_hands_over_to_one_that_shares():
    # Alone from 100 us on; the second starts as the first ends, at 150 us, and shares anew.
    plan = plan_at_any_load(100, 1)
    waking = Waking(batch_ns=30 * US)
    outcome = replayed(plan, waking, [0, 10 * US], [100 * US, 100 * US])
    assert outcome.wait_ns.tolist() == [0, 140 * US]
    assert woke_ns(outcome) == (0, 30 * US)


def test_one_that_is_told_to_leave_before_it_is_awake_has_only_woken_until_then():
    plan = plan_at_any_load(100, 1)
    outcome = replayed(plan, Waking(batch_ns=500 * US), [0, 10 * US], [100 * US, 100 * US])
    assert woke_ns(outcome) == (0, 100 * US)


def test_how_long_it_takes_batch_work_to_wake_up_changes_no_latency():
    arrival_ns, work_ns = [0, 10 * US, MS], [100 * US, 100 * US, MS]
    plan = plan_at_any_load(100, 1)
    awake, late = (
        replayed(plan, Waking(batch_ns=ns), arrival_ns, work_ns).latency_ns.tolist()
        for ns in (0, 50 * US)
    )
    assert awake == late


def test_a_core_that_sleeps_wakes_up_for_the_request_that_finds_it_free_alone():
    waking = Waking(core_ns=30 * US)
    arrival_ns, work_ns = [MS, MS + 10 * US, 3 * MS], [100 * US, 100 * US, 100 * US]
    asleep = replayed(ALONE, waking, arrival_ns, work_ns, has_batch=False)
    assert asleep.latency_ns.tolist() == [130 * US, 220 * US, 130 * US]
    kept_awake = replayed(ALONE, waking, arrival_ns, work_ns)
    assert kept_awake.latency_ns.tolist() == [100 * US, 190 * US, 100 * US]


def test_on_several_cores_each_wakes_up_for_itself():
    waking = Waking(core_ns=30 * US)
    arrival_ns, work_ns = [0, 10 * US, 20 * US], [100 * US] * 3
    lanes = Lanes(2, 500_000, 0)
    plan = plan_at_any_load(0, 2)
    # At time 0 no core has been free for any time.
    outcome = replayed(plan, waking, arrival_ns, work_ns, has_batch=False, lanes=lanes)
    assert outcome.latency_ns.tolist() == [100 * US, 130 * US, 180 * US]


REPLICATIONS, REQUESTS, WARM_UP = 12, 40_000, 4_000
MEAN_MS, RATE_RPS = 6.0, 80.0


def poisson(number: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrivals, and exponential demand."""
    rng = np.random.default_rng(number)
    work_ns = np.maximum(np.rint(rng.exponential(MEAN_MS, REQUESTS) * MS), 1).astype(np.int64)
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(11, number), round(RATE_RPS * 1000), arrival_ns)
    return arrival_ns, work_ns


def assert_near(values: list[float], theory: float) -> None:
    standard_error = statistics.stdev(values) / math.sqrt(len(values))
    got = statistics.fmean(values)
    assert abs(got - theory) <= 4 * standard_error, (got, theory, standard_error)
    assert standard_error < 0.03 * theory, "too noisy to say anything"


def test_a_core_that_sleeps_is_the_queue_with_an_exceptional_first_service():
    # Welch, On a generalized M/G/1 queuing process in which the first customer of each busy period
    # receives exceptional service, Operations Research 12 (1964): with a constant set-up D,
    # E[T] = E[S] + L E[S^2] / (2 (1 - rho)) + (2 D + L D^2) / (2 (1 + L D)).
    wake_ms, load = 10.0, RATE_RPS / 1000
    waking = Waking(core_ns=round(wake_ms * MS))
    outcomes = [
        replayed(ALONE, waking, *poisson(number), has_batch=False, warm_up=WARM_UP)
        for number in range(REPLICATIONS)
    ]
    queued = load * 2 * MEAN_MS**2 / (2 * (1 - load * MEAN_MS))
    set_up = (2 * wake_ms + load * wake_ms**2) / (2 * (1 + load * wake_ms))
    means = [float(o.latency_ns[o.measured].mean()) / MS for o in outcomes]
    assert_near(means, MEAN_MS + queued + set_up)
    # It falls to the share of requests that find the core free, (1 - rho) / (1 + L D).
    found_free = [len(o.idle_periods_ns) / (REQUESTS - WARM_UP) for o in outcomes]
    assert_near(found_free, (1 - load * MEAN_MS) / (1 + load * wake_ms))


@pytest.mark.parametrize("wake_ms", [0.001984, 5.0])
def test_batch_work_that_wakes_up_has_what_is_left_of_exponential_idle_periods(wake_ms):
    # Requests alone: idle for 1 - rho of the time, in periods of which exp(-L x) are longer than x.
    waking, load = Waking(batch_ns=round(wake_ms * MS)), RATE_RPS / 1000
    outcomes = [
        replayed(ALONE, waking, *poisson(number), warm_up=WARM_UP) for number in range(REPLICATIONS)
    ]
    free = [outcome.mean_waking[0] for outcome in outcomes]
    assert_near(free, (1 - load * MEAN_MS) * (1 - math.exp(-load * wake_ms)))
    assert all(outcome.mean_waking[1] == 0 for outcome in outcomes)


@pytest.mark.parametrize("time_ns", [-1, 2**60])
@pytest.mark.parametrize("name", ["wake_ns", "core_wake_ns"])
def test_evidence_that_tells_of_no_time_to_wake_up_is_refused(name, time_ns):
    policy = small_policy()
    evidence = dataclasses.replace(policy.evidence, settings=((name, time_ns),))
    with pytest.raises(TailcError) as caught:
        waking_of(dataclasses.replace(policy, evidence=evidence))
    (finding,) = caught.value.findings
    assert finding.code is Code.BAD_ARTIFACT
    assert f"states `{name}` as {time_ns:,}, which is not a valid time" in finding.message
