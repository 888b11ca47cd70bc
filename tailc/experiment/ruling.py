"""Whether an SLO is met, as far as a sample of requests can say."""

from __future__ import annotations

import enum


class Ruling(enum.Enum):
    """Whether an SLO is met, as far as the replayed requests can tell.

    They are held-out ones in a verdict, and those of the design in an estimate.
    """

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
