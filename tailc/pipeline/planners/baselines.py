"""The planners that use solvers, as baselines of `verify`: the caller gives them to the replays."""

from __future__ import annotations

from typing import final

from tailc.models.baseline_syntax import NameValues, Syntax
from tailc.models.rigid_jobs.planner import Planner
from tailc.models.rule_baselines import RuleBaseline
from tailc.pipeline.planners.annealing import Annealing
from tailc.pipeline.planners.on_arrival import OnArrival


@final
class OnArrivalBaseline(RuleBaseline[Planner]):
    """Baseline: place each job when it arrives by a linear program, and never move it."""

    syntax = Syntax("on-arrival")
    about = "places each job at its arrival where it earns most, or refuses it"
    rank = 30
    examples = ("on-arrival",)
    is_default = False

    def make(self, values: NameValues) -> Planner:  # noqa: ARG002 - it has none
        return OnArrival()


@final
class AnnealingBaseline(RuleBaseline[Planner]):
    """Baseline: place each job when it arrives, and move running jobs by simulated annealing."""

    syntax = Syntax("annealing")
    about = "as on-arrival, and moves running jobs by simulated annealing"
    rank = 40
    examples = ("annealing",)
    is_default = False

    def make(self, values: NameValues) -> Planner:  # noqa: ARG002 - it has none
        return Annealing()


RIGID: tuple[RuleBaseline[Planner], ...] = (OnArrivalBaseline(), AnnealingBaseline())
