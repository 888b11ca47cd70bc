"""The optimisation problem of all ladder kinds: the best schedule of a request at each load.

    for every load q:   minimise    tail(S)                     (objective TAIL)
                        or          expected cost-time W(S)     (objective COST)
                        over        schedules S = (wait, stays)
                        such that   q * W(S) / (wait + L(S)) <= budget
                        and         tail(S) <= target           (objective COST)

with L the mean execution time and W the mean of cost rate integrated over the execution. If
requests share several supplies, such as cores of each type, each is a limit like the budget. The
kinds build the problem; only the pipeline chooses the solver.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.percentiles import percentile_rank
from tailc.problems.interval_grid import IntervalGrid
from tailc.traces.profile import DemandProfile


class LadderObjective(enum.Enum):
    """Quantity that a ladder problem minimises: the tail, or the cost of a request."""

    TAIL = "tail"
    COST = "cost"


class Method(enum.Enum):
    """Method by which a ladder problem is solved: search on a grid of stays, or duality."""

    GRID = "grid"
    DUAL = "dual"


@dataclass(frozen=True)
class SupplyLimit:
    """A limited resource: its use by each rung, and the limit of the mean use, in millionths.

    `name` is for people, as in `20 slow cores`.
    """

    name: str
    use_ppm: tuple[int, ...]
    budget_ppm: int


@dataclass(frozen=True, eq=False)
class LadderProblem:
    """The problem of the best schedule of a request for each load in `loads`.

    Rung i is degree i + 1 of the profile's speed-up curves.

    Attributes:
        profile: demands and speed-up curves.
        cost_ppm: cost of each rung, in millionths per ms.
        budget_ppm: limit of the mean total cost of q requests [1e-6].
        percentile_ppm, target_us: the tail, and its limit with the objective COST.
        max_evaluations, grid: for the grid method only.
        may_miss: whether loads that cannot meet the target have no schedule; otherwise one such
            load is an error.
        supplies: further limits, within the budget; then no climb reduces threads.
        threads: number of threads of each rung, if there are `supplies`.
        tolerance_ppm: allowed loss for schedules that change little with load.
    """

    profile: DemandProfile
    cost_ppm: tuple[int, ...]
    loads: tuple[int, ...]
    budget_ppm: int
    percentile_ppm: int
    objective: LadderObjective
    target_us: int | None
    method: Method
    grid: IntervalGrid | None = None
    max_evaluations: int | None = None
    may_miss: bool = False
    supplies: tuple[SupplyLimit, ...] = ()
    threads: tuple[int, ...] = ()
    tolerance_ppm: int = 0

    def __post_init__(self) -> None:
        assert len(self.cost_ppm) == self.profile.degrees
        assert self.loads
        assert (self.objective is LadderObjective.COST) == (self.target_us is not None)
        assert self.method is Method.DUAL or self.grid is not None
        assert not self.supplies or not self.tolerance_ppm
        assert not self.supplies or len(self.threads) == len(self.cost_ppm)
        assert all(len(supply.use_ppm) == len(self.cost_ppm) for supply in self.supplies)

    @property
    def rank(self) -> int:
        """Rank of the request whose time is the SLO's percentile, from 1, weights counted."""
        return percentile_rank(self.percentile_ppm, self.profile.total_weight)
