"""Percentiles, points of distributions and running totals: read, or refused as requests."""

import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import TimeColumn
from tailc.ingest.responses import refuse_responses
from tailc.ingest.stated_measure import StatedMeasure
from tailc.specs.column_map import read_column_map
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.source import open_source
from tailc.traces.telling_names import is_running_total
from tailc.traces.trace import read_trace
from tests.tailc.ingest.generators_case import near, read, written
from tests.tailc.ingest.refusal import OPEN, options, refused
from tests.tailc.traces.making import reading as request_reading

BUSY = StatedMeasure(Measure.DEMAND_BUSY)


TEXT = "Value    Percentile    TotalCount    1/(1-Percentile)\n\n"
ROWS = (
    ("1.000", "0.000000", "1", "1.00"),
    ("2.500", "0.500000", "50", "2.00"),
    ("4.000", "0.900000", "90", "10.00"),
    ("9.000", "0.990000", "99", "100.00"),
    ("20.000", "1.000000", "100", "Infinity"),
)
FROM_ZERO = (("1.000", "0.000000", "0", "1.00"), *ROWS[1:])


def as_text(rows, heading=TEXT):
    return heading + "".join("    ".join(row) + "\n" for row in rows)


def as_csv(rows):
    head = '"Value","Percentile","TotalCount","1/(1-Percentile)"\n'
    return head + "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "least_ms"),
    [
        (as_text(ROWS), 1.0),
        (as_text(FROM_ZERO), 2.5),
        (as_text((("0.000", "0.000000", "0", "1.00"), *FROM_ZERO)), 2.5),
        (as_text(FROM_ZERO).replace("Infinity", "10000000.000000"), 2.5),
        ("\n" + as_text(FROM_ZERO), 2.5),
        (as_text(ROWS).replace(".", ","), 1.0),
        (as_text(FROM_ZERO).replace(".", ",").replace("Infinity", ""), 2.5),
        (as_csv(ROWS), 1.0),
        (as_csv(FROM_ZERO), 2.5),
        (as_csv(ROWS).replace("\n", "\r\n"), 1.0),
        (as_csv(ROWS).replace('"', ""), 1.0),
    ],
)
def test_percentiles_are_read_as_text_and_as_csv(tmp_path, text, least_ms):
    times, _, warnings = read(written(tmp_path, text), unit=TimeUnit.MS)
    assert (len(times), times[0], times[49], times[89], times[98], times[99]) == near(
        (100, least_ms, 2.5, 4.0, 9.0, 20.0)
    )
    assert warnings == [Code.COARSE_INPUT]


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1), ("s", 1e3), ("us", 1e-3), ("µs", 1e-3)])
def test_the_unit_in_the_heading_is_that_of_the_values(tmp_path, unit, scale):
    heading = f"Value({unit})  Percentile  TotalCount  1/(1-Percentile)\n"
    path = written(tmp_path, as_text(FROM_ZERO, heading))
    times, found, _ = read(path)
    assert (times[-1], found.unit.value) == (near(20 * scale), unit.replace("µ", "u"))
    assert read(path, unit=found.unit)[0] == times
    assert refused(path, unit=TimeUnit.NS).code is Code.USAGE


@pytest.mark.parametrize("text", [as_text((("0.000", "1.000000", "0", "inf"),)), as_csv(ROWS[:0])])
def test_percentiles_of_no_requests_are_refused(tmp_path, text):
    found = refused(written(tmp_path, text), unit=TimeUnit.MS)
    assert found.code in (Code.EMPTY_TRACE, Code.TRUNCATED)


@pytest.mark.parametrize("seconds", [5, 9])
@pytest.mark.parametrize("zeros", [1, 3])
def test_wrk2_that_ends_in_its_calibration_is_told_to_run_longer(tmp_path, seconds, zeros):
    points = "       0.000     0.500000            0         2.00\n" * (zeros - 1)
    text = (
        f"Running {seconds}s test @ http://localhost:8085/\n"
        "  2 threads and 10 connections\n    Latency      -nan      -nan   0.00us    0.00%\n"
        "  Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n"
        f"\n{points}       0.000     1.000000            0          inf\n"
        "#[Mean    =         -nan, StdDeviation   =         -nan]\n"
    )
    found = refused(written(tmp_path, text), StatedMeasure())
    assert (found.code, "first 10 s" in found.message) == (Code.EMPTY_TRACE, True)
    assert "-d 60s" in found.help


