"""Search spaces of tables on shared cores, from a few parameters to the whole table.

A point has these parameters. For each rung above the first, the age of its climb at some loads
(*knots*), with linear interpolation and extrapolation. Before these, if rows have delays, the delay
at these loads. Then the load from which requests wait for an exit, or, with the rule start-below,
the number of threads below which they start. Then, if the ladder boosts, the limit on boosted
threads; and, if requests may give up, the age of giving up. Ages below 0 are 0: the request starts
on that rung. Ages increase with the load. A rung is left out if its age is above that of a higher
rung, or if it uses less of the shared resource than a rung before it: with several core types, a
faster rung may have fewer threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.tuning_objective import OptionalRule
from tailc.forms.ladder.sharing import NO_SHARING, Sharing
from tailc.forms.ladder.table import (
    ON_EXIT,
    Admission,
    Boost,
    Climb,
    Guard,
    Ladder,
    Row,
    Rule,
    collapse,
)
from tailc.models.pools import Pools, least_of, pools
from tailc.tuning.age_interpolation import between, climbs_of, delays_at, formula_ages, loads_at

# Ages are multiples of a power of ten; at least this number of them make the tail latency.
_STEPS_IN_TAIL = 200
# Ages from this multiple of the tail latency on mean that a request never climbs.
_NEVER_TAILS = 8
# Largest load with its own row, in cores.
_LAST_LOAD_CORES = 2.5
_MOST_ROWS = 1_000
_KNOTS_CORES = (0.13, 0.27, 0.4, 0.53, 0.67, 0.8, 1.0, 1.27, 1.6, 2.13)
_LINE_CORES = (1 / 3, 1.0)
# Searches begin with the formula's ages, where requests wait for an exit from these loads on, in
# cores; and with all requests on one rung, up to `_CROWDED` times the load that fills the cores.
# `_LATE`: ages of the rungs above it, in tails, at little load and at one request per core.
_EXITS = (2.5, 1.0, 0.6)
_CROWDED = 1.2
_LATE = (0.25, 0.9)
_FIRST_RUNGS = 3
# Where rows come to have delays, requests start at once at first.
_NO_DELAY = -0.1
# First limit of boosted threads, in cores.
_BOOST = 1.5
# First age at which a request gives up, in tails of the formula's table.
_GIVE_UP = 1.0
_ADMISSION_SPREAD, _BOOST_SPREAD, _GIVE_UP_SPREAD = 0.2, 0.5, 0.15
MOST_STARTS = len(_EXITS) + _FIRST_RUNGS


@dataclass(frozen=True, eq=False)
class SharedCoresSpace:
    """The parameter space of ladders with the rungs and rules of `base`, on shared cores.

    Ages are relative to `tail_us`. knots: float64 (knots,), loads, ascending. cores: number of
    requests that can run at once, each on the rung that uses least of the shared resource.
    may_wait: whether a request may wait. optional_rules: rules of tables in addition to those of
    `base`. has_delays: whether a row may have a delay.
    """

    base: Ladder
    tail_us: int
    cores: int
    knots: NDArray[np.float64]
    may_wait: bool = True
    optional_rules: tuple[OptionalRule, ...] = ()
    has_delays: bool = False

    @cached_property
    def pools(self) -> Pools:
        """The shared resource, and the amount that each rung uses."""
        return pools(self.base)

    @cached_property
    def takes_ppm(self) -> list[int]:
        """Amount of the shared resource that each rung uses."""
        return self.pools.cost_ppm.tolist()

    @property
    def boost_use(self) -> tuple[int, int]:
        """The smallest use of the boosted resource by a rung, and how many requests there can be.

        They are the requests of that use that the resource has room for.
        """
        return least_of(self.pools, self.pools.boost_pool)

    @property
    def start_use(self) -> tuple[int, int]:
        """The cost unit on whose use starts may depend, and how much of it the first rung uses."""
        unit = self.pools.cost_unit[self.pools.pool_of[0]]
        assert unit is not None
        return unit, int(self.pools.cost_ppm[0])

    @property
    def step_us(self) -> int:
        """Grid step of ages [us]: 1 ms for tails of 200 ms to 2 s."""
        steps = max(self.tail_us // _STEPS_IN_TAIL, 1)
        return 10 ** (len(str(steps)) - 1)

    @property
    def starts_by_use(self) -> bool:
        """Whether a request starts as soon as use of the shared resource is below a limit."""
        return OptionalRule.START_BELOW in self.optional_rules

    @property
    def starts_by_row(self) -> bool:
        """Whether each row of the table decides if an arriving request waits, and for how long."""
        return self.may_wait and not self.starts_by_use

    @property
    def aged_rungs(self) -> int:
        """Number of rungs whose ages are parameters: all, or without delays all above the first."""
        return len(self.base.rungs) - (0 if self.has_delays else 1)

    @property
    def last_load(self) -> int:
        """The largest number of requests in the system for which a table has its own row."""
        return max(self.base.rows[-1].first_load, round(_LAST_LOAD_CORES * self.cores))

    def point(
        self,
        ages: NDArray[np.float64],
        admission: float,
        boost: float,
        give_up: float = _GIVE_UP,
    ) -> NDArray[np.float64]:
        """Make a point from climb ages relative to the tail, (aged rungs, knots), and limits.

        admission: load from which requests wait; boost: limit of boosted threads; both in cores.
        give_up: age of giving up, relative to the tail.
        """
        others = [admission, *([boost] if self.base.boost else [])]
        others += [give_up] if OptionalRule.GIVE_UP in self.optional_rules else []
        return np.concatenate([ages.ravel(), others])

    def ages_of(self, point: NDArray[np.float64], loads: NDArray[np.float64]) -> NDArray:
        """The climb ages of a point at some loads, relative to the tail; (aged rungs, loads).

        They are not yet made to ascend with the rung.
        """
        at_knots = point[: self.aged_rungs * len(self.knots)].reshape(self.aged_rungs, -1)
        return between(at_knots, self.knots, loads)

    def others_of(self, point: NDArray[np.float64]) -> tuple[float, float, float]:
        """Parameters of a point other than climb ages, which a search of tables varies.

        They are: the load from which requests wait [cores], the boost limit [cores], and the
        give-up age [in units of the tail].
        """
        admission, *others = point[self.aged_rungs * len(self.knots) :].tolist()
        boost = others.pop(0) if self.base.boost else 0.0
        return admission, boost, others[0] if others else _GIVE_UP

    def table(self, point: NDArray[np.float64]) -> Ladder:
        """Make the ladder that a point of the parameter space describes."""
        admission, boost, give_up = self.others_of(point)
        # On a very large server a row holds for several loads.
        step = -(-self.last_load // _MOST_ROWS)
        loads = np.arange(1, self.last_load + 1, step)
        ages_us = self._on_grid(_growing(self.ages_of(point, loads.astype(np.float64))))
        delays_us, climbs_us = self._delays_and_ages(ages_us)
        waits_from = round(admission * self.cores) if self.starts_by_row else self.last_load
        by_load = zip(loads.tolist(), delays_us.tolist(), climbs_us.T.tolist(), strict=True)
        rows = [
            Row(load, load + step - 1, self._admission(load, waits_from, delay), self._climbs(ages))
            for load, delay, ages in by_load
        ]
        return replace(
            self.base,
            rows=collapse(rows),
            guard=Guard(1, self.last_load),
            boost=self._boost(boost),
            rules=self._rules(),
            sharing=self._sharing(admission, give_up),
        )

    def starts(self) -> Iterator[NDArray[np.float64]]:
        """Initial points of a search for climb ages.

        They are the formula's ages, and each rung from the start with one late climb.
        """
        formula = formula_ages(self.base, self.knots, self.tail_us)
        for part in _EXITS if self.may_wait or self.starts_by_use else _EXITS[:1]:
            yield self.point(formula, part, _BOOST)
        rungs = len(self.base.rungs)
        for first in sorted({round(part) for part in np.linspace(0, rungs - 2, _FIRST_RUNGS)}):
            yield self.point(_ages_from(first, rungs), self._cores_taken(first), _BOOST)

    def _cores_taken(self, rung: int) -> float:
        """Cores that requests of one rung take, somewhat more than there are."""
        if self.starts_by_use:
            return _CROWDED
        room_ppm = self.pools.capacity_ppm[self.pools.pool_of[rung]]
        return _CROWDED * float(room_ppm) / self.takes_ppm[rung] / self.cores

    def spread(self, age: float, load: float, narrower: float) -> NDArray[np.float64]:
        """Standard deviation of each parameter in the first generation of a search.

        See `SearchSpace.spread` for the arguments.
        """
        ages = age + load * self.knots / self.cores
        others = _ADMISSION_SPREAD, _BOOST_SPREAD, _GIVE_UP_SPREAD
        ages = np.tile(ages, (self.aged_rungs, 1))
        return self.point(ages, *(narrower * spread for spread in others))

    def finer(self) -> SharedCoresSpace:
        """The same parameter space with more parameters.

        Ages and delays are piecewise linear in the load.
        """
        knots = loads_at(_KNOTS_CORES, self.cores)
        return replace(self, knots=knots, has_delays=self.starts_by_row)

    def refine(self, point: NDArray[np.float64], fine: SharedCoresSpace) -> NDArray[np.float64]:
        """Convert a point of this space to the finer space `fine`; its table stays the same.

        Up to rounding.
        """
        ages = self.ages_of(point, fine.knots)
        if fine.aged_rungs > self.aged_rungs:
            ages = np.vstack([np.full(len(fine.knots), _NO_DELAY), ages])
        return fine.point(ages, *self.others_of(point))

    def next_to(self, table: Ladder) -> NDArray[np.float64]:
        """The point whose table is nearest to `table`, which has the rungs of this family."""
        ages = formula_ages(table, self.knots, self.tail_us, 2.0 * _NEVER_TAILS)
        if self.has_delays:
            ages = np.vstack([delays_at(table, self.knots, self.tail_us), ages])
        waits = (row.first_load - 1 for row in table.rows if row.admission == ON_EXIT)
        admission = next(waits, self.last_load) / self.cores
        each_ppm, times = self.boost_use
        boost = 0.0 if table.boost is None else table.boost.below_ppm / each_ppm / times
        sharing = table.sharing or NO_SHARING
        if sharing.start_below_ppm is not None:
            _, each_ppm = self.start_use
            admission = sharing.start_below_ppm / each_ppm / self.cores
        give_up = _GIVE_UP if sharing.give_up_us is None else sharing.give_up_us / self.tail_us
        return self.point(ages, admission, boost, give_up)

    def _on_grid(self, ages: NDArray[np.float64]) -> NDArray[np.int64]:
        """From tails to us."""
        return np.rint(ages * self.tail_us / self.step_us).astype(np.int64) * self.step_us

    def _delays_and_ages(
        self, ages_us: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Delays, and ages of climbs; a climb to a later rung never has a lower age."""
        delays_us = ages_us[0] if self.has_delays else np.zeros(ages_us.shape[1], np.int64)
        climbs_us = ages_us[1:] if self.has_delays else ages_us
        return delays_us, np.minimum.accumulate(climbs_us[::-1], axis=0)[::-1]

    def _admission(self, load: int, waits_from: int, delay_us: int) -> Admission:
        never = delay_us >= _NEVER_TAILS * self.tail_us
        return ON_EXIT if never or load > max(waits_from, 1) else Admission.after_delay(delay_us)

    def _climbs(self, ages_us: list[int]) -> tuple[Climb, ...]:
        climbs = climbs_of(ages_us, _NEVER_TAILS * self.tail_us)
        return _taking_no_less(climbs, self.takes_ppm)

    def _boost(self, part: float) -> Boost | None:
        held, (each_ppm, times) = self.base.boost, self.boost_use
        return held and Boost(held.unit, max(round(part * times), 1) * each_ppm)

    def _rules(self) -> tuple[Rule, ...]:
        kept = set(self.base.rules) | {_RULES[one] for one in self.optional_rules if one in _RULES}
        if OptionalRule.MAY_DESCEND in self.optional_rules:
            kept.discard(Rule.NEVER_DESCEND)
        return tuple(sorted(kept, key=lambda rule: rule.value))

    def _sharing(self, admission: float, give_up: float) -> Sharing | None:
        """What the rules for it need, on the grid."""
        unit, each_ppm = self.start_use
        below_ppm = max(round(admission * self.cores), 1) * each_ppm
        give_up_us = max(round(give_up * self.tail_us / self.step_us), 1) * self.step_us
        starts = (unit, below_ppm) if self.starts_by_use else (None, None)
        sharing = Sharing(
            *starts, give_up_us if OptionalRule.GIVE_UP in self.optional_rules else None
        )
        return None if sharing == NO_SHARING else sharing


