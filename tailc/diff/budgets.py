"""Whether a new policy keeps within what it may be worse by, on paired replays of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tailc.diff.behaviour import Behaviour, Point, Quantity
from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.percentiles import PPM
from tailc.specs.budgets import percentile_ppm
from tailc.units import format_percentile

# What a budget is of, as quantities of a comparison are called.
_CALLED = {"mean": "mean latency", "energy": "mean energy", "batch": "batch work given up"}
_EXIT_CODES = {
    Ruling.PASS: ExitCode.OK,
    Ruling.UNDECIDED: ExitCode.UNDECIDED,
    Ruling.FAIL: ExitCode.MISSED,
}


@dataclass(frozen=True)
class Kept:
    """Whether a budget is kept under one arrival process.

    change_ppm: by how much more than under the old policy; low_ppm, high_ppm: its 95 % interval,
    rounded outwards. None where a server is overloaded, or requests are too few.
    """

    key: str
    most_ppm: int
    arrivals: str
    change_ppm: int | None
    low_ppm: int | None
    high_ppm: int | None
    ruling: Ruling


@dataclass(frozen=True)
class Budgeted:
    """Every budget under every arrival process, and those of quantities that were not compared."""

    kept: tuple[Kept, ...]
    unmeasured: tuple[str, ...]
    measured: tuple[str, ...]

    @property
    def ruling(self) -> Ruling:
        """Fail where a budget is exceeded, else undecided where one cannot be decided."""
        rulings = {one.ruling for one in self.kept}
        worst = (Ruling.FAIL, Ruling.UNDECIDED)
        return next((one for one in worst if one in rulings), Ruling.PASS)

    @property
    def exit_code(self) -> ExitCode:
        """What the process says: 0 all kept, 1 one is exceeded, 4 undecided."""
        return _EXIT_CODES[self.ruling]


def budgeted(budgets: Mapping[str, int], became: Behaviour | None) -> Budgeted:
    """The budgets [ppm by key of a spec] against a comparison; None where both do the same.

    A budget is kept where the whole interval of the change is within it, exceeded where none is.
    """
    if became is None:
        return Budgeted((), (), ())
    names = dict.fromkeys(one.name for point in became.points for one in point.quantities)
    unmeasured = tuple(key for key in budgets if _called(key) not in names)
    kept = tuple(
        _kept(key, most_ppm, point)
        for key, most_ppm in budgets.items()
        if key not in unmeasured
        for point in became.points
    )
    return Budgeted(kept, unmeasured, tuple(names))


def _called(key: str) -> str:
    ppm = percentile_ppm(key)
    return _CALLED.get(key, key) if ppm is None else format_percentile(ppm)


def _kept(key: str, most_ppm: int, point: Point) -> Kept:
    found = next((one for one in point.quantities if one.name == _called(key)), None)
    if point.new_is_overloaded or point.old_is_overloaded or found is None:
        worsened = point.new_is_overloaded and not point.old_is_overloaded
        ruling = Ruling.FAIL if worsened else Ruling.UNDECIDED
        return Kept(key, most_ppm, point.arrivals, None, None, None, ruling)
    return _of_change(key, most_ppm, point.arrivals, found)


def _of_change(key: str, most_ppm: int, arrivals: str, quantity: Quantity) -> Kept:
    change = quantity.change
    old = max(change.old, 1)
    by_ppm = round(PPM * change.difference / old)
    if change.low is None or change.high is None:
        return Kept(key, most_ppm, arrivals, by_ppm, None, None, Ruling.UNDECIDED)
    low_ppm, high_ppm = math.floor(PPM * change.low / old), math.ceil(PPM * change.high / old)
    ruling = Ruling.UNDECIDED
    if high_ppm <= most_ppm:
        ruling = Ruling.PASS
    elif low_ppm > most_ppm:
        ruling = Ruling.FAIL
    return Kept(key, most_ppm, arrivals, by_ppm, low_ppm, high_ppm, ruling)
