"""Convergence trace of a search by its effort, which is counted, not timed."""

from __future__ import annotations

from typing import NamedTuple


class SearchProgress(NamedTuple):
    """A point of a convergence trace: lower bound and least value found after some effort.

    Infinite if there is none yet; both in the unit of what is minimised.
    """

    effort: int
    bound: float
    found: float
