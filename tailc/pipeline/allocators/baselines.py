"""The allocators that use solvers, as baselines of `verify`: the caller gives them to the replays.

An hour of a job's run time has the weight that the policy's plan gives it: the cost of as many
epochs of delay as an hour has, however many jobs there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.green.parallel.columns import ColumnsEffort

from tailc.forms.plan.plan import Plan
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.datacentre.supply import PPM, S_PER_HOUR
from tailc.models.datacentre.window import JobWindow
from tailc.models.malleable_jobs.allocator import Allocator, Make
from tailc.models.malleable_jobs.cluster import cluster_of
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.models.rule_baselines import RuleBaseline
from tailc.pipeline.allocators.aggressive import Aggressive
from tailc.pipeline.allocators.offline import Offline
from tailc.pipeline.allocators.problem import Aims
from tailc.pipeline.allocators.solving import column_generation

# A plan is made at each event of a replay, so a search is short.
ONLINE = ColumnsEffort(aim=0.01, nodes=0, starts=0, cells=500, rounds=10)
AHEAD = ColumnsEffort(aim=0.01, nodes=4, cells=1_000, rounds=25)


def aims_of(plan: Plan) -> Aims:
    """The objective of a plan of malleable jobs: the price of brown energy, and cost of delay."""
    assert plan.malleable is not None
    an_hour = plan.malleable.delay_udollars * S_PER_HOUR // plan.epoch_s
    return Aims(an_hour, mean_over=1)


@final
class AggressiveBaseline(RuleBaseline[Make]):
    """Baseline: plan all jobs again at every event; see `Aggressive`.

    The baseline's name may contain SHARE, a factor on the weight of run time.
    """

    syntax = Syntax("aggressive[-SHARE]")
    about = (
        "grows and shrinks jobs at every event, by a plan of the jobs that have arrived; SHARE of "
        "the plan's weight of run time"
    )
    rank = 40
    examples = ("aggressive", "aggressive-50%")
    is_default = False

    def __init__(self, plan: Plan, solver: Solver) -> None:
        self._solve, self._aims = column_generation(solver, ONLINE), aims_of(plan)

    def make(self, values: NameValues) -> Make:
        share_ppm = values.get(Placeholder.SHARE)
        run_cost = self._aims.run_cost * (PPM if share_ppm is None else share_ppm) // PPM
        aims = replace(self._aims, run_cost=run_cost)
        return lambda _window, _jobs: Aggressive(self._solve, aims)


@final
class OfflineBaseline(RuleBaseline[Make]):
    """Baseline: plan with all jobs and the energy of a window known in advance; see `Offline`."""

    syntax = Syntax("offline")
    about = "a plan that knows all jobs and the energy of the window in advance, as a reference"
    rank = 50
    examples = ("offline",)
    is_default = False

    def __init__(self, plan: Plan, solver: Solver) -> None:
        self._solve, self._aims = column_generation(solver, AHEAD), aims_of(plan)
        self._cluster = cluster_of(plan)

    def make(self, values: NameValues) -> Make:  # noqa: ARG002 - it has none
        return self._allocator

    def _allocator(self, window: JobWindow, jobs: Sequence[MalleableJob]) -> Allocator:
        return Offline(self._cluster, window.supply, jobs, self._solve, self._aims)
