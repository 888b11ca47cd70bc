"""Read and write a profile: counted demands as a JSON file.

Equal requests give equal bytes. The document is one line with sorted keys, no spaces, and only
whole numbers and text. `digest` is the SHA-256 of the document without this member.
`histogram.buckets` are pairs of a bucket number of `tailc.traces.histogram` and its number of
requests.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from tailc.errors import Code, TailcError
from tailc.traces.counted_times import CountedTimes, Origin
from tailc.traces.histogram import BUCKETS_A_DOUBLING, Histogram
from tailc.traces.profile import NS_PER_MS, Measure
from tailc.traces.reading import (
    CommonCurve,
    DemandColumn,
    DemandReading,
    RequestReading,
    Rows,
    TimeUnit,
    memory_column,
)
from tailc.traces.source import PROFILE_HEAD, Source
from tailc.traces.table import ColumnsToRead

FORMAT = "tailc-profile"
VERSION = 1
DEMAND, WEIGHT = "demand_ms", "weight"
# Every bucket there is, with large counts, takes a quarter of this.
MAX_BYTES = 1 << 23

_AGAIN = "ingest the measurements again"


def written_counted(counted: CountedTimes) -> bytes:
    """Encode counted times as the bytes of a profile file; `read_counted` reads them back."""
    document = _without_digest(counted)
    return _canonical({"digest": _digest(document), **document})


def is_profile(source: Source) -> bool:
    """Whether the file begins like a profile."""
    return PROFILE_HEAD.match(source.head()) is not None


def read_counted(source: Source) -> CountedTimes:
    """Read a profile file; raises TailcError if it is incomplete, changed or inconsistent."""
    document = _document(source)
    digest = document.pop("digest", None)
    if document.get("version") != VERSION:
        message = (
            f"`{source.name}` is a profile of version `{document.get('version')}`, which cannot "
            "be read"
        )
        advice = f"this version of tailc reads version {VERSION}: ingest the measurements again"
        raise source.fault(Code.BROKEN_FORMAT, message, advice=advice)
    if digest != _digest(document):
        message = f"`{source.name}` was changed after it was written: its digest does not match"
        raise source.fault(Code.BROKEN_FORMAT, message, advice=_AGAIN)
    try:
        counted = _read_counts(document)
        if document != _without_digest(counted):
            raise ValueError("it has numbers that are not whole")
        return counted
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        message = f"`{source.name}` is not a valid profile ({error})"
        raise source.fault(Code.BROKEN_FORMAT, message, advice=_AGAIN) from None


def reading_of_profile(source: Source, like: RequestReading) -> DemandReading | None:
    """Make the reading of a profile, with the speed-ups of another reading `like`.

    None for a file that is no profile. Raises TailcError if these speed-ups need more than the
    demand of each request, such as its class.
    """
    if not is_profile(source):
        return None
    match like:
        case DemandReading(demand=DemandColumn(), speedups=CommonCurve()):
            measure = read_counted(source).measure
            measured = replace(like.measured, measure=measure, unit=TimeUnit.MS)
            demand = DemandColumn(DEMAND)
            return replace(like, measured=measured, rows=Rows(), demand=demand, weight=WEIGHT)
    raise source.fault(
        Code.MISSING_COLUMN,
        f"`{source.name}` is a profile of demands, which does not have {_missing(like)}",
        advice="give a trace with one row for each request",
    )


def _missing(like: RequestReading) -> str:
    """The part that the reading needs of each request in addition to its demand."""
    if memory_column(like) is not None:
        return "memory times"
    return "the class of each request" if like.curves else "speed-ups of each request"


class ProfileTable:
    """Table of a profile's demands, with one row per bucket; see `Table`."""

    names = (DEMAND, WEIGHT)

    def __init__(self, source: Source) -> None:
        self.source = source

    @cached_property
    def _read_counts(self) -> CountedTimes:
        return read_counted(self.source)

    def batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        histogram = self._read_counts.histogram
        columns = {
            DEMAND: pa.array(histogram.demand_ns / NS_PER_MS),
            WEIGHT: pa.array(histogram.count.astype(np.float64)),
        }
        yield pa.RecordBatch.from_pydict({name: columns[name] for name in wanted.names})

    def careful_batches(self, wanted: ColumnsToRead) -> Iterator[pa.RecordBatch]:
        return self.batches(wanted)


def _without_digest(counted: CountedTimes) -> dict[str, Any]:
    histogram = counted.histogram
    return {
        "format": FORMAT,
        "histogram": {
            "buckets": np.stack([histogram.bucket, histogram.count], axis=1).tolist(),
            "buckets_a_doubling": BUCKETS_A_DOUBLING,
            "max_ns": histogram.max_ns,
            "min_ns": histogram.min_ns,
        },
        "measure": counted.measure.value,
        "origins": [asdict(origin) for origin in counted.origins],
        "version": VERSION,
    }


def _document(source: Source) -> dict[str, Any]:
    with source.plain() as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        message = f"`{source.name}` is longer than the {MAX_BYTES:,} bytes that a profile may have"
        raise source.fault(Code.TRACE_TOO_LARGE, message, advice=_AGAIN)
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _no_profile(source) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _no_profile(source)
    return document


def _no_profile(source: Source) -> TailcError:
    message = f"`{source.name}` is not a profile, or was truncated"
    return source.fault(Code.BROKEN_FORMAT, message, advice=_AGAIN)


def _read_counts(document: dict[str, Any]) -> CountedTimes:
    stated = document["histogram"]
    if stated["buckets_a_doubling"] != BUCKETS_A_DOUBLING:
        raise ValueError("its buckets have another width")
    buckets = np.array(stated["buckets"], dtype=np.int64).reshape(-1, 2)
    histogram = Histogram(buckets[:, 0], buckets[:, 1], stated["min_ns"], stated["max_ns"])
    origins = tuple(Origin(**origin) for origin in document["origins"])
    return CountedTimes(histogram, Measure(document["measure"]), origins)


def _digest(document: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(document)).hexdigest()


def _canonical(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"