@pytest.mark.parametrize("text", [as_csv(ROWS), as_csv(ROWS).replace('"', ""), as_text(ROWS)])
@pytest.mark.parametrize("weight", [None, "TotalCount"])
def test_points_of_a_distribution_are_no_requests(tmp_path, text, weight):
    path = written(tmp_path, text)
    found = refused(path, table=TimeColumn("Value", weight), unit=TimeUnit.MS)
    assert (found.code, "points of a distribution" in found.message) == (Code.RUNNING_TOTAL, True)
    measured = ValueMeaning(Measure.DEMAND_BUSY, "", TimeUnit.MS)
    with open_source(str(path)) as source, pytest.raises(TailcError) as caught:
        refuse_responses(source, measured)
    assert caught.value.findings[0].code is Code.RUNNING_TOTAL


RUNNING = "ms,cumulative_count\n1,1\n2,50\n4,100\n"


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        (RUNNING, "cumulative_count"),
        (RUNNING.replace("cumulative_count", "CumCount"), "CumCount"),
        ("ms,quantile,total_count\n1,0,1\n2,0.5,50\n", "total_count"),
    ],
)
def test_a_running_total_is_no_weight(tmp_path, text, weight):
    path = written(tmp_path, text)
    found = refused(path, table=TimeColumn("ms", weight), unit=TimeUnit.MS)
    assert (found.code, found.place.field) == (Code.RUNNING_TOTAL, weight)
    map_path = tmp_path / "map.yaml"
    map_path.write_text(
        "apiVersion: tailc/v1\nkind: column-map\nname: x\ntimes: {column: ms, unit: ms}\n"
        f"weight: {weight}\nmeasure: demand-busy\n"
    )
    assert refused(path, BUSY, table=read_column_map(str(map_path))).code is Code.RUNNING_TOTAL
    reading = DemandReading(
        ValueMeaning(Measure.DEMAND_BUSY, "", TimeUnit.MS),
        Rows(),
        DemandColumn("ms"),
        CommonCurve(Curve(None, (1_000_000,))),
        weight,
    )
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading)
    assert caught.value.findings[0].code is Code.RUNNING_TOTAL


@pytest.mark.parametrize("weight", ["weight", "count", "times", "total_count", "document"])
def test_other_names_are_of_weights(weight):
    assert not is_running_total(weight, ("ms", weight))


@pytest.mark.parametrize(
    ("head", "column", "is_told"),
    [
        ("session,50%(us),90%(us),99%(us),max(us)", "99%(us)", True),
        ("Name,50%,66%,99.9%,100%", "50%", True),
        ("minute,p50_ms,p95_ms,p99.9_ms", "p95_ms", True),
        ("minute,latency_p50,latency_p95,latency_p99", "latency_p50", True),
        ("session,50%(us),90%(us),99%(us),max(us)", "max(us)", False),
        ("query,cpu_%,busy_ms", "busy_ms", False),
        ("query,p50_ms,p99_ms", "p50_ms", False),
        ("shard,p50_ms,p99_ms,requests", "p99_ms", True),
        ("shard,latency_p999", "latency_p999", True),
        ("minute,p95", "p95", True),
        ("year,p2023_ms", "p2023_ms", False),
        ("query,time at 90%,time at 50%", "time at 90%", False),
        ("query,p1,p2,p3", "p3", False),
        ("query,map10,map20,map30", "map30", False),
    ],
)
def test_a_column_of_percentiles_is_not_of_requests(tmp_path, head, column, is_told):
    row = ",".join("7" for _ in head.split(","))
    path = written(tmp_path, f"{head}\n{row}\n{row}\n")
    given = options(unit=TimeUnit.MS, table=TimeColumn(column))
    warnings = ingest([str(path)], given, OPEN).warnings
    assert [one.code for one in warnings] == [Code.COARSE_INPUT] * is_told


@pytest.mark.parametrize(("column", "is_told"), [("p50_ms", True), ("mean_ms", False)])
def test_a_weighted_column_of_percentiles_is_not_of_requests(tmp_path, column, is_told):
    path = written(tmp_path, "shard,mean_ms,p50_ms,requests\n1,2,3,4\n2,3,4,5\n", "t.csv")
    warnings = ingest([str(path)], options(table=TimeColumn(column, "requests")), OPEN).warnings
    assert [one.code for one in warnings] == [Code.COARSE_INPUT] * is_told
    recipe = request_reading(demand=column, weight="requests")
    codes = [each.code for each in read_trace(str(path), recipe).warnings]
    assert codes == [Code.COARSE_INPUT] * is_told
