"""The arrivals that a table was tuned for, in the whole numbers of its evidence and out of them."""

from __future__ import annotations

from collections.abc import Mapping

from tailc.experiment.tuning_objective import TuningObjective
from tailc.models.diurnal import DayCurve
from tailc.models.modulated import Burstiness
from tailc.models.recorded_gaps import RecordedGaps
from tailc.units import plain_ppm

_BURSTS = "bursts_idc_ppm", "bursts_spell_us", "bursts_busy_ppm"
_LEVEL = "diurnal_{}_ppm"
RECORDED = "recorded_arrivals"


def pattern_settings(aim: TuningObjective) -> dict[str, int]:
    """How requests arrive at each rate; nothing where they are Poisson."""
    match aim.pattern:
        case Burstiness(idc_ppm, spell_us, busy_ppm):
            return dict(zip(_BURSTS, (idc_ppm, spell_us, busy_ppm), strict=True))
        case DayCurve(levels_ppm):
            return {_LEVEL.format(at): level for at, level in enumerate(levels_ppm, start=1)}
        case RecordedGaps(times_ns):
            return {RECORDED: len(times_ns)}
    return {}


def pattern_told(settings: Mapping[str, int]) -> Burstiness | DayCurve | None:
    """What `pattern_settings` told; None where it was Poisson, or recorded."""
    if settings.keys() >= set(_BURSTS):
        return Burstiness(*(settings[name] for name in _BURSTS))
    levels_ppm: list[int] = []
    while (level := settings.get(_LEVEL.format(len(levels_ppm) + 1))) is not None:
        levels_ppm.append(level)
    return DayCurve(tuple(levels_ppm)) if levels_ppm else None


def arrivals_text(settings: Mapping[str, int]) -> str:
    """What arrivals a table was tuned for, for people."""
    if (count := settings.get(RECORDED)) is not None:
        return f"recorded arrivals, {count:,} of them"
    match pattern_told(settings):
        case Burstiness() as bursts:
            return f"bursts ({bursts})"
        case DayCurve(levels_ppm):
            return f"a day with the levels {', '.join(map(plain_ppm, levels_ppm))}"
    return "Poisson arrivals"
