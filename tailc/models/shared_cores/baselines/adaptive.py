"""Adaptive (our approximation): choose the rung of a request once, by the load at arrival.

Haque et al., ASPLOS 2015, compare with a scheme of another paper. They say only that it chooses the
degree at the start by the load, and do not give the rule. So results may differ from the published
curves.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from tailc.forms.ladder.table import Ladder
from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.shared_cores.alike import behave_alike
from tailc.models.shared_cores.baselines.fixed_degree import usual_fixed
from tailc.models.shared_cores.baselines.sequential import sequential
from tailc.models.shared_cores.model import SharedCores
from tailc.models.shared_cores.same_server import capacity_of, same_server, stays_on
from tailc.models.workload import Workload


@final
class Adaptive(Baseline[SharedCores]):
    """Baseline: the number of requests in the system at its arrival decides a request's rung."""

    syntax = Syntax("adaptive")
    about = "the rung is chosen at arrival by the load"
    rank = 40

    def examples(self, policy: SharedCores) -> tuple[str, ...]:
        return ("adaptive",)

    def check_fit(self, policy: SharedCores, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: SharedCores, workload: Workload) -> tuple[str, ...]:
        ladder = policy.ladder
        others = [policy.ladders, (sequential(ladder),)]
        others += [(one,) for one in usual_fixed(ladder).values()]
        is_told = any(behave_alike((adaptive(ladder),), other) for other in others)
        return () if is_told or len(ladder.rungs) == 1 else ("adaptive",)

    def make(self, setup: Setup[SharedCores]) -> SharedCores:
        return SharedCores("Adaptive (approximation)", (adaptive(setup.policy.ladder),))


def adaptive(ladder: Ladder) -> Ladder:
    """A ladder that chooses the rung with the least time per unit of work at each load.

    With q requests in the system, itself included, it uses the rung of least max(1, q c / C) / s. c
    is the rung's cost, C the capacity of its pool, s the rung's speed. The criterion is the time
    per unit of work if all q requests ran on that rung. Ties go to the lowest rung.
    """
    rows = [stays_on(_rung(ladder, load), load, load) for load in range(_last_load(ladder) + 1)]
    return same_server(ladder, tuple(rows))


def _rung(ladder: Ladder, load: int) -> int:
    times = [
        max(Fraction(1), load * _demand(ladder, rung)) / ladder.rungs[rung].speed_ppm
        for rung in range(len(ladder.rungs))
    ]
    return times.index(min(times))


def _demand(ladder: Ladder, rung: int) -> Fraction:
    """Share of the capacity of its pool that one request on the rung takes."""
    limited = capacity_of(ladder, rung)
    if limited is None:
        return Fraction(0)
    unit, capacity_ppm = limited
    return Fraction(ladder.rungs[rung].cost_ppm[unit], capacity_ppm)


def _last_load(ladder: Ladder) -> int:
    """A load from which on the choice is constant: every rung with a cost is short of capacity.

    If a rung costs nothing, a higher load at which that rung is the fastest.
    """
    parts = [_demand(ladder, rung) for rung in range(len(ladder.rungs))]
    costly = [part for part in parts if part > 0]
    if not costly:
        return 0
    speeds = [rung.speed_ppm for rung in ladder.rungs]
    spread = Fraction(max(speeds), min(speeds)) if len(costly) < len(parts) else 1
    return int(spread / min(costly)) + 1
