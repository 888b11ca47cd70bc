"""Tables of a verdict as columns, for text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailc.experiment.point import Point, Run
from tailc.models.columns import Group, UsageColumn, UsageColumns, UsageTable, column, ms, percent
from tailc.report.verdict.words import (
    POLICY,
    change,
    change_limits,
    decimals,
    is_rate,
    limits,
    percentile,
    ruling_text,
    subject,
)
from tailc.verify.verdict import Verdicts

Groups = list[Group]
_DASH = "-"


def verdict_table(verdicts: Verdicts) -> tuple[UsageColumn, ...]:
    """Build a row per SLO and arrival process with the verdict on the policy."""
    rows = [
        (slo, point, point.policy.estimates[number])
        for number, slo in enumerate(verdicts.slos)
        for point in verdicts.points
    ]
    digits = decimals(verdicts)
    return (
        column("SLO", [str(slo) for slo, _, _ in rows], is_number=False),
        _arrivals([point for _, point, _ in rows]),
        column("estimate", [ms(estimate.estimate_us, digits) for _, _, estimate in rows]),
        column(
            "95 % interval", [limits(estimate, digits) for _, _, estimate in rows], is_number=False
        ),
        column("noise", [f"+-{ms(estimate.simulation_us, digits)}" for _, _, estimate in rows]),
        column(
            "verdict",
            [ruling_text(estimate, point.policy.load) for _, point, estimate in rows],
            is_number=False,
        ),
    )


def comparison(verdicts: Verdicts, point: Point) -> tuple[UsageColumn, Groups]:
    """Build the table that compares the policy with each baseline under one arrival process."""
    runs = (point.policy, *point.baselines)
    return _subjects(point), _groups(verdicts, runs, [point.policy] * len(runs))


def policy_alone(verdicts: Verdicts) -> tuple[UsageColumn, Groups]:
    """Build the table about a policy without baselines: a row per arrival process."""
    runs = [point.policy for point in verdicts.points]
    return _arrivals(verdicts.points), _groups(verdicts, runs, runs)


def rung_use(verdicts: Verdicts, rungs: Sequence[str]) -> tuple[UsageColumn, Groups]:
    """Build the table of mean threads and final rungs of requests: a row per arrival process.

    Instead of threads it can have another shared resource. There is no such column if every request
    has its own core.
    """
    uses = [point.policy.load.rung_use for point in verdicts.points]
    counts = columns_of(verdicts).rung_counts(uses, verdicts.shared)
    shares = list(zip(*(use.final_ppm for use in uses), strict=True))
    names = rungs or [f"rung {number}" for number in range(1, len(shares) + 1)]
    left_on = [
        (column(name, [percent(share) for share in row]),)
        for name, row in zip(names, shares, strict=True)
    ]
    return _arrivals(verdicts.points), [*counts, *left_on]


def stretches(verdicts: Verdicts, point: Point) -> tuple[UsageColumn, Groups]:
    """Build the table of percentiles in periods of constant rate: a row per policy or baseline.

    It has a column for each period and SLO.
    """
    runs = (point.policy, *point.baselines)
    groups: Groups = []
    digits = decimals(verdicts)
    for number, slo in enumerate(verdicts.slos):
        for stretch in range(len(point.policy.stretch_us)):
            tails = [run.stretch_us[stretch][number] for run in runs]
            cells = ["-" if time_us is None else ms(time_us, digits) for time_us in tails]
            groups.append((column(f"{percentile(slo)} of {stretch + 1}", cells),))
    return _subjects(point), groups


def _subjects(point: Point) -> UsageColumn:
    names = [POLICY, *map(subject, point.baselines)]
    return column(f"at {point.arrivals}", names, is_number=False)


def _arrivals(points: Sequence[Point]) -> UsageColumn:
    are_rates = all(map(is_rate, points))
    return column("arrivals", [point.arrivals for point in points], is_number=are_rates)


def _groups(verdicts: Verdicts, runs: Sequence[Run], against: Sequence[Run]) -> Groups:
    slos = [_percentiles(verdicts, number, runs, against) for number in range(len(verdicts.slos))]
    columns, loads = columns_of(verdicts), [run.load for run in runs]
    server = columns.server(loads, verdicts.shared, decimals(verdicts))
    uses, has_other_power = [run.usage for run in runs], bool(verdicts.other_power_ppm)
    return [
        *slos,
        (*server, *_cut_off(verdicts, runs)),
        *columns.groups(uses, has_other_power=has_other_power),
    ]


def _cut_off(verdicts: Verdicts, runs: Sequence[Run]) -> Group:
    """Column of requests that were cut off; empty if the policy cuts off none."""
    cuts = [percent(run.load.cut_ppm) for run in runs]
    return () if verdicts.cut_off_us is None else (column("cut off", cuts),)


def columns_of(verdicts: Verdicts) -> UsageColumns[Any]:
    """The columns about resource usage that the policy's execution model adds."""
    return verdicts.points[0].policy.usage.columns


