"""A point of a search's convergence trace; effort is counted in steps, not timed."""

from __future__ import annotations

from typing import NamedTuple


class SearchProgress(NamedTuple):
    """A point of a search's convergence trace: lower bound and best value after some effort.

    effort: amount of work, in the solver's own unit. bound, found: in the unit of the objective;
    infinite if there is none yet.
    """

    effort: int
    bound: float
    found: float
