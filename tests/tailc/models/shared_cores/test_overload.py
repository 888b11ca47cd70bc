"""What is refused, cut off and degraded by rule, by hand and against a closed form."""

import dataclasses
import math

import numpy as np
import pytest

from tailc.errors import TailcError
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row, Rule
from tailc.models.core_types.model import CoreTypes
from tailc.models.shared_cores.arrays import ladder_arrays
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.outcome import Losses, SharedCoresOutcome
from tailc.models.workload import Workload
from tests.tailc.models.core_types.servers import cores, row
from tests.tailc.models.shared_cores.engine_case import latency_ms, run
from tests.tailc.models.shared_cores.servers import MS, at_once, ladder, overloaded

WAITS = Row(2, None, ON_EXIT, (Climb(0, 0),))


def losses(outcome: SharedCoresOutcome) -> Losses:
    assert outcome.losses is not None
    return outcome.losses


def lost_ms(outcome: SharedCoresOutcome) -> list[float]:
    return [float(ns / MS) for ns in losses(outcome).lost_ns]


def test_without_a_rule_there_are_no_losses():
    outcome = run(ladder(at_once((0, 0))), [0], [10])
    assert outcome.losses is None
    assert outcome.is_refused.tolist() == []


def test_who_finds_so_many_in_the_system_is_refused_and_never_counts():
    policy = overloaded(ladder(at_once((0, 0)), cores=1), Overload(shed_from=2))
    # two share a core until 40 ms; the third comes in between, the fourth after one has left
    outcome = run(policy, [0, 0, 10, 41], [20, 30, 99, 10])
    assert outcome.is_refused.tolist() == [False, False, True, False]
    assert latency_ms(outcome) == [40, 59, 0, 19]
    assert lost_ms(outcome) == [0, 0, 99, 0]


def test_an_exit_comes_before_an_arrival_of_the_same_instant():
    policy = overloaded(ladder(at_once((0, 0)), cores=1), Overload(shed_from=1))
    outcome = run(policy, [0, 10, 19.999, 20], [10, 10, 10, 10])
    assert outcome.is_refused.tolist() == [False, False, True, False]


def test_a_refused_request_stands_in_nobodys_way():
    """The second and the third wait, the fourth is refused, and the fifth comes after the third."""
    policy = overloaded(ladder(at_once((0, 0), last=1), WAITS, cores=1), Overload(shed_from=3))
    outcome = run(policy, [0, 1, 2, 3, 31], [30, 10, 10, 10, 10])
    assert outcome.is_refused.tolist() == [False, False, False, True, False]
    assert outcome.wait_ns.tolist() == [0, 29 * MS, 38 * MS, 0, 19 * MS]


def test_who_is_refused_is_in_no_percentile():
    policy = overloaded(ladder(at_once((0, 0)), cores=1), Overload(shed_from=1))
    outcome = run(policy, [0, 1, 2, 3], [10, 10, 10, 10])
    assert outcome.latencies_ns.tolist() == [10 * MS]
    assert outcome.tail_ns(500_000) == outcome.tail_ns(10_000) == 10 * MS
    assert outcome.mean_thread_ns == 10 * MS


def test_a_rule_cuts_a_request_off_at_its_age_and_what_was_left_is_lost():
    policy = overloaded(ladder(at_once((0, 1))), Overload(cut_off_us=15_000))
    outcome = run(policy, [0, 5], [50, 20])
    assert latency_ms(outcome) == [15, 10]
    assert outcome.is_cut.tolist() == [True, False]
    # 15 ms at speed 2 did 30 of 50 ms of work
    assert lost_ms(outcome) == [20, 0]


def test_where_ages_count_from_arrival_a_wait_brings_the_cut_off_nearer():
    delayed = Row(0, None, Admission.after_delay(10_000), (Climb(0, 0),))
    policy = overloaded(ladder(delayed), Overload(cut_off_us=15_000))
    assert latency_ms(run(policy, [0], [50])) == [25]
    since_arrival = tuple(sorted((*policy.rules, Rule.AGE_FROM_ARRIVAL), key=lambda r: r.value))
    policy = dataclasses.replace(policy, rules=since_arrival)
    outcome = run(policy, [0], [50])
    assert latency_ms(outcome) == [15]
    assert lost_ms(outcome) == [45]