def by_subject(verdicts: Verdicts, point: Point) -> list[UsageTable]:
    """Build the tables of one arrival process that only this execution model has.

    A table has a row for the policy and each baseline.
    """
    uses = [run.usage for run in (point.policy, *point.baselines)]
    return columns_of(verdicts).by_subject(_subjects(point), uses)


def by_arrivals(verdicts: Verdicts) -> list[UsageTable]:
    """Build the tables that only this execution model has, about the policy alone.

    A table has a row for each arrival process.
    """
    uses = [point.policy.usage for point in verdicts.points]
    arrivals = column("arrivals", [point.arrivals for point in verdicts.points])
    return columns_of(verdicts).by_arrivals(arrivals, uses)


def _percentiles(
    verdicts: Verdicts, number: int, runs: Sequence[Run], against: Sequence[Run]
) -> tuple[UsageColumn, ...]:
    pairs = list(zip(runs, against, strict=True))
    digits = decimals(verdicts)
    estimates = [ms(run.estimates[number].estimate_us, digits) for run in runs]
    changes = ["" if run is ours else change(ours, run, number) for run, ours in pairs]
    rulings = [
        "overloaded" if run.load.is_overloaded else run.estimates[number].ruling.value
        for run in runs
    ]
    own = (column(POLICY, changes),) if any(changes) else ()
    return (
        column(percentile(verdicts.slos[number]), estimates),
        *own,
        *_change_limits(runs, number),
        column("verdict", rulings, is_number=False),
    )


def _change_limits(runs: Sequence[Run], number: int) -> tuple[UsageColumn, ...]:
    """The interval of the policy's change from each run, and whether the change is noise."""
    found = [run.changes[number] if run.changes else None for run in runs]
    cells = [change_limits(one) for one in found]
    return (column("95 % interval", cells, is_number=False),) if any(found) else ()


def spikes(verdicts: Verdicts, point: Point) -> tuple[UsageColumn, Groups]:
    """Build the table of how far percentiles vary over time, for the first SLO.

    It has a row for each period of constant rate, and policy or baseline.
    """
    runs = (point.policy, *point.baselines)
    rows = [
        (f"{number + 1}: {runs[0].spikes[number].stretch}", run, run.spikes[number])
        for number in range(len(point.policy.spikes))
        for run in runs
        if run.spikes
    ]
    digits = 1
    names = [POLICY if run is point.policy else subject(run) for _, run, _ in rows]
    tails = [spike for _, _, spike in rows]
    windows = [spike.window for spike in tails]
    return column("stretch", [stretch for stretch, _, _ in rows], is_number=False), [
        (column(f"at {point.arrivals}", names, is_number=False),),
        (
            column(
                percentile(verdicts.slos[0]),
                [_DASH if one.tail_us is None else ms(one.tail_us, digits) for one in tails],
            ),
            column("over", [_share(one and one.over_ppm) for one in windows]),
            column("overshoot", [_share(one and one.overshoot_ppm) for one in windows]),
            column(
                "settled after",
                [_number(one and one.settling_epochs) for one in windows],
            ),
        ),
    ]


def _number(number: int | None) -> str:
    return _DASH if number is None else str(number)


def _share(share_ppm: int | None) -> str:
    return _DASH if share_ppm is None else percent(share_ppm)
