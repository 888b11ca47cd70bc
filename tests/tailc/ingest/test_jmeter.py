"""CSV of JMeter: a response of a load generator, in whole milliseconds, as JMeter judged it."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from tailc.errors import Code
from tailc.ingest.ingest import ingest
from tailc.ingest.input_times import Loop
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.reading import TimeUnit
from tests.tailc.ingest.refusal import OPEN, options, refused
from tests.tailc.traces.closed_loop_case import closed, latencies

HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,Latency"
T0_MS = 1_619_619_723_088
MS = 1_000_000


def row(at, elapsed, success="true", message="OK", code="200"):
    return f"{T0_MS + at},{elapsed},login,{code},{message},T 1-1,{success},7"


def written(folder, *rows, head=HEAD):
    path = folder / "kpi.jtl"
    path.write_text("\n".join((head, *rows)) + "\n")
    return path


def taken(path, said=OPEN):
    (found,) = ingest([str(path)], options(), said).inputs
    assert found.times is not None
    return found.times


def times_ms(found):
    return (np.repeat(found.histogram.demand_ns, found.histogram.count) / MS).round(2).tolist()


def test_samples_that_failed_are_left_out_whatever_their_code(tmp_path):
    rows = [
        row(0, 120),
        row(5, 30_000, "false", code="Non HTTP response code: SocketTimeoutException"),
        row(9, 80, "false", "assertion failed"),
        row(20, 40, "TRUE", code="404"),
    ]
    found = taken(written(tmp_path, *rows))
    assert times_ms(found) == pytest.approx([40, 120], rel=1e-3)
    assert (found.format, found.left_out, found.loop) == ("JMeter CSV", 2, Loop.UNSTATED)
    assert found.warnings == ()


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters_and_a_byte_order_mark_are_read(tmp_path, delimiter):
    lines = [line.replace(",", delimiter) for line in (HEAD, row(0, 120), row(9, 40))]
    path = written(tmp_path, *lines[1:], head="\ufeff" + lines[0])
    assert times_ms(taken(path)) == pytest.approx([40, 120], rel=1e-3)


def test_rows_of_transactions_do_not_count_their_samples_again(tmp_path):
    of_two = "Number of samples in transaction : 2. number of failing samples : 0"
    rows = [row(0, 30), row(30, 50), row(0, 80, message=of_two)]
    found = taken(written(tmp_path, *rows))
    assert times_ms(found) == pytest.approx([30, 50], rel=1e-3)
    (warning,) = found.warnings
    assert (warning.code, "1 of 3 rows" in warning.message) == (Code.SUMS_LEFT_OUT, True)
    alone = taken(written(tmp_path, rows[2], row(90, 70, message=of_two)))
    assert (times_ms(alone), alone.warnings) == (pytest.approx([70, 80], rel=1e-3), ())


def test_a_time_of_0_counts_as_half_a_millisecond(tmp_path):
    found = taken(written(tmp_path, row(0, 0), row(1, 3), row(5, 0, "false")))
    assert times_ms(found) == pytest.approx([0.5, 3], rel=1e-3)
    (warning,) = found.warnings
    assert (warning.code, "1 of 3 requests" in warning.message) == (Code.ZERO_LENGTH, True)


def test_without_a_judgement_failed_requests_are_not_recognised(tmp_path):
    found = taken(written(tmp_path, f"{T0_MS},5,login", head="timeStamp,elapsed,label"))
    assert [warning.code for warning in found.warnings] == [Code.FAILED_REQUESTS]


@pytest.mark.parametrize("clients", [1, 3])
def test_threads_that_wait_for_answers_are_a_closed_loop(tmp_path, clients):
    at_ns, latency_ns = closed(clients, 20 * latencies("lognormal"))
    at_ms, end_ms = np.round(at_ns / MS), np.round((at_ns + latency_ns) / MS)
    rows = (row(round(at), round(end - at)) for at, end in zip(at_ms, end_ms, strict=True))
    path = written(tmp_path, *rows)
    assert refused(path, StatedMeasure()).code is Code.CLOSED_LOOP


def test_the_column_alone_is_of_responses_too(tmp_path):
    path = written(tmp_path, row(0, 120), row(5, 40))
    busy = StatedMeasure(Measure.DEMAND_BUSY)
    given = {"unit": TimeUnit.MS, "table": TimeColumn("elapsed")}
    assert refused(path, busy, **given).code is Code.RESPONSE_TIME


def dated(at_ms: int, pattern: str) -> str:
    at = datetime(2013, 7, 4, 12, 26, 5) + timedelta(milliseconds=at_ms)
    return at.strftime(pattern).replace("MMM", f"{at.microsecond // 1000:03d}")


@pytest.mark.parametrize(
    ("pattern", "loop"),
    [
        ("%Y/%m/%d %H:%M:%S.MMM", Loop.CLOSED),
        ("%Y-%m-%d %H:%M:%S.MMM", Loop.CLOSED),
        ("%Y-%m-%dT%H:%M:%S.MMM+02:00", Loop.CLOSED),
        ("%H:%M:%S", Loop.UNSTATED),
        ("%d.%m.%Y %H:%M:%S", Loop.UNSTATED),
        ("", Loop.UNSTATED),
    ],
)
def test_dates_show_a_closed_loop_too(tmp_path, pattern, loop):
    at_ns, latency_ns = closed(1, 20 * latencies("lognormal"))
    at_ms, end_ms = np.round(at_ns / MS), np.round((at_ns + latency_ns) / MS)
    rows = (
        f"{dated(at, pattern)},{end - at:.0f},a,200"
        for at, end in zip(at_ms.tolist(), end_ms.tolist(), strict=True)
    )
    path = written(tmp_path, *rows, head="timeStamp,elapsed,label,responseCode")
    busy = StatedMeasure(Measure.DEMAND_BUSY, "one client was alone on the machine")
    assert taken(path, busy).loop is loop


def test_a_log_without_time_stamps_is_one_of_jmeter(tmp_path):
    head = HEAD.partition(",")[2]
    rows = [row(0, 120).partition(",")[2], row(9, 7, "false").partition(",")[2]]
    found = taken(written(tmp_path, *rows, head=head))
    assert (times_ms(found), found.left_out) == (pytest.approx([120], rel=1e-3), 1)
    assert (found.format, found.loop) == ("JMeter CSV", Loop.UNSTATED)
