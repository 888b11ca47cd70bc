"""Settings by hand for several types of core, or for levels of a clock."""

from __future__ import annotations

from tailc.forms.ladder.table import Ladder
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank
from tailc.units import format_us

# Ages of one climb are these percentiles of the time on the slowest core, to two digits.
_CLIMB_PPM = (250_000, 500_000, 750_000, 850_000, 900_000, 950_000, 980_000, 990_000)
_DIGITS = 2
_NS_PER_US = 1_000
# The largest number of rungs that are candidates for settings by hand.
_MOST_RUNGS = 16


def hand_settings(ladder: Ladder, load: Workload) -> tuple[str, ...]:
    """Names of baselines: the fastest cores, the slowest, the rungs between, and one climb."""
    last = len(ladder.rungs)
    between = range(2, last) if last <= _MOST_RUNGS else range(0)
    ages = climb_ages(ladder, load) if last > 1 else ()
    return (
        "tl",
        "ee",
        *(f"fix-{rung}" for rung in between),
        *(f"climb-{format_us(age).replace(' ', '')}" for age in ages),
    )


def climb_ages(ladder: Ladder, load: Workload) -> tuple[int, ...]:
    """Candidate ages of one climb for this demand [us], none below the quantum."""
    ranks = (percentile_rank(each, load.requests) for each in _CLIMB_PPM)
    rounded = (_round_us(load.work_at(rank) // _NS_PER_US) for rank in ranks)
    return tuple(age for age in dict.fromkeys(rounded) if age >= ladder.quantum_us)


def _round_us(time_us: int) -> int:
    unit = 10 ** max(len(str(time_us)) - _DIGITS, 0)
    return round(time_us / unit) * unit
