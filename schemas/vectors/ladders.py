"""Ladders of degrees and of two clocks behind the look-up vectors of schema 1.0."""

from __future__ import annotations

from dataclasses import replace

from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    Lane,
    LoadAxis,
    Outside,
    Row,
    Rule,
    Rung,
)

PPM = 1_000_000
MS = 1_000
LARGEST = 2**53 - 1

# Haque et al., ASPLOS 2015, Table 2: requests in the system, then t_0 to t_3 in ms from arrival
# with the degree each begins. The row for 25 and more starts on an exit; its climbs are those of
# row 24, whose t_0 is 90 ms.
LUCENE = (
    (0, ((0, 4),)),
    (7, ((0, 3), (75, 4))),
    (8, ((0, 2), (25, 3), (150, 4))),
    (9, ((0, 2), (50, 3), (150, 4))),
    (10, ((0, 1), (25, 2), (100, 3), (175, 4))),
    (11, ((0, 1), (25, 2), (125, 3), (175, 4))),
    (12, ((0, 1), (75, 2), (150, 3), (200, 4))),
    (13, ((0, 1), (100, 2), (175, 3), (225, 4))),
    (14, ((10, 1), (110, 2), (210, 3), (235, 4))),
    (15, ((30, 1), (130, 2), (205, 3), (255, 4))),
    (16, ((40, 1), (140, 2), (240, 3), (265, 4))),
    (17, ((60, 1), (160, 2), (245, 3), (285, 4))),
    (18, ((60, 1), (185, 2), (260, 3), (310, 4))),
    (19, ((70, 1), (195, 2), (270, 3), (320, 4))),
    (20, ((70, 1), (220, 2), (295, 3), (370, 4))),
    (21, ((80, 1), (255, 2), (305, 3), (375, 4))),
    (22, ((80, 1), (280, 2), (330, 3), (380, 4))),
    (23, ((90, 1), (290, 2), (365, 3), (415, 4))),
    (24, ((90, 1), (315, 2), (390, 3), (440, 4))),
)
LUCENE_FIRST_ON_EXIT = 25


def lucene_ladder() -> Ladder:
    """The published table; delays from arrival, climb ages from execution start (t_i - t_0)."""
    lasts = [load - 1 for load, _ in LUCENE[1:]] + [LUCENE_FIRST_ON_EXIT - 1]
    rows = [
        Row(load, last, Admission.after_delay(steps[0][0] * MS), _climbs(steps))
        for (load, steps), last in zip(LUCENE, lasts, strict=True)
    ]
    rows.append(Row(LUCENE_FIRST_ON_EXIT, None, ON_EXIT, rows[-1].climbs))
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(CostUnit("threads", 15 * PPM),),
        rungs=tuple(
            Rung(f"d{degree}", speed_ppm, (degree * PPM,))
            for degree, speed_ppm in enumerate((1_000_000, 1_900_000, 2_650_000, 3_200_000), 1)
        ),
        rules=(Rule.BOOST_LAST_RUNG, Rule.NEVER_DESCEND, Rule.REREAD_ROW),
        quantum_us=5 * MS,
        rows=tuple(rows),
        guard=Guard(0, 24),
        boost=Boost(0, 15 * PPM),
    )


def _climbs(steps: tuple[tuple[int, int], ...]) -> tuple[Climb, ...]:
    begin_ms = steps[0][0]
    return tuple(Climb((age_ms - begin_ms) * MS, degree - 1) for age_ms, degree in steps)


def rate_ladder() -> Ladder:
    """Two cores; the rows lie far apart, and the first is not at 0."""
    return replace(
        lucene_ladder(),
        load_axis=LoadAxis.RATE,
        cost_units=(CostUnit("threads"), CostUnit("watts", 95 * PPM)),
        rungs=(
            Rung("little", 1_000_000, (1_000_000, 1_200_000)),
            Rung("big", 2_300_000, (1_000_000, 4_700_000)),
        ),
        rules=(),
        rows=(
            Row(5_000, 29_999, AT_ONCE, (Climb(0, 1),)),
            Row(30_000, 79_999, AT_ONCE, (Climb(0, 0), Climb(12_500, 1))),
            Row(80_000, None, Admission.after_delay(2_500), (Climb(0, 0), Climb(40_001, 1))),
        ),
        guard=Guard(10_000, 100_000, Outside.CLAMP),
        boost=None,
    )


