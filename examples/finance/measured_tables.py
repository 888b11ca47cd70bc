"""What the experiment found, as tables in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence

from fidelity import FIGURES

UNSTEERED = "predicted without control"
TOLD = ("predicted", "replayed", "measured")
HEADS = (
    *("rate", "policy", "", "p99", "p95", "mean", "CPU time"),
    *("slow core", "fast core", "on fast", "energy"),
)
INTERVAL_HEADS = ("rate", "policy", "", "p50", "p99", "mean", "utilization", "error at p99")
STEP_HEADS = ("at", "p99", "output")
PHASE_HEADS = ("arrivals", "", "p50", "p99", "mean")


def tables(found: dict) -> dict[str, str]:
    """All of them, by what they tell."""
    runs = [*found["runs"], found["embedded"]]
    return {
        "runs": table(runs),
        "intervals": interval_table(runs),
        "phases": phase_table(found["spike"]),
        "steps": step_table(found["spike"]),
        "errors": error_table(runs),
    }


def error(run: dict, figure: str = "p99_ms", of: str = "predicted") -> float:
    """By how much what was predicted is above what was measured, as a share of that."""
    return run[of][figure] / run["measured"][figure] - 1


def table(runs: Sequence[dict]) -> str:
    """Predicted, replayed with the CPU times that the run took, and measured, in Markdown."""
    return markdown(HEADS, 3, rows_of(runs, lambda run, which: cells(run[which])))


def interval_table(runs: Sequence[dict]) -> str:
    """The same with intervals, and how far p99 is off."""

    def cells_of(run: dict, which: str) -> tuple[str, ...]:
        off = "" if which == "measured" else f"{error(run, of=which):+.1%}".replace("%", " %")
        return (*interval_cells(run[which]), off)

    return markdown(INTERVAL_HEADS, 3, rows_of(runs, cells_of))


def error_table(runs: Sequence[dict]) -> str:
    """How far figures are off: the median of all runs, and the one that is off most."""
    rows = []
    for which in TOLD[:2]:
        off = {name: [abs(error(run, name, which)) for run in runs] for name in FIGURES}
        cells = (f"{statistics.median(one):.1%}, {max(one):.1%}" for one in off.values())
        rows.append((which, *(cell.replace("%", " %") for cell in cells)))
    return markdown(("", *(name.removesuffix("_ms") for name in FIGURES)), 1, rows)


def phase_table(spike: dict) -> str:
    """How requests fared by the rate at which they came."""
    rows = []
    for phase in spike["phases"]:
        for place, which in enumerate((*TOLD, UNSTEERED)):
            arrivals = "" if place else f"{phase['rate_per_s']}/s for {phase['seconds']} s"
            times = (f"{phase[which][name]:.1f}" for name in FIGURES[:3])
            rows.append((arrivals, which, *times))
    return markdown(PHASE_HEADS, 2, rows)


def step_table(spike: dict) -> str:
    """What the controller was told, and its output from then on."""
    columns = [spike["steps"][which] for which in TOLD]
    rows = (
        (str(number + 1), *(cell for step in steps for cell in step_cells(step)))
        for number, steps in enumerate(zip(*columns, strict=True))
    )
    heads = (f"{which}: {head}" for which in TOLD for head in STEP_HEADS)
    return markdown(("step", *heads), 1, rows)


def step_cells(step: dict) -> tuple[str, ...]:
    """A step in words of the table."""
    output = f"{step['output_ppm'] / 1e4:.0f} %"
    return f"{step['at_s']:.1f} s", f"{step['measured_us'] / 1e3:.1f} ms", output


def rows_of(
    runs: Sequence[dict], cells: Callable[[dict, str], tuple[str, ...]]
) -> Iterable[tuple[str, ...]]:
    """A row for each of what is told of a run; its name stands in the first."""
    for run in runs:
        for place, which in enumerate(TOLD):
            head = ("", "") if place else (f"{run['rate_per_s']}/s", run["policy"])
            yield (*head, which, *cells(run, which))


def markdown(heads: Sequence[str], words: int, rows: Iterable[tuple[str, ...]]) -> str:
    """A table whose first columns are words, the others numbers."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * words}{'---:|' * (len(heads) - words)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def cells(run: dict) -> tuple[str, ...]:
    """The figures of a run."""
    times = (f"{run[name]:.1f}" for name in ("p99_ms", "p95_ms", "mean_ms", "cpu_ms"))
    shares = (f"{run[name]:.0%}" for name in ("slow_busy", "fast_busy", "ended_on_fast"))
    return (*times, *shares, f"{run['energy_slow_core_ms']:.1f}")


def interval_cells(run: dict) -> tuple[str, ...]:
    """The figures of a run that have intervals."""
    low_high = run["intervals"]
    times = (f"{run[name]:.1f} ({_span(low_high[name], 1, 1)})" for name in FIGURES[:3])
    share = run["utilization"]
    return (*times, f"{100 * share:.0f} ({_span(low_high['utilization'], 100, 0)}) %")


def _span(ends: Sequence[float], scale: float, digits: int) -> str:
    return " .. ".join(f"{scale * end:.{digits}f}" for end in ends)
