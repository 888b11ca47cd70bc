"""How the traces behind the vectors were read: every field of a reading is in one of these."""

from __future__ import annotations

from dataclasses import replace

from tailc.traces.profile import Measure
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    Curve,
    CyclesAndMemory,
    DemandColumn,
    DemandReading,
    Rows,
    RunTimeReading,
    SplitBy,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    Timings,
    TimingsReading,
    TokenColumns,
    TokensReading,
    ValueMeaning,
)
from tailc.traces.serial import Serial

PPM = 1_000_000


def curve_reading() -> DemandReading:
    """Demands in a column, with one curve of speed-ups; split by a seed."""
    return DemandReading(
        ValueMeaning(Measure.DEMAND_BUSY, "1 thread", TimeUnit.MS),
        Rows(split=SplitRule(SplitBy.SEED, 200_000, seed=7)),
        DemandColumn("demand_ms"),
        CommonCurve(Curve(None, (1_000_000, 1_900_000, 2_650_000, 3_200_000))),
    )


def serial_reading() -> TimingsReading:
    """Each query at several degrees, of which 2 ms and 5 % run on one thread."""
    return replace(timings_reading(), serial=Serial(2_000, 0, 0, 50_000))


def class_reading() -> DemandReading:
    """Weighted response times in bins, with a curve for each class; split by a hash."""
    note = "one client at a time: nothing waits"
    curves = (Curve("short", (1_000_000, 1_100_000)), Curve("long", (1_000_000, 1_950_000)))
    return DemandReading(
        ValueMeaning(Measure.RESPONSE_CLOSED, "1 thread", TimeUnit.US, note),
        Rows((("region", "eu"),), SplitRule(SplitBy.HASH, 200_000, "query_id")),
        DemandColumn("took"),
        ClassCurves("class", curves),
        weight="count",
        bin_us=5_000,
    )


def timings_reading() -> TimingsReading:
    """Each query at several degrees; split by time."""
    return TimingsReading(
        ValueMeaning(Measure.DEMAND_CPU, "1 thread", TimeUnit.NS),
        Rows(split=SplitRule(SplitBy.TIME, 250_000, "at")),
        Timings("query", "threads", "elapsed"),
        max_degree=4,
    )


def cycles_reading() -> DemandReading:
    """Compute cycles counted at 2.4 GHz, and memory time beside them."""
    return DemandReading(
        ValueMeaning(Measure.DEMAND_BUSY, "2.4 GHz", TimeUnit.NS),
        Rows(),
        CyclesAndMemory("cycles", "memory_ns", 2_400_000),
        CommonCurve(Curve(None, (PPM,))),
    )


def throughput_reading() -> ThroughputReading:
    """Samples of what machines got done."""
    return ThroughputReading(
        ValueMeaning(Measure.THROUGHPUT, "the whole host", TimeUnit.MS),
        Rows(),
        ThroughputColumns("done_per_s", "at_ms", "vm", "share"),
    )


def waiting_reading() -> ThroughputReading:
    """The same, with the number of requests that wait."""
    return ThroughputReading(
        ValueMeaning(Measure.THROUGHPUT, "the whole host", TimeUnit.MS),
        Rows(),
        ThroughputColumns("done_per_s", "at_ms", "vm", "share", "queued"),
    )


def token_reading() -> TokensReading:
    """Requests to a language model, with the cached tokens of their prompts."""
    return TokensReading(
        ValueMeaning(Measure.TOKENS, "one server", TimeUnit.S),
        Rows(),
        TokenColumns("arrived_s", "prompt", "output", "cached"),
    )


def job_reading(*speedup_ppm: int) -> RunTimeReading:
    """Run times of jobs, with a speed-up by servers where they may have more."""
    measured = ValueMeaning(Measure.RUN_TIME, "a server", TimeUnit.S)
    speedups = CommonCurve(Curve(None, speedup_ppm)) if speedup_ppm else None
    return RunTimeReading(measured, Rows(), "run time", speedups)