_RULES = {OptionalRule.START_BELOW: Rule.START_BELOW, OptionalRule.GIVE_UP: Rule.GIVE_UP}


def shared_cores_space(
    base: Ladder,
    tail_us: int,
    cores: int,
    *,
    may_wait: bool = True,
    optional_rules: tuple[OptionalRule, ...] = (),
) -> SharedCoresSpace:
    """The coarse parameter space, in which each rung's age is a linear function of load."""
    knots = loads_at(_LINE_CORES, cores)
    return SharedCoresSpace(base, tail_us, cores, knots, may_wait, optional_rules)


def _growing(ages: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 0; more load never means to start or climb earlier."""
    return np.maximum.accumulate(np.maximum(ages, 0.0), axis=1)


def _taking_no_less(climbs: Sequence[Climb], takes_ppm: Sequence[int]) -> tuple[Climb, ...]:
    """The climbs to rungs that use at least as much as all before: no climb reduces threads."""
    kept, most_ppm = [], 0
    for climb in climbs:
        if takes_ppm[climb.rung] >= most_ppm:
            kept.append(climb)
            most_ppm = takes_ppm[climb.rung]
    return tuple(kept)


def _ages_from(first: int, rungs: int) -> NDArray[np.float64]:
    """At both knots of a line: on a rung from the start, and late on all above it."""
    later = np.clip((np.arange(1, rungs) - first) / (rungs - 1 - first), 0.0, 1.0)
    return np.stack([_LATE[0] * later**2, np.where(later > 0, _LATE[1], 0.0)], axis=1)
