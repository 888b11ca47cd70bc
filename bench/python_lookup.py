"""One look-up in Python: the runtime, FlatBuffers accessors, and the compiler's reference.

    python -m bench.python_lookup

Prints microseconds a look-up over the queries of the published table's vectors, the empty loop
taken off; the aims are 0.3 for the runtime and 0.06 for arrays. Also what opening a policy costs.
"""

from __future__ import annotations

import csv
import timeit
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tailc_runtime import open_policy
from tailc_runtime._generated import policy_generated as fbs

from bench.timing import show
from tailc.artifact.files import read_policy
from tailc.forms.ladder.batch import BatchLookup
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Ladder

ROOT = Path(__file__).resolve().parent.parent
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
    taken_us = {name: microseconds(look, queries, rounds) for name, look, rounds in ways}
    # Again, since the machine may have been busy the first time.
    empty_us = min(empty_us, microseconds(lambda *_: None, queries, 100))
    rows = [[name, f"{us - empty_us:.3f}"] for name, us in taken_us.items()]
    rows.append(["batch of arrays", f"{batch_microseconds(ladder, queries):.3f}"])
    for suffix in (".tailc", ".json"):
        path = LUCENE.with_suffix(suffix)
        open_us = min(timeit.repeat(lambda path=path: open_policy(path), number=20, repeat=REPEATS))
        rows.append([f"open and check lucene{suffix}", f"{open_us / 20 * 1e6:.0f}"])
    show(["look-up", "us"], rows)


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
