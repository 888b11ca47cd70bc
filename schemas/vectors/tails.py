"""Tail tables, shares and a ladder of SMT lanes behind the vectors of schema 1.3."""

from __future__ import annotations

from dataclasses import replace

from cores import coarse_controller, controller

from tailc.forms.controller import LARGEST_ERROR_US, Actuator, Controller, GainRow
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
from tailc.forms.shares import Machine, ShareCap, ShareLaw, Shares
from tailc.forms.tail_table import (
    LARGEST_BOUND_US,
    LARGEST_CYCLES,
    LARGEST_FREQUENCY_KHZ,
    LARGEST_TIME_NS,
    Batch,
    Level,
    Sleep,
    TailRow,
    TailTable,
    Transition,
)

PPM = 1_000_000
MHZ = 1_000
US = 1_000
# Just done within twice the largest bound at the frequency below the largest.
_NEAR_BOUND_CYCLES = 4_503_599_000_000
LEAST_MHZ, STEP_MHZ, MOST_MHZ = 800, 200, 3_400


def tail_table() -> TailTable:
    """The frequencies of Bartolini, 2015, Table 3.2; the rows are made up."""
    levels = range(LEAST_MHZ, MOST_MHZ + 1, STEP_MHZ)
    return TailTable(
        percentile_ppm=950_000,
        bound_us=600,
        levels=tuple(
            Level(mhz * MHZ, 1_500 + 40 * (number + 1) ** 2) for number, mhz in enumerate(levels)
        ),
        cycles=(
            TailRow(0, (240_000, 410_000, 560_000, 700_001)),
            TailRow(90_000, (210_000, 380_000, 540_000, 690_000)),
            TailRow(180_001, (160_000, 340_000, 500_000, 650_000)),
            TailRow(400_000, (0, 0, 300_000, 300_000)),
        ),
        memory_ns=(
            TailRow(0, (40 * US, 75 * US, 105 * US, 135_001)),
            TailRow(20 * US, (30 * US, 70 * US, 100 * US, 130 * US)),
        ),
        sleep=Sleep(300, 20 * US),
        cores=6,
    )


def batched_table() -> TailTable:
    """Requests run at 1.6 GHz at least, batch work at 1.2 GHz."""
    return replace(
        tail_table(), batch=Batch(1_600 * MHZ, 1_200 * MHZ, 1_660), reference_khz=2_400 * MHZ
    )


def halting_table() -> TailTable:
    """A change of frequency halts a core for 50 us and takes 5 uJ; entries include halts."""
    table = tail_table()
    memory_ns = tuple(
        replace(row, left=tuple(left + 50 * US * (i + 2) for i, left in enumerate(row.left)))
        for row in table.memory_ns
    )
    return replace(table, memory_ns=memory_ns, transition=Transition(50 * US, 5_000))


def trim() -> Controller:
    """Half to one and a half of the bound, by the tail of the last thousand requests."""
    return replace(
        controller(),
        acts_on=Actuator.LATENCY_BOUND,
        percentile_ppm=950_000,
        target_us=600,
        epoch_requests=100,
        window_requests=1_000,
        least_ppm=500_000,
        most_ppm=1_500_000,
        gains=(GainRow(0, 2**26, 2**28, 0), GainRow(500_000, 2**25, 2**27, 2**24)),
    )


def extreme_table() -> TailTable:
    """Every number at a limit: f (L - t - m) and c 10^6 stay below 2^63, and only just."""
    return TailTable(
        percentile_ppm=PPM - 1,
        bound_us=LARGEST_BOUND_US,
        levels=(
            Level(1, 0),
            Level(LARGEST_FREQUENCY_KHZ - 1, LARGEST_TIME_NS),
            Level(LARGEST_FREQUENCY_KHZ, LARGEST_TIME_NS),
        ),
        cycles=(
            TailRow(0, (0, 1, _NEAR_BOUND_CYCLES, LARGEST_CYCLES)),
            TailRow(LARGEST_TIME_NS, (LARGEST_CYCLES,) * 4),
        ),
        memory_ns=(
            TailRow(0, (0, 0, 0, 0)),
            TailRow(1, (0, 0, 1, LARGEST_TIME_NS)),
            TailRow(LARGEST_TIME_NS, (LARGEST_TIME_NS,) * 4),
        ),
        sleep=Sleep(LARGEST_TIME_NS, LARGEST_TIME_NS),
        cores=LARGEST_TIME_NS,
        batch=Batch(1, LARGEST_FREQUENCY_KHZ, LARGEST_TIME_NS),
        reference_khz=LARGEST_FREQUENCY_KHZ,
    )


