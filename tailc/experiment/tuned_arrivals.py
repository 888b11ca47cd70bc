"""Convert the arrivals for which a table was tuned to integers in its evidence, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tailc.units import plain_ppm

# The replay takes half a second to import; a table for Poisson arrivals does not need it.
if TYPE_CHECKING:
    from tailc.experiment.tuning_objective import TuningObjective
    from tailc.models.diurnal import DayCurve
    from tailc.models.modulated_arrivals import Burstiness

_BURSTS = "bursts_idc_ppm", "bursts_spell_us", "bursts_busy_ppm"
_LEVEL = "diurnal_{}_ppm"
RECORDED = "recorded_arrivals"


def pattern_settings(objective: TuningObjective) -> dict[str, int]:
    """Encode the arrival pattern of a tuning objective as integers for the evidence.

    The result is empty for Poisson arrivals.
    """
    from tailc.models.diurnal import DayCurve
    from tailc.models.modulated_arrivals import Burstiness
    from tailc.models.recorded_gaps import RecordedGaps

    match objective.pattern:
        case Burstiness(idc_ppm, spell_us, busy_ppm):
            return dict(zip(_BURSTS, (idc_ppm, spell_us, busy_ppm), strict=True))
        case DayCurve(levels_ppm):
            return {_LEVEL.format(at): level for at, level in enumerate(levels_ppm, start=1)}
        case RecordedGaps(times_ns):
            return {RECORDED: len(times_ns)}
    return {}


def pattern_from_settings(settings: Mapping[str, int]) -> Burstiness | DayCurve | None:
    """Decode the arrival pattern in a policy's evidence; None for Poisson or recorded arrivals."""
    if settings.keys() >= set(_BURSTS):
        from tailc.models.modulated_arrivals import Burstiness

        return Burstiness(*(settings[name] for name in _BURSTS))
    levels_ppm: list[int] = []
    while (level := settings.get(_LEVEL.format(len(levels_ppm) + 1))) is not None:
        levels_ppm.append(level)
    if not levels_ppm:
        return None
    from tailc.models.diurnal import DayCurve

    return DayCurve(tuple(levels_ppm))


def arrivals_text(settings: Mapping[str, int]) -> str:
    """Format the arrivals that a table was tuned for, from its evidence."""
    if (count := settings.get(RECORDED)) is not None:
        return f"recorded arrivals, {count:,} of them"
    pattern = pattern_from_settings(settings)
    return "Poisson arrivals" if pattern is None else _pattern_text(pattern)


def _pattern_text(pattern: Burstiness | DayCurve) -> str:
    from tailc.models.modulated_arrivals import Burstiness

    if isinstance(pattern, Burstiness):
        return f"bursts ({pattern})"
    return f"a day with the levels {', '.join(map(plain_ppm, pattern.levels_ppm))}"
