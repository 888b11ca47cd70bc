"""Options of a plan's replay: random seed, baselines and server failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tailc.models.rule_baselines import RuleBaseline


@dataclass(frozen=True)
class PlanOptions:
    """Options for replaying a plan of jobs on windows of days.

    seed: seed of the server failures. failures_ppm: failures per hour of a server with a rigid job
    [1e-6]. baselines: names of baselines; `first` is the first default; None: all defaults.
    allow_compile_trace: also replay windows that the plan was compiled from. progress: called with
    the numbers of finished and of all replays. more: further baselines; those that use solvers,
    which this package does not import.
    """

    seed: int = 1
    failures_ppm: int = 0
    baselines: tuple[str, ...] | None = None
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None
    more: tuple[RuleBaseline[Any], ...] = ()
