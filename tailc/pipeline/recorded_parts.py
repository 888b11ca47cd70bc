"""Split recorded arrivals into those that tune a table, and those that validate it."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.errors import Finding
from tailc.models.recorded_gaps import RecordedGaps


@dataclass(frozen=True, eq=False)
class RecordedParts:
    """Recorded gaps between arrivals: those to tune a table, those to validate it, and warnings."""

    tuning: RecordedGaps
    validation: RecordedGaps
    warnings: tuple[Finding, ...]
