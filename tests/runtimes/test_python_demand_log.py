"""The Python runtime logs demands that tailc reads as a trace."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from tailc_runtime import DemandLog, RequestTimes

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
from tailc.traces.trace import read_trace


def test_every_nth_demand_stands_for_n(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    with DemandLog(path, 2) as log:
        for demand_us in (10, 20, 30, 40, 50):
            log.record(demand_us)
    assert path.read_text() == "demand_us,weight\n20,2\n40,2\n"


def test_a_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    for one_in in (1, 3):
        with DemandLog(path, one_in) as log:
            for demand_us in (7, 8, 9):
                log.record(demand_us)
    assert path.read_text() == "demand_us,weight\n7,1\n8,1\n9,1\n9,3\n"


def test_a_demand_below_a_microsecond_counts_as_one(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    with DemandLog(path, 1) as log:
        for demand_us in (0, 1, 2):
            log.record(demand_us)
    assert path.read_text() == "demand_us,weight\n1,1\n1,1\n2,1\n"


@pytest.mark.parametrize("found", ["demand_us,weight,class\n", "demand_us,weight\n7", "a\n"])
def test_a_file_with_other_columns_or_half_a_line_is_refused(tmp_path: Path, found: str) -> None:
    path = tmp_path / "demands.csv"
    path.write_text(found)
    with pytest.raises(
        ValueError, match="csv: the file exists, but has other columns or an incomplete line"
    ):
        DemandLog(path, 1)
    assert path.read_text() == found


def test_classes_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    with DemandLog(path, 1, has_classes=True) as log:
        log.record(5, "short")
        log.record(6, 'a "b", c')
    assert path.read_text() == 'demand_us,weight,class\n5,1,short\n6,1,"a ""b"", c"\n'


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one demand in N is written, so N must be at least 1"):
        DemandLog(tmp_path / "a.csv", 0)
    with DemandLog(tmp_path / "b.csv", 1) as log:
        with pytest.raises(ValueError, match="must not be negative"):
            log.record(-1)
        with pytest.raises(ValueError, match="class"):
            log.record(1, "short")
    with (
        DemandLog(tmp_path / "c.csv", 1, has_classes=True) as log,
        pytest.raises(ValueError, match="class"),
    ):
        log.record(1)


def test_what_was_recorded_is_written_when_asked_and_64_kib_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    with DemandLog(path, 1) as log:
        log.record(1)
        assert path.read_text() == "demand_us,weight\n"
        log.flush()
        assert path.read_text() == "demand_us,weight\n1,1\n"
        for _ in range(64 * 1024 // len("1234567,1\n") + 1):
            log.record(1_234_567)
        assert path.stat().st_size > 64 * 1024
        assert path.read_bytes().endswith(b"1234567,1\n")


def test_no_line_of_any_thread_is_lost_or_torn(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with DemandLog(path, 3) as log:
            threads = [
                threading.Thread(target=lambda: [log.record(123_456) for _ in range(3_000)])
                for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval_s)
    assert path.read_text() == "demand_us,weight\n" + "123456,3\n" * 4_000


def test_tailc_reads_it_as_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "demands.csv"
    with DemandLog(path, 100, has_classes=True) as log:
        for number in range(300):
            log.record(1_000 + number, "even" if number % 2 == 0 else "odd")
    reading = DemandReading(
        ValueMeaning(Measure.DEMAND_BUSY, "one thread", TimeUnit.US),
        Rows(where=(("class", "odd"),)),
        DemandColumn("demand_us"),
        CommonCurve(Curve(None, (1_000_000,))),
        weight="weight",
    )
    requests = read_trace(str(path), reading).requests
    assert requests.demand_ms.tolist() == [1.099, 1.199, 1.299]
    assert requests.weight.tolist() == [100, 100, 100]


def test_a_log_with_times_has_classes_too(tmp_path: Path) -> None:
    path = tmp_path / "demand.csv"
    times = RequestTimes(1, 2, 30, 40, 50, 6)
    with DemandLog(path, 1, has_times=True) as log:
        log.record(5, "", times)
        with pytest.raises(ValueError, match="must have times"):
            log.record(5, "")
        with pytest.raises(ValueError, match="must have a class"):
            log.record(5, None, times)
    header = "demand_us,weight,class,arrival_us,wait_us,run_us,thread_us,granted_us,late_us"
    assert path.read_text() == f'{header}\n5,1,"",1,2,30,40,50,6\n'
    with DemandLog(tmp_path / "other.csv", 1) as log, pytest.raises(ValueError, match="times"):
        log.record(5, None, times)
