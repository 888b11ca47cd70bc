"""Ruling on an SLO: pass, fail or undecided."""

from __future__ import annotations

import enum


class Ruling(enum.Enum):
    """Whether an SLO is met: pass, fail, or undecided if there are too few requests."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