def extreme_trim() -> Controller:
    """From nothing to twice the bound; the fewest fraction bits and one unit of gain."""
    return replace(
        coarse_controller(),
        acts_on=Actuator.LATENCY_BOUND,
        target_us=LARGEST_ERROR_US,
        first_ppm=2 * PPM,
        most_ppm=2 * PPM,
    )


def smallest_table() -> TailTable:
    """One of each."""
    return TailTable(
        percentile_ppm=1,
        bound_us=1,
        levels=(Level(1, 0),),
        cycles=(TailRow(0, (0,)),),
        memory_ns=(TailRow(0, (0,)),),
        sleep=Sleep(0, 0),
        cores=1,
    )


def lanes_ladder() -> Ladder:
    """Cores with a lane for batch work: a request runs beside it for a while, and then alone."""
    return Ladder(
        load_axis=LoadAxis.RATE,
        request_class=None,
        cost_units=(CostUnit("core", 7 * PPM), CostUnit("batch given up"), CostUnit("power")),
        rungs=(
            Rung("shared", 600_000, (PPM, 300_000, 2_400_000)),
            Rung("alone", PPM, (PPM, PPM, 1_800_000)),
        ),
        rules=(
            *(Rule.BUSY_PERIOD_AGE, Rule.CORE_PER_REQUEST),
            *(Rule.NEVER_DESCEND, Rule.WAITED_START_LAST),
        ),
        quantum_us=50,
        rows=(
            Row(0, 39_999, AT_ONCE, (Climb(0, 0), Climb(47_000, 1))),
            Row(40_000, 89_999, AT_ONCE, (Climb(0, 0), Climb(24_001, 1))),
            Row(90_000, None, AT_ONCE, (Climb(0, 1),)),
        ),
        guard=Guard(0, 100_000),
        power=Power(2, (1_700_000, 0, 0)),
    )


def shares() -> Shares:
    """Times of Bartolini, 2015, section 2.4: a window of 750 ms, estimates every 50 ms."""
    return Shares(
        law=ShareLaw.POLE_PLACEMENT,
        pole_ppm=100_000,
        window_us=750_000,
        estimate_us=50_000,
        step_us=750_000,
        enforce_us=50_000,
        forgetting_ppm=980_000,
        first_covariance=1_000,
        least_b_ppm=50_000,
        least_ppm=20_000,
        host_ppm=PPM,
        shortage_steps=4,
        tolerance_ppm=50_000,
        machines=(
            Machine("encoder", 30_000, 400_000, 90_000),
            Machine("index", 12_500, -100_000, 55_000),
            Machine("nightly", None, 0, 1_000),
        ),
    )


def capped_shares() -> Shares:
    """Two machines of one core, and caps for those without work."""
    return replace(
        shares(),
        estimate_us=250_000,
        forgetting_ppm=970_000,
        first_covariance=100,
        least_ppm=50_000,
        shortage_steps=20,
        machines=(
            Machine("encoder", 500_000, 107_259, 1_664_331),
            Machine("hasher", 3_290_000, 36_914, 12_677_046),
            Machine("nightly", None, 0, 1),
        ),
        cap=ShareCap(steps=6, probe_steps=10, headroom_ppm=PPM),
    )


def settling_shares() -> Shares:
    """The other law, and a window longer than two steps, after which each test begins."""
    return replace(
        capped_shares(),
        law=ShareLaw.OBSERVER,
        window_us=1_200_000,
        step_us=500_000,
        least_ppm=0,
        host_ppm=900_000,
        shortage_steps=3,
        cap=ShareCap(steps=3, probe_steps=4, headroom_ppm=600_000),
    )


def observed_shares() -> Shares:
    """The other law, one machine, and every setting at a limit."""
    largest = LARGEST_TIME_NS
    return Shares(
        law=ShareLaw.OBSERVER,
        pole_ppm=0,
        window_us=1,
        estimate_us=largest,
        step_us=largest,
        enforce_us=largest,
        forgetting_ppm=PPM,
        first_covariance=PPM,
        least_b_ppm=1,
        least_ppm=PPM,
        host_ppm=PPM,
        shortage_steps=largest,
        tolerance_ppm=largest,
        machines=(Machine("only", largest, 1 - PPM, largest),),
    )
