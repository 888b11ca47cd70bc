"""Baselines of plans that use solvers, which `verify` itself must not import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tailc_solvers.backends.adapters import Backend, Solver

from tailc.forms.plan.plan import Plan
from tailc.models.rule_baselines import RuleBaseline
from tailc.pipeline.allocators.baselines import AggressiveBaseline, OfflineBaseline
from tailc.pipeline.planners.baselines import RIGID


@contextmanager
def solver_baselines(plan: Plan) -> Iterator[tuple[RuleBaseline[Any], ...]]:
    """Make the baselines for a plan's jobs that use solvers; their solver starts when needed."""
    if plan.malleable is None:
        yield RIGID
        return
    with Solver(Backend.HIGHS) as solver:
        yield (AggressiveBaseline(plan, solver), OfflineBaseline(plan, solver))
