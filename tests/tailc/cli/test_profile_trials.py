"""Order, shards, repetition and format of rows do not change a profile."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tailc.cli import run

BUSY = ("--measure", "demand-busy", "--column", "demand_ms", "--unit", "ms")
FORMATS = ("csv", "ndjson", "parquet", "arrow")
MOST_SHARDS = 64


def write_table(path: Path, demands_ms: Sequence[float]) -> None:
    if path.suffix == ".csv":
        path.write_text("".join(f"{cell}\n" for cell in ("demand_ms", *demands_ms)))
    elif path.suffix == ".ndjson":
        path.write_text("".join(f'{{"demand_ms": {cell}}}\n' for cell in demands_ms))
    elif path.suffix == ".parquet":
        pq.write_table(pa.table({"demand_ms": demands_ms}), path)
    else:
        table = pa.table({"demand_ms": demands_ms})
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def profile_of(folder: Path, parts: Sequence[Sequence[float]], suffix: str) -> bytes:
    """The profile of a table in parts, in the order of their times."""
    paths = [folder / f"{number}.{suffix}" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        write_table(path, part)
    out = folder / "x.profile"
    assert run(["ingest", *map(str, paths), *BUSY, "-o", str(out)]) == 0
    return out.read_bytes()


def cut(rng: random.Random, rows: list[float]) -> list[list[float]]:
    """1 to 64 parts, none of them empty."""
    count = min(rng.choice([1, 2, 4, 8, 16, 32, MOST_SHARDS]), len(rows))
    ends = [0, *sorted(rng.sample(range(1, len(rows)), count - 1)), len(rows)]
    return [rows[first:last] for first, last in itertools.pairwise(ends)]


def counts_of(profile: bytes) -> dict[str, object]:
    """What a policy is compiled from: all but the format that the rows had."""
    document = json.loads(profile)
    return {key: document[key] for key in ("histogram", "measure")}


def buckets(profile: bytes) -> dict[int, int]:
    return dict(json.loads(profile)["histogram"]["buckets"])


@pytest.mark.fuzz
def test_order_shards_repetition_and_format_change_no_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1)
    for trial in range(1_000):
        rows = [round(rng.lognormvariate(3, 1), 3) + 0.001 for _ in range(rng.randint(2, 300))]
        first = profile_of(tmp_path, [rows], "csv")
        parts = cut(rng, rng.sample(rows, len(rows)))
        assert profile_of(tmp_path, parts, "csv") == first, (trial, rows)
        other = profile_of(tmp_path, cut(rng, rows), rng.choice(FORMATS))
        assert counts_of(other) == counts_of(first), (trial, rows)
        times = rng.randint(2, 5)
        often = buckets(profile_of(tmp_path, [rows] * times, rng.choice(FORMATS)))
        assert often == {key: times * count for key, count in buckets(first).items()}, (trial, rows)
        capsys.readouterr()
