"""The recorded arrivals that tune a table, and those that validate it."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Finding
from tailc.models.recorded_gaps import RecordedGaps


@dataclass(frozen=True, eq=False)
class RecordedParts:
    """Gaps between the arrivals that tune a table and that validate it, and warnings about them."""

    tuning: RecordedGaps
    validation: RecordedGaps
    warnings: tuple[Finding, ...]
