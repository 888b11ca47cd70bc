"""Causes of a request's first changed decision."""

from __future__ import annotations

import enum


class Cause(enum.Enum):
    """How a request's first changed decision differs between two policies; values are for JSON."""

    STARTS_EARLIER = "starts-earlier"
    STARTS_LATER = "starts-later"
    FIRST_RUNG = "first-rung"
    CLIMBS_EARLIER = "climbs-earlier"
    CLIMBS_LATER = "climbs-later"
