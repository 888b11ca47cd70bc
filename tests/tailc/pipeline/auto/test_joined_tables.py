"""Tables that combine the rows of two, and which of them are tried when no table is safe."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np

from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.shared_cores.baselines.fixed_degree import fixed_rung
from tailc.models.workload import Workload
from tailc.pipeline.auto.best import Choice, fallbacks
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.joined_tables import join_tables, joined_at_loads, joined_by_rate
from tailc.pipeline.auto.stable import leanest_variants
from tailc.tuning.operating_point import operating_points
from tailc.tuning.tuning_problem import ladder_subject
from tailc.tuning.tuning_sample import Measurements, tuning_sample
from tests.tailc.models.shared_cores.servers import at_once, ladder

LOW = ladder(
    at_once((0, 3), first=1, last=2),
    at_once((0, 1), (20, 3), first=3, last=6),
    at_once((0, 0), first=7),
    cores=4,
)

SPEEDUPS = np.array([[1.0, 1.5, 1.8, 2.0]])


def decision(table, load):
    (row,) = (r for r in table.rows if r.first_load <= load <= (r.last_load or load))
    return row.admission, row.climbs


def test_each_load_has_the_decision_of_its_table():
    high = fixed_rung(LOW, 1)
    for last_load in range(1, 10):
        table = join_tables(LOW, high, last_load)
        for load in range(1, 12):
            assert decision(table, load) == decision(LOW if load <= last_load else high, load)


def test_rules_and_rungs_are_those_of_the_first():
    table = join_tables(LOW, fixed_rung(LOW, 1), 4)
    assert (table.rules, table.rungs) == (LOW.rules, LOW.rungs)


def test_tables_are_joined_at_loads_around_the_number_of_cores():
    tables = list(joined_at_loads(LOW, fixed_rung(LOW, 1), 4))
    assert [table.rows[-1].first_load - 1 for table in tables] == [1, 2, 3, 4, 5]


def test_with_effort_quick_only_the_best_at_some_rate_are_joined():
    one, two, four = (fixed_rung(LOW, rung) for rung in (0, 1, 3))
    tails = np.array([[[30], [20]], [[25], [21]], [[10], [90]]])
    found = SimpleNamespace(
        screening=SimpleNamespace(measure=lambda _tables: Measurements(tails, None)),
        objective=TuningObjective(900_000, (20_000, 320_000), (1, 1), 1),
    )
    assert Choice._best_by_rate(found, [one, two, four]) == [one, four]
    assert [effort for effort in Effort if not effort.budget.joins_all] == [Effort.QUICK]


def test_the_best_table_at_a_low_rate_comes_before_the_best_at_a_high_rate():
    """Constant demand of 10 ms on 4 cores: four threads win when idle, one thread when busy."""
    workload = Workload(
        np.full(100, 10_000_000), np.ones(100, np.int64), np.zeros(100, np.int32), SPEEDUPS
    )
    objective = TuningObjective(900_000, (20_000, 320_000), (1, 1), 1)
    four, one = fixed_rung(LOW, 3), fixed_rung(LOW, 0)
    with ThreadPoolExecutor(1) as workers:
        sample = tuning_sample(
            operating_points(workload, objective),
            900_000,
            4,
            requests=2_000,
            repeats=2,
            seed=1,
            workers=workers,
            subject_of=ladder_subject,
        )
        tables = list(joined_by_rate([one, four], sample, objective, 4))
    assert tables == list(joined_at_loads(four, one, 4))


def test_fallbacks_climb_less_or_join_each_baseline_at_high_and_at_low_loads():
    baselines = [fixed_rung(LOW, 1), fixed_rung(LOW, 2)]
    leaner = list(leanest_variants(LOW, 4))
    found = list(fallbacks(LOW, baselines, 4, lambda tables: tables[2]))
    assert found[: len(leaner)] == leaner
    pairs = [pair for one in baselines for pair in ((LOW, one), (one, LOW))]
    for table, (low, high) in zip(found[len(leaner) :], pairs, strict=True):
        assert decision(table, 3) == decision(low, 3)
        assert decision(table, 4) == decision(high, 4)
        assert decision(table, 1_000) == decision(LOW, 1_000)
