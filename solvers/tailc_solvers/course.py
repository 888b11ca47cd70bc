"""How far a search was after so much effort, which is counted and never timed."""

from __future__ import annotations

from typing import NamedTuple


class Reached(NamedTuple):
    """What is minimised has no value below `bound`, and `found` is the least that was found.

    Infinite where there is none yet; both in the unit of what is minimised.
    """

    effort: int
    bound: float
    found: float
