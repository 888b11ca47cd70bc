"""Ladders of whole cores and the controller behind the look-up vectors."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_AGE_US,
    LARGEST_ERROR_US,
    LARGEST_GAIN,
    LARGEST_WINDOW,
    MOST_FRACTION_BITS,
    Actuator,
    Controller,
    GainRow,
)
from tailc.forms.ladder.table import (
    AT_ONCE,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Power,
    Row,
    Rule,
    Rung,
)

PPM = 1_000_000
MS = 1_000
FRACTION_BITS = 40
# Haque et al., MICRO 2017, Table 2: gains of threshold by tail, from arrivals a second on ...
PUBLISHED_GAINS = (
    (0, 110, 490, 0),
    (50_000, 150, 250, 0),
    (70_001, 190, 170, 30),
)
# ... in thousandths; an output is a threshold in units of this one [us].
REFERENCE_AGE_US = 109 * MS


def core_ladder() -> Ladder:
    """Seven slow, two medium and two fast cores (Haque et al., MICRO 2017, section 6.4, Table 4);
    the ages are made up.
    """
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(
            CostUnit("slow", 7 * PPM),
            CostUnit("medium", 2 * PPM),
            CostUnit("fast", 2 * PPM),
            CostUnit("power"),
        ),
        rungs=(
            Rung("slow", PPM, (PPM, 0, 0, PPM)),
            Rung("medium", 1_590_000, (0, PPM, 0, 3_500_000), 500),
            Rung("fast", 2 * PPM, (0, 0, PPM, 6_800_000), 500),
        ),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.CORE_PER_REQUEST, Rule.MAKE_ROOM),
        quantum_us=MS,
        rows=(
            Row(0, 10, AT_ONCE, (Climb(0, 0), Climb(60_001, 1), Climb(REFERENCE_AGE_US, 2))),
            Row(11, None, AT_ONCE, (Climb(0, 0), Climb(3, 1), Climb(80_000, 2))),
        ),
        guard=Guard(0, 24),
        power=Power(3, (50_000, 170_000, 340_000, 0)),
    )


def short_core_ladder() -> Ladder:
    """Climbs count from execution start, the first rung is left out, and so is one climb."""
    return replace(
        core_ladder(),
        request_class="short",
        rules=(Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        rows=(
            Row(0, 3, AT_ONCE, (Climb(0, 1), Climb(20_000, 2))),
            Row(4, None, AT_ONCE, (Climb(0, 0), Climb(2**43, 2))),
        ),
    )


def controller() -> Controller:
    """The published gains on a target of 200 ms, epochs of 500 and a window of 2,000 requests."""
    return Controller(
        acts_on=Actuator.CLIMB_AGES,
        percentile_ppm=990_000,
        target_us=200 * MS,
        epoch_requests=500,
        window_requests=2_000,
        first_ppm=PPM,
        least_ppm=50_001,
        most_ppm=PPM,
        fraction_bits=FRACTION_BITS,
        gains=tuple(
            GainRow(rate_mrps, *(_gain(thousandths) for thousandths in gains))
            for rate_mrps, *gains in PUBLISHED_GAINS
        ),
    )


def extreme_controller() -> Controller:
    """Every number at a limit; the sign of the gains changes with the rate."""
    largest = LARGEST_GAIN
    return Controller(
        acts_on=Actuator.CLIMB_AGES,
        percentile_ppm=PPM - 1,
        target_us=LARGEST_ERROR_US,
        epoch_requests=1,
        window_requests=LARGEST_WINDOW,
        first_ppm=999_999,
        least_ppm=0,
        most_ppm=PPM,
        fraction_bits=MOST_FRACTION_BITS,
        gains=(GainRow(0, largest, largest, largest), GainRow(1, -largest, -largest, -largest)),
    )


def coarse_controller() -> Controller:
    """The fewest fraction bits, and a gain of one unit by us of error."""
    return replace(
        controller(),
        first_ppm=0,
        least_ppm=0,
        most_ppm=100_001,
        fraction_bits=FEWEST_FRACTION_BITS,
        gains=(GainRow(0, 0, 1, 0),),
    )


def late_ladder() -> Ladder:
    """Climbs as late as a controller may scale."""
    row = Row(0, None, AT_ONCE, (Climb(0, 0), Climb(LARGEST_AGE_US - 1, 1),
                                 Climb(LARGEST_AGE_US, 2)))  # fmt: skip
    return replace(core_ladder(), rules=(Rule.CORE_PER_REQUEST,), rows=(row,))


def _gain(thousandths: int) -> int:
    """Output per us of error in units of 2^-FRACTION_BITS, rounded to the nearest."""
    unit = 1_000 * REFERENCE_AGE_US
    return ((thousandths << FRACTION_BITS) + unit // 2) // unit
