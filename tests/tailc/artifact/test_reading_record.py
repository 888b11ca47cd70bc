"""A record of an artifact and the reading that it says: one for one, or refused."""

import pytest

from tailc.artifact.reading_record import Reading, reading_of, record_of_reading
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    ClassCurves,
    CommonCurve,
    Curve,
    CyclesAndMemory,
    DemandAndMemory,
    DemandColumn,
    Rows,
    RunTimeReading,
    SpeedupColumns,
    SplitBy,
    SplitRule,
    ThroughputColumns,
    ThroughputReading,
    TimeUnit,
    Timings,
    TimingsReading,
    ValueMeaning,
)
from tailc.traces.serial import Serial

CURVE = Curve(None, (1_000_000, 1_900_000))
CLASSES = (Curve("a", (1_000_000,)), Curve("b", (1_000_000, 1_500_000)))
LATEST = SplitRule(SplitBy.TIME, 200_000, "at")
MACHINES = {"time": "at", "machine": "vm", "share": "part"}
TIMINGS = Timings("query", "threads", "took")
OF_REQUESTS = "weights, bins, degrees, serial parts, memory times or clock"


def record(measure=Measure.DEMAND_BUSY, **parts) -> Reading:
    return Reading(measure, "one core", TimeUnit.MS, **parts)


def demands(**parts) -> Reading:
    return record(**{"demand": "work", "curves": (CURVE,), **parts})


def run_times(**parts) -> Reading:
    return record(Measure.RUN_TIME, **{"demand": "run time", **parts})


def throughput(**parts) -> Reading:
    return record(Measure.THROUGHPUT, **{"demand": "done", **MACHINES, **parts})


@pytest.mark.parametrize(
    ("parts", "demand", "speedups"),
    [
        ({}, DemandColumn("work"), CommonCurve(CURVE)),
        ({"memory": "mem"}, DemandAndMemory("work", "mem"), CommonCurve(CURVE)),
        (
            {"memory": "mem", "clock_khz": 2_000_000},
            CyclesAndMemory("work", "mem", 2_000_000),
            CommonCurve(CURVE),
        ),
        (
            {"curves": CLASSES, "class_column": "kind", "weight": "n", "bin_us": 5_000},
            DemandColumn("work"),
            ClassCurves("kind", CLASSES),
        ),
        (
            {"curves": (), "speedup_columns": ("s1", "s2"), "max_degree": 2, "split": LATEST},
            DemandColumn("work"),
            SpeedupColumns(("s1", "s2")),
        ),
        ({"serial": Serial(0, 0, 5, 0)}, DemandColumn("work"), CommonCurve(CURVE)),
    ],
)
def test_a_record_of_demands_tells_their_columns_and_their_speed_ups(parts, demand, speedups):
    found = reading_of(demands(**parts))
    assert (found.demand, found.speedups) == (demand, speedups)
    assert record_of_reading(found) == demands(**parts)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (
            record(timings=TIMINGS, where=(("host", "a"),), note="it was idle", weight="n"),
            TimingsReading(
                ValueMeaning(Measure.DEMAND_BUSY, "one core", TimeUnit.MS, "it was idle"),
                Rows((("host", "a"),)),
                TIMINGS,
                "n",
            ),
        ),
        (
            throughput(split=LATEST),
            ThroughputReading(
                ValueMeaning(Measure.THROUGHPUT, "one core", TimeUnit.MS),
                Rows(split=LATEST),
                ThroughputColumns("done", "at", "vm", "part"),
            ),
        ),
        (
            throughput(waiting="queued"),
            ThroughputReading(
                ValueMeaning(Measure.THROUGHPUT, "one core", TimeUnit.MS),
                Rows(),
                ThroughputColumns("done", "at", "vm", "part", "queued"),
            ),
        ),
        (
            run_times(),
            RunTimeReading(
                ValueMeaning(Measure.RUN_TIME, "one core", TimeUnit.MS), Rows(), "run time", None
            ),
        ),
    ],
)
def test_a_record_of_something_else_is_a_reading_of_that(said, wanted):
    assert reading_of(said) == wanted
    assert record_of_reading(wanted) == said


@pytest.mark.parametrize("curves", [(CURVE,), CLASSES])
def test_run_times_of_jobs_may_have_curves(curves):
    said = run_times(curves=curves, class_column="kind" if len(curves) > 1 else None)
    assert reading_of(said).curves == curves
    assert record_of_reading(reading_of(said)) == said


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (record(), "demand comes from a column or from timings"),
        (demands(timings=TIMINGS), "demand comes from a column or from timings"),
        (demands(curves=()), "speed-ups must come from exactly one of timings, columns and curves"),
        (
            demands(speedup_columns=("s1",)),
            "speed-ups must come from exactly one of timings, columns and curves",
        ),
        (
            record(timings=TIMINGS, curves=(CURVE,)),
            "speed-ups must come from exactly one of timings, columns and curves",
        ),
        (
            record(timings=TIMINGS, memory="mem"),
            "timings must not have a column of memory time or a clock",
        ),
        (demands(class_column="kind"), "several curves need a class column"),
        (demands(curves=CLASSES), "several curves need a class column"),
        (demands(clock_khz=1_000), "`clock_khz` needs a column of memory time"),
        (demands(memory="mem", clock_khz=0), "`clock_khz` must be at least 1"),
        (demands(**MACHINES), "throughput is of machines"),
        (record(timings=TIMINGS, share="part"), "throughput is of machines"),
        (record(Measure.THROUGHPUT, timings=TIMINGS), "throughput is of machines"),
        (throughput(time=None), "throughput is of machines"),
        (throughput(curves=(CURVE,)), "a trace of throughput must not have speed-ups"),
        (throughput(weight="n"), OF_REQUESTS),
        (run_times(speedup_columns=("s1", "s2")), "curves or no speed-ups"),
        (record(Measure.RUN_TIME, timings=TIMINGS), "curves or no speed-ups"),
        (run_times(**MACHINES), "throughput is of machines"),
        (run_times(memory="mem"), OF_REQUESTS),
        (run_times(serial=Serial(0, 0, 5, 0)), OF_REQUESTS),
        (throughput(serial=Serial(0, 0, 5, 0)), OF_REQUESTS),
        (run_times(curves=CLASSES), "several curves need a class column"),
    ],
)
def test_a_record_that_says_no_reading_or_parts_of_two_is_refused(said, complaint):
    with pytest.raises(ValueError, match=complaint):
        reading_of(said)
