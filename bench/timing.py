"""Wall time of alternatives that take turns, and tables to paste in the docs."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Work = Callable[[], object]


def seconds(work: Work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def cpu_seconds() -> float:
    """CPU time so far of this process and its children; of those that still run from /proc."""
    own, ticks = os.times(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        ticks += _ticks_of_child(folder / "stat")
    ended = own.children_user + own.children_system
    return own.user + own.system + ended + ticks / os.sysconf("SC_CLK_TCK")


def _ticks_of_child(stat: Path) -> int:
    try:
        fields = stat.read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    # After the name: state, parent, .., and from the twelfth on time in user and in system mode.
    return int(fields[11]) + int(fields[12]) if int(fields[1]) == os.getpid() else 0


def least_seconds(ways: Mapping[str, Work], turns: int) -> dict[str, float]:
    """The least wall time of each way. They take turns: a busy machine is busy for all of them."""
    taken = _turns(ways, turns)
    return {name: min(times) for name, times in taken.items()}


def median_seconds(ways: Mapping[str, Work], turns: int) -> dict[str, float]:
    """The median wall time of each way, in turns."""
    taken = _turns(ways, turns)
    return {name: statistics.median(times) for name, times in taken.items()}


def _turns(ways: Mapping[str, Work], turns: int) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, work in ways.items():
            taken[name].append(seconds(work))
    return taken


def show(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table whose columns are aligned; the first is text, the others are not."""
    cells = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    for row in (cells[0], rule, *cells[1:]):
        first, *others = (
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print(f"| {' | '.join((first, *others))} |")
    print(flush=True)


def wanted(value: float, least: float, digits: int = 2) -> str:
    """The ratio, and whether it is as much as wanted; `end` counts those that are not."""
    if value >= least:
        return f"{value:.{digits}f}"
    _too_low.append(value)
    return f"{value:.{digits}f}, under {least:g}"


_too_low: list[float] = []


def end() -> None:
    """Exit 1 if a figure was under its aim and BENCH_STRICT is 1; a busy machine may miss one."""
    if _too_low and os.environ.get("BENCH_STRICT") == "1":
        sys.exit(f"{len(_too_low)} figures are under their aim")
