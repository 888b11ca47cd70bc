"""Ruling on an SLO: pass, fail or undecided."""

from __future__ import annotations

import enum


class Ruling(enum.Enum):
    """Whether an SLO is met, as far as the replayed requests can show.

    They are held-out requests in a verdict, and those of the design trace in an estimate.
    """

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
