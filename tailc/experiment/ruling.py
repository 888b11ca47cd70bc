"""Whether an SLO is met, as far as a sample of requests can say."""

from __future__ import annotations

import enum


class Ruling(enum.Enum):
    """Whether an SLO is met, as far as the held-out requests can tell."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
