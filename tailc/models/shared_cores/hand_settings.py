"""Settings by hand for shared cores: degrees, degrees below a load, or degrees by age."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import shared_power
from tailc.models.pools import pools
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank
from tailc.units import format_us

# Relative to the median demand. On Lucene, with a median of 186 ms, rounding to 1, 2 or 5 gives the
# paper's 20, 100 and 500 ms.
PARTS_OF_MEDIAN = (Fraction(1, 10), Fraction(1, 2), Fraction(5, 2))
_STEPS = (1, 2, 5)
_NS_PER_US = 1_000
_HALF_PPM = 500_000
# Load limits below which all have a degree, in requests a core; the last is Bing's.
_LIMITS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5)
_FEW_RUNGS = 4
# Number of candidate frequencies for a setting by hand.
_MOST_POWERED = 16


def hand_settings(ladder: Ladder, load: Workload) -> tuple[str, ...]:
    """Names of baselines with fixed settings that a user could choose.

    They are: one rung, one rung below a load, and one more rung after each fixed interval.
    """
    if len(ladder.rungs) == 1:
        return ("seq",)
    last = len(ladder.rungs)
    rungs = tuple(_rungs(last))
    is_each_tried = shared_power(ladder) is not None and last <= _MOST_POWERED
    fixed = range(2, last + 1) if is_each_tried else rungs
    limits = sorted({max(round(part * _cores(ladder)), 2) for part in _LIMITS})
    intervals = [format_us(each).replace(" ", "") for each in usual_intervals_us(ladder, load)]
    return (
        "seq",
        *(f"fix-{rung}" for rung in fixed),
        *(f"fix-{rung}<{limit}" for rung in rungs for limit in limits),
        *(f"every-{interval}" for interval in intervals),
    )


def _rungs(last: int) -> Iterator[int]:
    """All rungs if there are few; otherwise the powers of two and the last."""
    powers = (rung for rung in range(2, last) if rung & (rung - 1) == 0)
    yield from range(2, last) if last <= _FEW_RUNGS else powers
    yield last


def _cores(ladder: Ladder) -> float:
    """Number of requests that fit on the first rung."""
    shared = pools(ladder)
    return float(shared.capacity_ppm[shared.pool_of[0]]) / max(int(shared.cost_ppm[0]), 1)


def usual_intervals_us(ladder: Ladder, load: Workload) -> tuple[int, ...]:
    """Three intervals between climbs that suit these demands: short, medium and long [us].

    None of them is below the ladder's quantum.
    """
    median_ns = load.work_at(percentile_rank(_HALF_PPM, load.requests))
    wanted = (part * Fraction(median_ns, _NS_PER_US) for part in PARTS_OF_MEDIAN)
    rounded = dict.fromkeys(round_number(interval_us) for interval_us in wanted)
    return tuple(interval_us for interval_us in rounded if interval_us >= ladder.quantum_us)


def round_number(value: Fraction) -> int:
    """The 1, 2 or 5 times a power of ten whose ratio to `value` is nearest to 1, at least 1."""
    power = 10 ** max(len(str(int(value))) - 1, 0)
    near = [step * power for step in (*_STEPS, 10)]
    return min(near, key=lambda number: max(number / value, value / number) if value else number)
