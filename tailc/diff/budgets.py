"""Check whether a new policy is worse than the old one by no more than the budgets of a spec."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tailc.diff.behaviour import Behaviour, BehaviourPoint, QuantityChange
from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.percentiles import PPM
from tailc.specs.budgets import percentile_ppm
from tailc.units import format_percentile

# Quantities of a comparison for each key of a budget.
_CALLED = {"mean": "mean latency", "energy": "mean energy", "batch": "batch work given up"}
_EXIT_CODES = {
    Ruling.PASS: ExitCode.OK,
    Ruling.UNDECIDED: ExitCode.UNDECIDED,
    Ruling.FAIL: ExitCode.MISSED,
}


@dataclass(frozen=True)
class BudgetRuling:
    """The ruling on one budget of a comparison (a limit of a change) under one arrival process.

    change_ppm: relative increase over the old policy. low_ppm, high_ppm: its 95 % interval, rounded
    outwards. None if a server is overloaded, or there are too few requests.
    """

    key: str
    most_ppm: int
    arrivals: str
    change_ppm: int | None
    low_ppm: int | None
    high_ppm: int | None
    ruling: Ruling


@dataclass(frozen=True)
class BudgetCheck:
    """The rulings on all budgets of a comparison: limits of how much worse a new policy may be.

    measured: quantities that were compared. unmeasured: budgets of quantities that were not.
    """

    rulings: tuple[BudgetRuling, ...]
    unmeasured: tuple[str, ...]
    measured: tuple[str, ...]

    @property
    def ruling(self) -> Ruling:
        """Fail if a budget is exceeded, else undecided if one cannot be decided, else pass."""
        found = {one.ruling for one in self.rulings}
        worst = (Ruling.FAIL, Ruling.UNDECIDED)
        return next((one for one in worst if one in found), Ruling.PASS)

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 if all budgets are kept, 1 if one is not, 4 if undecided."""
        return _EXIT_CODES[self.ruling]


def check_budgets(budgets: Mapping[str, int], change: Behaviour | None) -> BudgetCheck:
    """Check the limits of changes (budgets) that a spec states for a comparison of two policies.

    budgets: limits [1e-6] by key of the spec. change: None if both policies decide alike. A budget
    passes if the whole interval of the change is within it, and is exceeded if none of it is.
    """
    if change is None:
        return BudgetCheck((), (), ())
    names = dict.fromkeys(one.name for point in change.points for one in point.quantities)
    unmeasured = tuple(key for key in budgets if _quantity_name(key) not in names)
    rulings = tuple(
        _rule_on_budget(key, most_ppm, point)
        for key, most_ppm in budgets.items()
        if key not in unmeasured
        for point in change.points
    )
    return BudgetCheck(rulings, unmeasured, tuple(names))


def _quantity_name(key: str) -> str:
    ppm = percentile_ppm(key)
    return _CALLED.get(key, key) if ppm is None else format_percentile(ppm)


def _rule_on_budget(key: str, most_ppm: int, point: BehaviourPoint) -> BudgetRuling:
    found = next((one for one in point.quantities if one.name == _quantity_name(key)), None)
    if point.new_is_overloaded or point.old_is_overloaded or found is None:
        worsened = point.new_is_overloaded and not point.old_is_overloaded
        ruling = Ruling.FAIL if worsened else Ruling.UNDECIDED
        return BudgetRuling(key, most_ppm, point.arrivals, None, None, None, ruling)
    return _rule_on_change(key, most_ppm, point.arrivals, found)


def _rule_on_change(
    key: str, most_ppm: int, arrivals: str, quantity: QuantityChange
) -> BudgetRuling:
    change = quantity.change
    old = max(change.old, 1)
    by_ppm = round(PPM * change.difference / old)
    if change.low is None or change.high is None:
        return BudgetRuling(key, most_ppm, arrivals, by_ppm, None, None, Ruling.UNDECIDED)
    low_ppm, high_ppm = math.floor(PPM * change.low / old), math.ceil(PPM * change.high / old)
    ruling = Ruling.UNDECIDED
    if high_ppm <= most_ppm:
        ruling = Ruling.PASS
    elif low_ppm > most_ppm:
        ruling = Ruling.FAIL
    return BudgetRuling(key, most_ppm, arrivals, by_ppm, low_ppm, high_ppm, ruling)
