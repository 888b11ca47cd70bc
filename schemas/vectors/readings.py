"""How the traces behind the vectors were read: every field of a reading is in one of these."""

from __future__ import annotations

from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, Reading, SplitBy, SplitRule, TimeUnit, Timings

PPM = 1_000_000


def curve_reading() -> Reading:
    """Demands in a column, with one curve of speed-ups; split by a seed."""
    curve = Curve(None, (1_000_000, 1_900_000, 2_650_000, 3_200_000))
    split = SplitRule(SplitBy.SEED, 200_000, seed=7)
    return Reading(
        Measure.DEMAND_BUSY, "1 thread", TimeUnit.MS, "demand_ms", curves=(curve,), split=split
    )


def class_reading() -> Reading:
    """Weighted response times in bins, with a curve for each class; split by a hash."""
    curves = (Curve("short", (1_000_000, 1_100_000)), Curve("long", (1_000_000, 1_950_000)))
    return Reading(
        Measure.RESPONSE_CLOSED,
        "1 thread",
        TimeUnit.US,
        "took",
        weight="count",
        class_column="class",
        curves=curves,
        where=(("region", "eu"),),
        bin_us=5_000,
        split=SplitRule(SplitBy.HASH, 200_000, "query_id"),
        note="one client at a time: nothing waits",
    )


def timings_reading() -> Reading:
    """Each query at several degrees; split by time."""
    return Reading(
        Measure.DEMAND_CPU,
        "1 thread",
        TimeUnit.NS,
        timings=Timings("query", "threads", "elapsed"),
        split=SplitRule(SplitBy.TIME, 250_000, "at"),
        max_degree=4,
    )


def cycles_reading() -> Reading:
    """Compute cycles counted at 2.4 GHz, and memory time beside them."""
    return Reading(
        Measure.DEMAND_BUSY,
        "2.4 GHz",
        TimeUnit.NS,
        "cycles",
        curves=(Curve(None, (PPM,)),),
        memory="memory_ns",
        clock_khz=2_400_000,
    )


def throughput_reading() -> Reading:
    """Samples of what machines got done."""
    return Reading(
        Measure.THROUGHPUT,
        "the whole host",
        TimeUnit.MS,
        "done_per_s",
        time="at_ms",
        machine="vm",
        share="share",
    )


def job_reading(*speedup_ppm: int) -> Reading:
    """Run times of jobs, with a speed-up by servers where they may have more."""
    curves = (Curve(None, speedup_ppm),) if speedup_ppm else ()
    return Reading(Measure.RUN_TIME, "a server", TimeUnit.S, "run time", curves=curves)
