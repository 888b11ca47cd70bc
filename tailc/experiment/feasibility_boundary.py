"""Find the last step of a grid at which a target is met, with few evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

# One evaluation in this many bisects instead.
_SECANTS = 4


def last_met(margin: Callable[[int], float], begin: int, fall: float, steps: int) -> int:
    """Find the last step of a grid with a margin of 0 or more, by secants; 0 if there is none.

    margin: by how much a target is met at a step; assumed to decrease. begin: first step to try.
    fall: expected decrease of the margin per step. steps: number of the last step.
    """
    met, missed = _Bound(0), _Bound(steps + 1)
    step, looks = begin, 0
    while missed.step - met.step > 1:
        value = margin(step)
        if value >= 0:
            met = _Bound(step, value)
        else:
            missed = _Bound(step, value)
        looks += 1
        ahead = _between(met, missed, fall, looks)
        step = min(max(ahead, met.step + 1), missed.step - 1)
    return met.step


@dataclass(frozen=True)
class _Bound:
    """A step and its margin; None beyond the grid."""

    step: int
    margin: float | None = None


def _between(met: _Bound, missed: _Bound, fall: float, looks: int) -> int:
    """The step at which the margin is expected to be 0."""
    # Steps of guesses that prove too short grow: 0, 0, 1, 3, 7 steps longer.
    longer = 2 ** max(looks - 2, 0) - 1
    if missed.margin is None:
        return met.step + max(int((met.margin or 0.0) / fall), 1) + longer
    if met.margin is None:
        return missed.step - max(math.ceil(-missed.margin / fall), 1) - longer
    # A secant search may move slowly towards one end.
    if looks % _SECANTS == 0:
        return (met.step + missed.step) // 2
    part = met.margin / (met.margin - missed.margin)
    return met.step + int(part * (missed.step - met.step))