def all_ladder() -> Ladder:
    """For all but class `short`: beyond its range requests run on the first rung."""
    return replace(lucene_ladder(), guard=Guard(0, 30, Outside.FIRST_RUNG))


def short_ladder() -> Ladder:
    """For class `short`: beyond its range on either side requests run on the first rung."""
    return replace(
        lucene_ladder(),
        request_class="short",
        rules=(Rule.NEVER_DESCEND,),
        rows=(
            Row(0, 3, AT_ONCE, (Climb(0, 1), Climb(7_000, 3))),
            Row(4, None, ON_EXIT, (Climb(0, 0), Climb(20_000, 2))),
        ),
        guard=Guard(2, 8, Outside.FIRST_RUNG),
        boost=None,
    )


def arrival_ladder() -> Ladder:
    """Ages count from arrival, so that waiting counts."""
    return replace(
        lucene_ladder(),
        rules=(Rule.AGE_FROM_ARRIVAL, Rule.REREAD_ROW),
        rows=(
            Row(0, 1, AT_ONCE, (Climb(0, 0), Climb(10_000, 1), Climb(30_000, 3))),
            Row(2, 4, Admission.after_delay(15_000), (Climb(0, 0), Climb(20_000, 2))),
            Row(5, None, ON_EXIT, (Climb(0, 0), Climb(60_000, 1))),
        ),
        guard=Guard(0, 5),
        boost=None,
    )


def smallest_ladder() -> Ladder:
    """One of each that a ladder cannot do without, and nothing else."""
    return Ladder(
        load_axis=LoadAxis.IN_SYSTEM,
        request_class=None,
        cost_units=(),
        rungs=(Rung("only", PPM, ()),),
        rules=(),
        quantum_us=1,
        rows=(Row(0, None, AT_ONCE, (Climb(0, 0),)),),
        guard=Guard(0, 0),
    )


def largest_ladder() -> Ladder:
    """Ages, delays and loads up to the largest number of an artifact."""
    return replace(
        lucene_ladder(),
        rules=(),
        quantum_us=LARGEST,
        rows=(
            Row(0, LARGEST - 1, AT_ONCE, (Climb(0, 0), Climb(LARGEST, 3))),
            Row(
                LARGEST, None, Admission.after_delay(LARGEST), (Climb(0, 2), Climb(LARGEST - 1, 3))
            ),
        ),
        guard=Guard(0, LARGEST),
        boost=None,
    )


def threads_ladder() -> Ladder:
    """The published table, whose rungs state their threads."""
    ladder = lucene_ladder()
    stated = (replace(rung, threads=n) for n, rung in enumerate(ladder.rungs, 1))
    return replace(ladder, rungs=tuple(stated))


def all_settings_ladder() -> Ladder:
    """Each setting alone, then all of them, the largest numbers, and none."""
    rung = Rung("none", PPM, (PPM,))
    settings = (
        rung,
        replace(rung, name="threads", threads=1, one_thread_ppm=1),
        replace(rung, name="frequency", frequency_khz=1),
        replace(rung, name="type", core_type="Zürich 線形"),
        replace(rung, name="shared", lane=Lane.SHARED),
        Rung("all", 2 * PPM, (3 * PPM,), None, 4, 2_400_000, "big", Lane.ALONE, 1_500_000),
        Rung("largest", LARGEST, (LARGEST,), None, LARGEST, LARGEST, "x", Lane.ALONE, LARGEST),
    )
    climbs = tuple(Climb(1_000 * number, number) for number in range(len(settings)))
    return replace(
        lucene_ladder(),
        rungs=settings,
        rules=(),
        boost=None,
        rows=(Row(0, None, AT_ONCE, climbs),),
    )


def typed_cores_ladder(cores: Ladder) -> Ladder:
    """Rungs that are cores, with their types and frequencies."""
    stated = (
        replace(rung, core_type=rung.name, frequency_khz=1_000_000 + number)
        for number, rung in enumerate(cores.rungs)
    )
    return replace(cores, request_class="short", rungs=tuple(stated))