def test_the_earlier_of_a_rule_and_an_asked_cut_off_holds():
    policy = overloaded(ladder(at_once((0, 0))), Overload(cut_off_us=15_000))
    assert latency_ms(run(policy, [0], [50], cut_off_us=10_000)) == [10]
    assert latency_ms(run(policy, [0], [50], cut_off_us=20_000)) == [15]


def test_who_finds_so_many_in_the_system_does_a_part_of_its_work():
    told = Overload(degrade_from=1, work_ppm=250_000)
    outcome = run(overloaded(ladder(at_once((0, 0))), told), [0, 1, 50], [40, 40, 40])
    assert latency_ms(outcome) == [40, 10, 40]
    assert lost_ms(outcome) == [0, 30, 0]
    assert losses(outcome).is_degraded.tolist() == [False, True, False]


def test_one_that_is_degraded_and_cut_off_loses_both():
    told = Overload(cut_off_us=10_000, degrade_from=0, work_ppm=500_000)
    outcome = run(overloaded(ladder(at_once((0, 0))), told), [0], [40])
    assert latency_ms(outcome) == [10]
    assert lost_ms(outcome) == [30]


def test_ladders_on_one_server_lose_alike():
    one = ladder(at_once((0, 0)))
    with pytest.raises(TailcError, match="different rules"):
        ladder_arrays((one, overloaded(one, Overload(shed_from=3))), 1000, 64)
    two = [overloaded(one, Overload(shed_from=number)) for number in (3, 4)]
    with pytest.raises(TailcError, match="different rules for overload"):
        ladder_arrays(two, 1000, 64)


def test_rules_for_overload_are_not_replayed_on_cores():
    policy = overloaded(cores([1], row((0, 0))), Overload(shed_from=3))
    with pytest.raises(TailcError, match="on cores of their own cannot be refused"):
        CoreTypes("x", (policy,)).engine(1000, 64)


def blocking(servers: int, most: int, offered: float) -> float:
    """Of M/M/c/K: offered**n / n! up to c in the system, then a geometric row up to K."""
    terms = [offered**n / math.factorial(min(n, servers)) / servers ** max(n - servers, 0)
             for n in range(most + 1)]  # fmt: skip
    return terms[-1] / sum(terms)


@pytest.mark.parametrize(("servers", "most", "offered"), [(3, 3, 4.0), (3, 9, 3.6), (1, 4, 0.8)])
def test_a_server_that_sheds_blocks_as_the_formula_of_finite_queues_says(servers, most, offered):
    rng = np.random.default_rng(7)
    count, mean_ms = 100_000, 10.0
    load = Workload(
        np.maximum((rng.exponential(mean_ms, count) * MS).astype(np.int64), 1),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.ones((1, 1)),
    )
    arrival_ns = np.cumsum(rng.exponential(mean_ms / offered, count) * MS).astype(np.int64)
    policy = overloaded(ladder(at_once((0, 0)), cores=servers, rungs=1), Overload(shed_from=most))
    engine = SharedCores("x", (policy,)).engine(1, 64)
    outcome = engine.replay(load, np.arange(count), arrival_ns, 0)
    found = outcome.is_refused.reshape(100, -1).mean(axis=1)
    error = found.std(ddof=1) / math.sqrt(len(found))
    # four standard errors, of batches of a thousand requests
    assert abs(found.mean() - blocking(servers, most, offered)) < 4 * error
    assert error < 0.01


def test_requests_that_are_all_refused_take_nothing_in_the_mean():
    policy = overloaded(ladder(at_once((0, 0)), cores=1), Overload(shed_from=1))
    outcome = dataclasses.replace(run(policy, [0, 1, 2], [99, 10, 10]), measured_from=1)
    assert (outcome.mean_thread_ns, outcome.tail_ns(990_000)) == (0, 0)
