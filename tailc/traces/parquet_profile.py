"""Write a demand profile as a Parquet file that contains its own reading."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tailc.errors import Code
from tailc.traces.curves import PPM
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.reading import (
    Curve,
    DemandAndMemory,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
    speedups_of,
)
from tailc.traces.source import Source

METADATA_KEY = b"tailc.profile"
VERSION = 1
ROW_GROUP_ROWS = 1 << 20


def written_profile(profile: DemandProfile) -> bytes:
    """Encode a profile of demands as the bytes of a Parquet file.

    Equal profiles give equal bytes for one version of pyarrow. Columns: `demand_ms`; `memory_ms` if
    known; `weight` unless all are 1; `class` if several curves have names, or `speedup_1`,
    `speedup_2`, ... if they have none. The metadata has a common curve, the curves of classes, the
    measure and the reference. Merged rows are written one by one. Read with `reading_stated_in`,
    the profile has the same digest.
    """
    metadata = {METADATA_KEY: _metadata(profile)}
    every = np.arange(len(profile.demand_ms))
    schema = _rows(profile, every[:0]).schema.with_metadata(metadata)
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for block in profile.blocks(every, ROW_GROUP_ROWS):
            writer.write_table(_rows(profile, block).replace_schema_metadata(metadata))
    return sink.getvalue()


def _rows(profile: DemandProfile, chosen: NDArray[np.intp]) -> pa.Table:
    """A table row for each of the selected requests."""
    columns: dict[str, pa.Array] = {"demand_ms": pa.array(profile.demand_ms[chosen])}
    if profile.memory_ms is not None:
        columns["memory_ms"] = pa.array(profile.memory_ms[chosen])
    if (profile.weight_of_row != 1).any():
        columns["weight"] = pa.array(profile.weight_of_row[chosen])
    curve_of = profile.curve_of[chosen]
    if profile.curve_names and not profile.has_common_curve:
        columns["class"] = pa.array(profile.curve_names).take(pa.array(curve_of))
    elif not profile.has_common_curve:
        speedup = profile.curves[curve_of]
        for degree in range(profile.degrees):
            columns[f"speedup_{degree + 1}"] = pa.array(np.ascontiguousarray(speedup[:, degree]))
    return pa.table(columns)


def reading_stated_in(source: Source) -> DemandReading | None:
    """Read the reading in the metadata of a file of `written_profile`; None for other traces.

    Raises TailcError if a later version wrote the file.
    """
    try:
        with source.raw() as stream:
            schema = pq.ParquetFile(stream).schema_arrow
    except (pa.ArrowException, UnicodeDecodeError, OSError):
        return None
    stated = (schema.metadata or {}).get(METADATA_KEY)
    if stated is None:
        return None
    try:
        return _reading(json.loads(stated), schema.names)
    except (ValueError, KeyError, TypeError):
        raise source.fault(
            Code.BROKEN_FORMAT,
            f"`{source.name}` has metadata that this version of tailc cannot read",
            advice="run `tailc split` again with this version",
        ) from None


def _metadata(profile: DemandProfile) -> bytes:
    by_request = not profile.has_common_curve and not profile.curve_names
    names = profile.curve_names or (None,)
    millionths = np.rint(profile.curves * PPM).astype(int).tolist()
    curves = [] if by_request else list(zip(names, millionths, strict=True))
    stated = {
        "curves": curves,
        "measure": profile.measure.value,
        "reference": profile.reference,
        "version": VERSION,
    }
    return json.dumps(stated, sort_keys=True, separators=(",", ":")).encode()


def _reading(stated: dict, names: list[str]) -> DemandReading:
    if stated["version"] != VERSION:
        raise ValueError("another version")
    has_memory = "memory_ms" in names
    return DemandReading(
        ValueMeaning(Measure(stated["measure"]), stated["reference"], TimeUnit.MS),
        Rows(),
        DemandAndMemory("demand_ms", "memory_ms") if has_memory else DemandColumn("demand_ms"),
        speedups_of(
            tuple(Curve(name, tuple(ppm)) for name, ppm in stated["curves"]),
            "class" if "class" in names else None,
            tuple(name for name in names if name.startswith("speedup_")),
        ),
        weight="weight" if "weight" in names else None,
    )
