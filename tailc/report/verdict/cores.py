"""Columns of a verdict where rungs are whole cores: energy, types, outputs, and spikes."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.comparison import Point, Run
from tailc.models.core_types.usage import CoreUse
from tailc.report.table import Column
from tailc.report.verdict.clocks import clock_groups
from tailc.report.verdict.lanes import is_on_lanes, lane_columns
from tailc.report.verdict.words import POLICY, ms, percent, percentile, subject
from tailc.units import printable
from tailc.verify.verdict import Verdicts

Groups = list[tuple[Column, ...]]
_DASH = "-"


def is_on_cores(verdicts: Verdicts) -> bool:
    """Whether requests have a core each."""
    runs = [point.policy for point in verdicts.points]
    return is_on_lanes(runs) or any(run.cores is not None for run in runs)


def core_groups(verdicts: Verdicts, runs: Sequence[Run]) -> Groups:
    """Energy, how busy each type was, and the output where something steers; or batch work."""
    lanes = [run.lanes for run in runs if run.lanes is not None]
    if lanes:
        return [lane_columns(lanes)] if len(lanes) == len(runs) else []
    uses = [run.cores for run in runs]
    told = [use for use in uses if use is not None]
    if len(told) < len(runs):
        return []
    return [_energy(verdicts, told), _types(told), *clock_groups(runs), *_outputs(runs)]


def _energy(verdicts: Verdicts, uses: Sequence[CoreUse]) -> tuple[Column, ...]:
    digits = _digits(uses)
    columns = [
        _column("energy", [ms(use.request_us, digits) for use in uses]),
        _column("95 % interval", [_interval(use, digits) for use in uses], is_number=False),
    ]
    if any(use.idle_us for use in uses):
        columns.append(_column("idle", [ms(use.idle_us, digits) for use in uses]))
    if any(use.relative_ppm is not None for use in uses):
        columns.append(_column("relative", [_share(use.relative_ppm) for use in uses]))
        if verdicts.other_power_ppm:
            columns.append(_column("server", [_share(use.whole_ppm) for use in uses]))
    return tuple(columns)


def _digits(uses: Sequence[CoreUse]) -> int:
    """Three digits of the least energy."""
    least = min(use.request_us for use in uses) // 1_000
    return 1 if least >= 10 else 2 if least else 3


def _interval(use: CoreUse, digits: int) -> str:
    if use.low_us is None or use.high_us is None:
        return "unknown"
    return f"{ms(use.low_us, digits)} .. {ms(use.high_us, digits)}"


def _share(share_ppm: int | None) -> str:
    return _DASH if share_ppm is None else percent(share_ppm)


def _types(uses: Sequence[CoreUse]) -> tuple[Column, ...]:
    kinds = zip(*(use.types for use in uses), strict=True)
    return tuple(
        _column(kind[0].name, [percent(one.utilization_ppm) for one in kind]) for kind in kinds
    )


def _outputs(runs: Sequence[Run]) -> Groups:
    if all(run.control is None for run in runs):
        return []
    means, ranges = [], []
    for run in runs:
        use = run.control
        means.append(_DASH if use is None else percent(use.mean_ppm))
        ranges.append("" if use is None else f"{percent(use.low_ppm)} .. {percent(use.high_ppm)}")
    return [(_column("output", means), _column("nine in ten", ranges, is_number=False))]


def spikes(verdicts: Verdicts, point: Point) -> tuple[Column, Groups]:
    """A row for each stretch and subject, for the first SLO."""
    runs = (point.policy, *point.baselines)
    rows = [
        (f"{number + 1}: {runs[0].spikes[number].stretch}", run, run.spikes[number])
        for number in range(len(point.policy.spikes))
        for run in runs
        if run.spikes
    ]
    digits = 1
    names = [POLICY if run is point.policy else subject(run) for _, run, _ in rows]
    found = [spike for _, _, spike in rows]
    return _column("stretch", [stretch for stretch, _, _ in rows], is_number=False), [
        (_column(f"at {point.arrivals}", names, is_number=False),),
        (
            _column(
                percentile(verdicts.slos[0]),
                [_DASH if one.tail_us is None else ms(one.tail_us, digits) for one in found],
            ),
            _column("over", [_share(one.over_ppm) for one in found]),
            _column("overshoot", [_share(one.overshoot_ppm) for one in found]),
            _column(
                "settled after",
                [_DASH if (k := one.settling_epochs) is None else str(k) for one in found],
            ),
        ),
    ]


def _column(head: str, cells: Sequence[str], is_number: bool = True) -> Column:
    return Column(printable(head), tuple(map(printable, cells)), is_number)
