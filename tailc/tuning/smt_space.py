"""Search spaces of tables for SMT cores: the age at which batch work leaves, by load.

A point has a number whose integer part selects how ages count, and for some loads the age from
which a request has its core alone, as in `core_types_space`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lanes import ALONE, SHARED
from tailc.forms.ladder.table import Climb, Guard, Ladder, LoadAxis, Row, Rule
from tailc.percentiles import PPM
from tailc.tuning.age_interpolation import loads_at
from tailc.tuning.core_types_space import CoreTypesSpace

# Since the arrival, the start, or when the core last was free.
CLOCKS = ((Rule.AGE_FROM_ARRIVAL,), (), (Rule.BUSY_PERIOD_AGE,))
_CLOCK_RULES = {Rule.AGE_FROM_ARRIVAL, Rule.BUSY_PERIOD_AGE}
_OTHERS = {*_CLOCK_RULES, Rule.WAITED_START_LAST}
# Far less than a clock: a search leaves its clock where another is as good as surely better.
_CLOCK_SPREAD = 0.25
_LINE_CORES = (1.0, 3.0)
_KNOTS_CORES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
# Ages at one request a core and at three, in targets: those of a start that is not the formula's.
_FALLING = (0.8, 0.2)
STARTS = 2 * len(CLOCKS)


@dataclass(frozen=True, eq=False)
class SmtSpace:
    """The parameter space of ladders on SMT cores: that of `ages`, and how ages count.

    release_us: time that batch work takes to leave a core.
    """

    ages: CoreTypesSpace
    release_us: int

    def table(self, point: NDArray[np.float64]) -> Ladder:
        """Make the ladder that a point of the parameter space describes."""
        clock = min(max(int(point[0]), 0), len(CLOCKS) - 1)
        table = later(self.ages.table(point[1:]), self.release_us)
        rules = {*table.rules, *CLOCKS[clock]}
        return replace(table, rules=tuple(sorted(rules, key=lambda rule: rule.value)))

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Initial points of a search for climb ages on SMT cores.

        For each way to count ages they are the formula's ages, and ages that fall with load.
        """
        formula, *_ = self.ages.starts()
        for clock in range(len(CLOCKS)):
            for ages in (np.minimum(formula, 1.0), _FALLING):
                yield np.array([clock + 0.5, *ages])

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:
        """Standard deviation of each parameter in the first generation of a search.

        See `SearchSpace.spread` for the arguments.
        """
        ages = self.ages.spread(age, load, narrower)
        return np.array([narrower * _CLOCK_SPREAD, *ages])

    def finer(self) -> SmtSpace:
        """The same parameter space with more parameters: ages are piecewise linear in the load."""
        knots = loads_at(_KNOTS_CORES, self.ages.cores)
        return replace(self, ages=replace(self.ages, knots=knots))

    def refine(self, point: NDArray[np.float64], fine: SmtSpace) -> NDArray[np.float64]:
        """Convert a point of this space to the finer space `fine`; its table stays the same.

        Up to rounding.
        """
        return np.array([point[0], *self.ages.refine(point[1:], fine.ages)])

    def next_to(self, table: Ladder) -> NDArray[np.float64]:
        """The point whose table is nearest to `table`, with ages counted in the same way."""
        own = tuple(rule for rule in table.rules if rule in _CLOCK_RULES)
        return np.array([CLOCKS.index(own) + 0.5, *self.ages.next_to(table)])


def smt_space(base: Ladder, target_us: int, cores: int, release_us: int) -> SmtSpace:
    """The coarse parameter space, in which the age is a linear function of load."""
    knots = loads_at(_LINE_CORES, cores)
    return SmtSpace(CoreTypesSpace(_by_in_system(base), target_us, cores, knots), release_us)


def _by_in_system(base: Ladder) -> Ladder:
    """The base without its clock; of rows by rate the last, whose ages are the least."""
    rules = tuple(rule for rule in base.rules if rule not in _OTHERS)
    if base.load_axis is LoadAxis.IN_SYSTEM:
        return replace(base, rules=rules)
    row = Row(1, None, base.rows[-1].admission, base.rows[-1].climbs)
    guard = Guard(1, 1)
    return replace(base, rules=rules, load_axis=LoadAxis.IN_SYSTEM, rows=(row,), guard=guard)


def later(table: Ladder, release_us: int) -> Ladder:
    """Raise the ages up to which requests share their core to at least `release_us`.

    This is the time that batch work takes to leave a core.
    """

    def row(each: Row) -> Row:
        ages = [climb.age_us for climb in each.climbs if climb.rung == ALONE]
        if not ages or ages[0] >= release_us:
            return each
        return replace(each, climbs=(Climb(0, SHARED), Climb(release_us, ALONE)))

    return replace(table, rows=tuple(map(row, table.rows)))


def sooner_alone(table: Ladder, part_ppm: int, release_us: int) -> Ladder:
    """Scale the ages at which requests stop sharing their core with batch work.

    part_ppm: the factor [1e-6]. release_us: time that batch work takes to leave, which ages
    respect.
    """

    def row(each: Row) -> Row:
        ages = {climb.age_us * part_ppm // PPM: climb.rung for climb in each.climbs}
        return replace(each, climbs=tuple(Climb(age, rung) for age, rung in ages.items()))

    return later(replace(table, rows=tuple(map(row, table.rows))), release_us)
