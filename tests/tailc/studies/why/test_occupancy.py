"""Who passes a row: by hand, and what rows have together is what the engine counted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.experiment.sizes import CELL
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.table import ON_EXIT, Admission, Climb, Row, Rule
from tailc.models.arrivals import Poisson
from tailc.models.shared_cores.model import SharedCores
from tailc.models.subjects import on_ladders
from tailc.studies.why.measurement import ReplayCase, measure
from tailc.studies.why.occupancy import held_resources, replay_counts, total_occupancy
from tests.tailc.models.shared_cores.servers import overloaded
from tests.tailc.tuning import core_case
from tests.tailc.tuning.case import MS, exponential, ladder

NS_PER_MS = 1_000_000
# Two threads from 10 ms when alone, from 20 ms else; three a little later.
TABLE = ladder((10 * MS, 30 * MS), (20 * MS, 40 * MS))


def with_rules(table, *more, without=()):
    rules = {*table.rules, *more} - {*without}
    return replace(table, rules=tuple(sorted(rules, key=lambda rule: rule.value)))


def by_hand(table, arrivals_ms, works_ms):
    """A replay of these requests in which nothing is warming up."""
    load = exponential(len(works_ms), 1.0)
    load = replace(load, work_ns=np.array(works_ms, np.int64) * NS_PER_MS)
    arrival_ns = np.array(arrivals_ms, np.int64) * NS_PER_MS
    engine = SharedCores("by hand", (table,)).engine(1_000, 100)
    outcome = engine.replay(load, np.arange(len(works_ms)), arrival_ns)
    return outcome, held_resources(table, 1_000, 100)


def replayed(table, load, rate_mrps):
    """The first replay of an experiment, and what requests hold."""
    scenario = Scenario(load, Poisson(rate_mrps), 3_000, 500, 1)
    with ThreadPoolExecutor(1) as workers:
        outcomes = Experiment(scenario, 1, 0, workers).outcomes(on_ladders("table", (table,)))
        ((_, outcome),) = outcomes
    return outcome, held_resources(table, rate_mrps, 500)


def test_two_requests_by_hand():
    """The first is alone for 12 ms, then both run until the second exits at 18 ms.

    The first has two threads from its tick at 10 ms, and three from that at 30 ms. By then it has
    done 10 + 1.8 * 20 of its 80 ms of work, and does the other 34 at speed 2.4.
    """
    outcome, lowered = by_hand(TABLE, [0, 12], [80, 6])
    alone = replay_counts(outcome, lowered, (0, 1), 15 * NS_PER_MS)
    both = replay_counts(outcome, lowered, (2, None), 15 * NS_PER_MS)
    assert (alone.requests, alone.passing, both.passing) == (2, 1, 2)
    # At 15 ms of age the first is with the second, which never gets as old.
    assert (alone.turning, both.turning) == (0, 1)
    after = 2 * 12 + 3 * 34 / 2.4
    assert alone.row_held_ns == pytest.approx((10 + 2 * 2 + after) * NS_PER_MS)
    assert both.row_held_ns == pytest.approx((2 * 6 + 6) * NS_PER_MS)
    assert both.older_held_ns == pytest.approx(2 * 3 * NS_PER_MS)
    assert alone.older_held_ns == pytest.approx(after * NS_PER_MS)


def test_a_row_that_cannot_occur_has_no_share():
    outcome, lowered = by_hand(TABLE, [0, 12], [80, 6])
    none = total_occupancy([replay_counts(outcome, lowered, (3, 3), 0)])
    assert vars(none) == dict.fromkeys(vars(none), 0)


WAITING = replace(
    TABLE,
    rows=(
        Row(1, 2, Admission.after_delay(3 * MS), (Climb(0, 0), Climb(7 * MS, 2))),
        Row(
            3, 5, Admission.after_delay(9 * MS), (Climb(0, 0), Climb(12 * MS, 1), Climb(33 * MS, 2))
        ),
        Row(6, None, ON_EXIT, (Climb(0, 0), Climb(60 * MS, 2))),
    ),
)


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        WAITING,
        with_rules(WAITING, Rule.AGE_FROM_ARRIVAL),
        with_rules(WAITING, without=(Rule.REREAD_ROW,)),
        replace(TABLE, rows=(Row(1, None, Admission.after_delay(1), (Climb(0, 1),)),)),
        overloaded(TABLE, Overload(shed_from=3)),
        overloaded(with_rules(WAITING, Rule.AGE_FROM_ARRIVAL), Overload(cut_off_us=8 * MS)),
    ],
    ids=[
        *("table", "waiting", "from arrival", "row of the start", "starts on two threads"),
        *("refuses", "cuts off"),
    ],
)
def test_the_rows_share_out_the_thread_time_that_the_engine_counted(table):
    outcome, lowered = replayed(table, exponential(2_000, 30.0), 85_000)
    most = 12
    parts = [replay_counts(outcome, lowered, (load, load), 0) for load in range(most)]
    parts.append(replay_counts(outcome, lowered, (most, None), 0))
    counted = outcome.thread_ns[outcome.measured].sum()
    assert parts[0].held_ns == pytest.approx(counted, rel=1e-12)
    assert sum(part.row_held_ns for part in parts) == pytest.approx(counted, rel=1e-12)
    # At age 0 from the start all turn it in just one row.
    if Rule.AGE_FROM_ARRIVAL not in table.rules:
        ran = np.count_nonzero(outcome.thread_ns[outcome.measured])
        assert sum(part.turning for part in parts) == ran


def test_on_cores_of_their_own_the_rows_share_out_the_time_that_cores_were_held():
    table = core_case.clocked(60 * MS, 20 * MS, 5 * MS, cores=2)
    outcome, lowered = replayed(table, core_case.exponential(2_000, 30.0), 50_000)
    loads = ((0, 1), (2, 2), (3, None))
    parts = [replay_counts(outcome, lowered, each, 30 * NS_PER_MS) for each in loads]
    counted = outcome.thread_ns[outcome.measured].sum()
    assert sum(part.row_held_ns for part in parts) == pytest.approx(counted, rel=1e-12)
    # Each turns 30 ms of age in one row, if it runs then.
    began_ns, latency_ns = outcome.wait_ns[outcome.measured], outcome.latencies_ns
    turned = (began_ns <= 30 * NS_PER_MS) & (latency_ns > 30 * NS_PER_MS)
    assert sum(part.turning for part in parts) == np.count_nonzero(turned) > 0


def test_a_case_stretches_times_of_arrival():
    scenario = Scenario(exponential(500, 30.0), Poisson(1_000), 1_000, 500, 1)
    with ThreadPoolExecutor(1) as workers:
        experiment = Experiment(scenario, CELL.repeats, 0, workers)
        subject = on_ladders("table", (TABLE,))
        same, often = (
            measure(ReplayCase(subject, one), 950_000)
            for one in (experiment, experiment.with_gaps(0.5))
        )
    assert often.used_ppm.mean() == pytest.approx(2 * same.used_ppm.mean(), rel=0.05)
