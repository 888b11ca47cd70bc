"""What a schedule has counted, as the metrics of a server."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class ScheduleCounts:
    """Counts since the schedule was made; `lookups` by the name of the rung that was looked up.

    late_ns: by how much ticks were late, in all.
    """

    arrived: int = 0
    refused: int = 0
    degraded: int = 0
    started: int = 0
    waited: int = 0
    climbs: int = 0
    descents: int = 0
    boosts: int = 0
    gave_up: int = 0
    cut_off: int = 0
    exits: int = 0
    reloads: int = 0
    ticks: int = 0
    late_ns: int = 0
    lookups: Counter[str] = field(default_factory=Counter)
