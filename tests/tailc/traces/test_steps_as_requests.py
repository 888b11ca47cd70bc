"""Steps in a list of `sacct` are not requests, by any command that reads times of requests."""

import pytest

from tailc.errors import Code
from tailc.ingest.options import TimeColumn
from tailc.ingest.stated_measure import StatedMeasure
from tailc.traces.profile import Measure
from tailc.traces.trace import read_trace
from tests.tailc.ingest.refusal import refused as not_ingested
from tests.tailc.traces.making import reading, refused

HEAD = "JobID|Elapsed|CPUTimeRAW"
JOB = "46|00:10:00|1200"


def listed(folder, *rows, head=HEAD):
    path = folder / "sacct.txt"
    path.write_text("\n".join((head, *rows)) + "\n")
    return path


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ((JOB, "46.batch|00:10:00|1200"), 2),
        ((JOB, "47|00:00:09|9", "47.extern|00:00:09|9", "47.0|00:00:05|5"), 3),
        ((JOB, "48_3|00:00:09|9", "48_3.4294967290|00:00:05|5"), 3),
        ((JOB, "46.0|00:10:00|1200"), 2),
    ],
)
def test_steps_of_jobs_are_refused(tmp_path, rows, row):
    path = listed(tmp_path, *rows)
    found = not_ingested(path, StatedMeasure(Measure.DEMAND_CPU), table=TimeColumn("Elapsed"))
    assert (found.code, found.place.row) == (Code.STEPS_AS_REQUESTS, row)
    assert "sacct -X" in (found.help or "")
    (found,) = refused(path, reading(demand="Elapsed"))
    assert (found.code, found.place.row) == (Code.STEPS_AS_REQUESTS, row)


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        (HEAD, (JOB, "47|00:10:00|1200")),
        (HEAD, ("46.batch|00:10:00|1200", "47.batch|00:10:00|9")),
        (HEAD, ("1.5|00:10:00|1200", "2.0|00:10:00|9")),
        (HEAD.replace("JobID", "step"), (JOB, "46.batch|00:10:00|1200")),
    ],
)
def test_jobs_and_steps_alone_are_read(tmp_path, head, rows):
    path = listed(tmp_path, *rows, head=head)
    found = read_trace(str(path), reading(demand="Elapsed"))
    assert found.profile.demand_ms.tolist() == [600_000] * 2
