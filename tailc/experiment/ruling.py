"""Ruling on an SLO: pass, fail or undecided."""

from __future__ import annotations

import enum


class Ruling(enum.Enum):
    """Whether an SLO is met: pass, fail, or undecided if there are too few requests.

    The replayed requests are held-out ones in a verdict, and those of the design trace in an
    estimate.
    """

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
