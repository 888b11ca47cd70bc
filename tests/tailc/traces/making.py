"""Small traces in every format, their readings, and what reading them refuses."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.artifact.reading_record import Reading, reading_of
from tailc.errors import Finding, TailcError
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, RequestReading, TimeUnit
from tailc.traces.trace import read_trace

LINEAR_TO_TWO = Curve(None, (1_000_000, 1_500_000))
FORMATS = ("parquet", "csv", "ndjson", "csv.gz", "ndjson.gz", "jsonl.gz")


def reading(**changes) -> RequestReading:
    """Demands in ms in column `demand` and one curve for all, with the fields of a record."""
    stated = {"measure": Measure.DEMAND_BUSY, "reference": "one core", "unit": TimeUnit.MS}
    stated |= {"demand": "demand", "curves": (LINEAR_TO_TWO,)}
    found = reading_of(Reading(**(stated | changes)))
    assert isinstance(found, RequestReading)
    return found


def written(folder: Path, suffix: str, columns: dict[str, list]) -> str:
    """The columns as a file in the format of the suffix."""
    path = folder / f"trace.{suffix}"
    rows = list(zip(*columns.values(), strict=True))
    if suffix == "parquet":
        pq.write_table(pa.table(columns), path)
        return str(path)
    if suffix.startswith("csv"):
        lines = [",".join(columns)] + [",".join(map(str, row)) for row in rows]
    else:
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    data = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
    return str(path)


def refused(source: str | Path, recipe: RequestReading) -> tuple[Finding, ...]:
    """What reading the trace is refused for; each finding says how to mend it."""
    with pytest.raises(TailcError) as caught:
        read_trace(str(source), recipe)
    assert all(finding.help for finding in caught.value.findings)
    return caught.value.findings


DATA = {
    "id": ["a", "b", "c", "d"],
    "when": [3, 1, 2, 4],
    "demand": [0.1, 12.5, 3.0, 1e-3],
    "n": [1, 2, 1, 5],
    "s1": [1.0, 1.0, 1.0, 1.0],
    "s2": [1.9, 1.2, 1.9, 0.7],
    "kind": ["x", "y", "x", "x"],
}
