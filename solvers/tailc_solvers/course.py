"""Convergence trace of a search by its effort, which is counted, not timed."""

from __future__ import annotations

from typing import NamedTuple


class SearchProgress(NamedTuple):
    """A point of a convergence trace: lower bound and best value found after some effort.

    Both are in the unit of the objective, and infinite if there is none yet.
    """

    effort: int
    bound: float
    found: float
