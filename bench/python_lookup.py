"""One look-up in Python: the runtime, FlatBuffers accessors, and the compiler's reference.

Prints microseconds a look-up over the queries of the published table's vectors, the empty loop
taken off; the aims are 0.3 for the runtime and 0.06 for arrays. Also what opening a policy costs.
"""

from __future__ import annotations

import csv
import sys
import timeit
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "runtimes" / "python"))

import numpy as np  # noqa: E402
from tailc_runtime import open_policy  # noqa: E402
from tailc_runtime._generated import policy_generated as fbs  # noqa: E402

from tailc.artifact.files import read_policy  # noqa: E402
from tailc.forms.ladder.batch import BatchLookup  # noqa: E402
from tailc.forms.ladder.lookup import lookup  # noqa: E402
from tailc.forms.ladder.table import Ladder  # noqa: E402

VECTORS = ROOT / "schemas" / "vectors" / "v1"
LUCENE = VECTORS / "lucene.tailc"
REPEATS = 5

Query = tuple[int, int, int]
Look = Callable[[int, int, int], object]


def main() -> None:
    queries = queries_of(VECTORS / "lucene.csv")
    empty_us = microseconds(lambda *_: None, queries, 100)
    ladder = read_policy(LUCENE).forms[0]
    ways: list[tuple[str, Look, int]] = [
        ("tailc_runtime", open_policy(LUCENE).lookup, 100),
        ("tailc_runtime, loads by bisection", open_policy(VECTORS / "rate.tailc").lookup, 100),
        ("FlatBuffers accessors", accessor_lookup(LUCENE.read_bytes()), 2),
        ("tailc.forms.ladder.lookup", lambda *query: lookup(ladder, *query), 2),
    ]
    print(f"{'look-up':36}{'us':>8}")
    for name, look, rounds in ways:
        print(f"{name:36}{microseconds(look, queries, rounds) - empty_us:8.3f}")
    print(f"{'tailc.forms.ladder.batch, arrays':36}{batch_microseconds(ladder, queries):8.3f}")
    for suffix in (".tailc", ".json"):
        path = LUCENE.with_suffix(suffix)
        open_us = min(timeit.repeat(lambda path=path: open_policy(path), number=20, repeat=REPEATS))
        print(f"{f'open and check lucene{suffix}':36}{open_us / 20 * 1e6:8.0f}")


def microseconds(look: Look, queries: list[Query], rounds: int) -> float:
    """Least mean time of a call, the loop over the queries included."""

    def once() -> None:
        for load, waited_us, executed_us in queries:
            look(load, waited_us, executed_us)

    seconds = min(timeit.repeat(once, number=rounds, repeat=REPEATS))
    return seconds / rounds / len(queries) * 1e6


def batch_microseconds(ladder: Ladder, queries: list[Query]) -> float:
    """Least mean time of a query among 10,000 or more that are answered at once."""
    columns = np.array(queries * (10_000 // len(queries) + 1), dtype=np.int64).T.copy()
    look = BatchLookup(ladder)
    seconds = min(timeit.repeat(lambda: look(*columns), number=20, repeat=REPEATS))
    return seconds / 20 / columns.shape[1] * 1e6


def queries_of(path: Path) -> list[Query]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [
        (int(row["load"]), int(row["waited_us"]), int(row["executed_us"]))
        for row in csv.DictReader(lines)
    ]


def accessor_lookup(data: bytes) -> Look:
    """What a program would write on the generated accessors alone, without reading it all first."""
    box: Any = fbs.Policy.GetRootAs(data).Forms(0)
    ladder: Any = fbs.Ladder()
    ladder.Init(box.Form().Bytes, box.Form().Pos)
    loads = range(ladder.RowsLength())

    def look(load: int, waited_us: int, executed_us: int) -> tuple[int, int, int]:
        at = bisect_right(loads, load, key=lambda index: ladder.Rows(index).FirstLoad())
        row = ladder.Rows(max(at - 1, 0))
        climbs = range(row.FirstClimb(), row.FirstClimb() + row.ClimbCount())
        above = bisect_right(climbs, executed_us, key=lambda index: ladder.Climbs(index).AgeUs())
        left_us = max(row.DelayUs() - waited_us, 0)
        return row.Admission(), left_us, ladder.Climbs(climbs[above - 1]).Rung()

    return look


if __name__ == "__main__":
    main()
