"""Exhaustive: search all sets of climb ages on a grid, at each load (Haque, 2016, 5.3.4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb
from typing import final

from tailc.forms.ladder.table import Climb, Ladder
from tailc.models.baseline_syntax import NameValues, Placeholder, Syntax
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.same_cores import same_cores
from tailc.models.execution_model import BaselineSearch
from tailc.models.named_baselines import usage_error
from tailc.models.request_baselines import Baseline, Setup, Unfit
from tailc.models.workload import Workload
from tailc.units import format_us

# The paper's step. A name without a step takes the least multiple with at most this many sets.
STEP_US = 5_000
MOST_SETS = 250
# Largest number of sets for a step that the user chooses.
MOST_ASKED_SETS = 2_500


@final
class Exhaustive(Baseline[CoreTypes]):
    """Baseline: the best ages at which to climb, of all on a grid (exhaustive search).

    The step of the grid is a default unless the name has it.
    """

    syntax = Syntax("exhaustive[-TIME]")
    about = "every set of thresholds on a grid with this step, searched"
    rank = 60

    def examples(self, policy: CoreTypes) -> tuple[str, ...]:
        return ("exhaustive", "exhaustive-5ms")

    def check_fit(self, policy: CoreTypes, values: NameValues) -> Unfit | None:
        return None

    def default_names(self, policy: CoreTypes, workload: Workload) -> tuple[str, ...]:
        return ()

    def make(self, setup: Setup[CoreTypes]) -> CoreTypes:
        ladder, search, step_us = (
            setup.policy.ladder,
            setup.search,
            setup.values.get(Placeholder.TIME),
        )
        if step_us is not None:
            _check_grid(len(ladder.rungs), search.target_us, step_us)
        return exhaustive(ladder, search, step_us)


def exhaustive(ladder: Ladder, search: BaselineSearch, step_us: int | None) -> CoreTypes:
    """Search all climb ages on a grid for those of least energy that meet the latency target.

    step_us: step of the grid; None: a default. Ages are at most the target, because a request that
    climbs later is late, or a rung is never reached. They do not descend with the rung.
    """
    step_us = step_us or usual_step_us(ladder, search.target_us)
    tried = thresholds(len(ladder.rungs), search.target_us, step_us)
    return search.least_energy(_with_ages(ladder, ages_us) for ages_us in tried)


def _check_grid(rungs: int, target_us: int, step_us: int) -> None:
    """Raise TailcError (USAGE) if the search would take hours."""
    count = sets(rungs, target_us, step_us)
    if count > MOST_ASKED_SETS:
        message = f"baseline `exhaustive` has {count:,} sets of thresholds, and tries at most "
        message += f"{MOST_ASKED_SETS:,}"
        raise usage_error(message, "use a larger step, as in `exhaustive-STEP`")


def usual_step_us(ladder: Ladder, target_us: int) -> int:
    """Step of the grid of climb ages in an exhaustive search, by default [us].

    It is the least multiple of the paper's step for which the search takes a few seconds.
    """
    step_us = STEP_US
    while sets(len(ladder.rungs), target_us, step_us) > MOST_SETS:
        step_us += STEP_US
    return step_us


def sets(rungs: int, target_us: int, step_us: int) -> int:
    """Number of sets of climb ages that the exhaustive search tries on a grid."""
    values = target_us // step_us + 2
    return comb(values + rungs - 2, rungs - 1)


def thresholds(rungs: int, target_us: int, step_us: int) -> Iterator[tuple[int | None, ...]]:
    """All sets of climb ages that an exhaustive search tries; None: a rung is never reached.

    Each set has an age for each rung above the first [us].
    """
    values = [*range(0, target_us + 1, step_us), None]
    return itertools.combinations_with_replacement(values, rungs - 1)


def _with_ages(ladder: Ladder, ages_us: tuple[int | None, ...]) -> CoreTypes:
    rung_at = {0: 0}
    rung_at |= {age: rung for rung, age in enumerate(ages_us, 1) if age is not None}
    climbs = tuple(Climb(age_us, rung) for age_us, rung in rung_at.items())
    thresholds = ", ".join("never" if age is None else format_us(age) for age in ages_us)
    return CoreTypes("Exhaustive", (same_cores(ladder, climbs),), note=f"thresholds {thresholds}")
