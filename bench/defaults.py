"""Compare the default table of few-to-many with every fixed degree, on held-out samples.

    python -m bench.defaults [--rows 5000] [--heavier] [--give-up] [--effort normal]
        [--laws LAW,...] [--cores 2,4,15,64] [--speedups 50%,80%,95%] [--samples 1,2,3]
        [--processes 2]

For each law, sample, number of cores and speed-up, compile a design sample at the rates that keep
20, 40 and 60 % of the cores busy. Replay its table, SEQ and FIX-k on a held-out sample, all on the
same requests at the same times. A law may also be a public trace under TAILC_DATA: one random half
is the design sample and the other is held out. A speed-up is a parallel part by Amdahl's law, or a
PARSEC program (facesim, bodytrack) whose speed-up was measured. The summary counts the cells where
the table is worse than the best of these by hindsight, significantly (Holm over all cells, at 5 %)
or by more than 2 %, and gives geometric means. With --heavier the held-out sample has 20 % longer
demand. With --give-up a request falls to one thread when it is as old as the longest of the design
sample.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist

from bench import public_data
from bench.default_cells import LAWS, Cell, CellResult, cell_result
from bench.processes import of_all
from bench.timing import end

_LEVEL, _MOST = 0.05, 0.02
# What a table may be worse than SEQ where little is known.
_MOST_SEQUENTIAL = 0.05


def main() -> None:
    asked = _arguments()
    cells = [
        Cell(law, sample, asked.rows, cores, speedup, asked.effort, asked.heavier, asked.give_up)
        for law, sample, cores, speedup in itertools.product(
            asked.laws, asked.samples, asked.cores, asked.speedups
        )
    ]
    found = of_all(cell_result, cells, asked.processes)
    for cell, one in found.items():
        print(_line(cell, one), flush=True)
    print(summary(list(found.values())))
    end()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--heavier", action="store_true")
    parser.add_argument("--give-up", action="store_true")
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--laws", type=_names, default=[])
    parser.add_argument("--cores", type=_numbers, default=[2, 4, 15, 64])
    parser.add_argument("--speedups", type=_names, default=["50%", "80%", "95%"])
    parser.add_argument("--samples", type=_numbers, default=[1, 2, 3])
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    asked.laws = asked.laws or known_laws()
    return asked


def _names(text: str) -> list[str]:
    return text.split(",")


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def known_laws() -> list[str]:
    """All laws, and the public traces if they are here."""
    if public_data.is_here():
        return [*LAWS, *public_data.TRACES]
    print(f"public traces are left out: {public_data.MISSING}", flush=True)
    return list(LAWS)


def _line(cell: Cell, one: CellResult) -> str:
    changes = "  ".join(f"{change:+7.1%}" for change in one.by_hindsight)
    lost = "  overloaded" * any(one.overloaded)
    name = f"{cell.law} {cell.sample}, {cell.cores} cores, {cell.speedup}"
    return f"{name:42} {changes}   {one.cpu_seconds:5.1f} s{lost}"


def summary(found: Sequence[CellResult]) -> str:
    changes = [each for one in found for each in one.by_hindsight]
    errors = [each for one in found for each in one.error]
    sequential = [each for one in found for each in one.sequential]
    worse = sum(change > _MOST for change in changes)
    return "\n".join(
        [
            f"{len(changes)} cells and rates",
            f"worse than the best by hindsight, beyond chance: {_holm(changes, errors)}",
            f"worse than it by more than {_MOST:.0%}: {worse}, at most {max(changes):+.1%}",
            f"worse than SEQ by more than {_MOST_SEQUENTIAL:.0%}: "
            f"{sum(change > _MOST_SEQUENTIAL for change in sequential)}",
            f"overloaded where SEQ is not: {sum(each for one in found for each in one.overloaded)}",
            f"geometric mean over the best by hindsight: {_geometric(changes):+.1%}",
            "geometric mean over what looks best on the design sample: "
            f"{_geometric(each for one in found for each in one.by_design):+.1%}",
        ]
    )


def _holm(changes: Sequence[float], errors: Sequence[float]) -> int:
    """How many are above 0 at a family-wise level (Holm, Scand. Journal of Statistics 1979)."""
    pairs = zip(changes, errors, strict=True)
    chances = sorted(1.0 - NormalDist().cdf(c / e) if e > 0 else float(c <= 0) for c, e in pairs)
    rejected = 0
    for number, chance in enumerate(chances):
        if chance > _LEVEL / (len(chances) - number):
            break
        rejected += 1
    return rejected


def _geometric(changes: Iterable[float]) -> float:
    logs = [math.log1p(change) for change in changes]
    return math.exp(sum(logs) / len(logs)) - 1.0


if __name__ == "__main__":
    main()
