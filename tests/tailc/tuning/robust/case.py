"""Findings on robust tables, by hand."""

from __future__ import annotations

from tailc.experiment.tuning_objective import Criterion, TuningObjective
from tailc.specs.robust import Ambiguity
from tailc.specs.slo import Slo
from tailc.tuning.robust.comparison import (
    MeanChange,
    MeanTail,
    NominalAndWorst,
    RobustComparison,
    RobustRate,
)
from tailc.tuning.robust.radius import Radius
from tailc.tuning.robust.robustness import Robustness, RobustTables
from tailc.tuning.robust.search import RobustTable
from tailc.tuning.tuned_table import TunedTable
from tailc.tuning.validation import ValidatedTable
from tests.tailc.tuning.core_case import clocked

LIMIT_US = 100_000
CASES = ("as measured", "demand +10 %")
SAME = MeanChange(0, 0, 0)


def stand(worst_us: int) -> NominalAndWorst:
    return NominalAndWorst(
        MeanTail(90_000, 89_000, 91_000), MeanTail(worst_us, worst_us, worst_us), 1
    )


def robust(criterion: Criterion, *worst_us: int) -> RobustTables:
    """Not taken; at 1/s, 2/s, ... the tails in the worst case."""
    limit_us = None if criterion is Criterion.TAIL else LIMIT_US
    rates = tuple(range(1_000, 1_000 * len(worst_us) + 1, 1_000))
    kept = {"criterion": criterion, "target_us": limit_us, "limit_us": limit_us}
    aim = TuningObjective(950_000, rates, (1,) * len(rates), 1, **kept)
    stands = [
        RobustRate(rate, stand(us), stand(us), stand(us), SAME, SAME)
        for rate, us in zip(rates, worst_us, strict=True)
    ]
    keeps_tail = criterion is Criterion.TAIL or max(worst_us) <= LIMIT_US
    told = RobustComparison(tuple(stands), is_better=False, keeps_tail=keeps_tail)
    hard = RobustTable(clocked(0), CASES, 2, told, 1, 1)
    plain = TunedTable(
        aim, ValidatedTable(clocked(0), (), is_better=True), 1, 1, True, 600, is_held_out=True
    )
    radius = Radius(Slo(950_000, LIMIT_US), holds=True, reaches=())
    ambiguity = Ambiguity(100_000, 0, 900_000, 0, 0, None, 0)
    return RobustTables(Robustness(ambiguity, radius, 600), plain, hard)
