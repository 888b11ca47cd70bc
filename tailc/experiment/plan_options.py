"""Options of a plan's replay: random seed, baselines and server failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tailc.models.rule_baselines import RuleBaseline


@dataclass(frozen=True)
class PlanOptions:
    """How to replay a plan on windows of days.

    seed: of server failures. failures_ppm: failures per hour of a server with a rigid job, in
    millionths. baselines: None for the defaults; the name `first` for the first of those.
    allow_compile_trace: also replay windows of the compile. progress: called with the
    numbers of finished and of all replays. more: further baselines, which the caller gives because
    they use solvers.
    """

    seed: int = 1
    failures_ppm: int = 0
    baselines: tuple[str, ...] | None = None
    allow_compile_trace: bool = False
    progress: Callable[[int, int], None] | None = None
    more: tuple[RuleBaseline[Any], ...] = ()
