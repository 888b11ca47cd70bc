"""What a request's first different answer can be about."""

from __future__ import annotations

import enum


class Cause(enum.Enum):
    """What a request's first different answer is about; the value is its name in JSON."""

    STARTS_EARLIER = "starts-earlier"
    STARTS_LATER = "starts-later"
    FIRST_RUNG = "first-rung"
    CLIMBS_EARLIER = "climbs-earlier"
    CLIMBS_LATER = "climbs-later"
