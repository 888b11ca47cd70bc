"""The tables of a verdict, as columns that text and Markdown lay out."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.comparison import Point, Run
from tailc.report.table import Column
from tailc.report.verdict.cores import core_groups, is_on_cores
from tailc.report.verdict.lanes import batch_columns
from tailc.report.verdict.words import (
    POLICY,
    change,
    count,
    decimals,
    is_rate,
    limits,
    ms,
    percent,
    percentile,
    says,
    subject,
)
from tailc.units import printable
from tailc.verify.verdict import Verdicts

Groups = list[tuple[Column, ...]]


def verdict_table(verdicts: Verdicts) -> tuple[Column, ...]:
    """A row for each SLO and arrival process: the verdict of the policy."""
    rows = [
        (slo, point, point.policy.verdicts[number])
        for number, slo in enumerate(verdicts.slos)
        for point in verdicts.points
    ]
    digits = decimals(verdicts)
    return (
        _column("SLO", [str(slo) for slo, _, _ in rows], is_number=False),
        _arrivals([point for _, point, _ in rows]),
        _column("estimate", [ms(said.estimate_us, digits) for _, _, said in rows]),
        _column("95 % interval", [limits(said, digits) for _, _, said in rows], is_number=False),
        _column("noise", [f"+-{ms(said.simulation_us, digits)}" for _, _, said in rows]),
        _column(
            "verdict", [says(said, point.policy.load) for _, point, said in rows], is_number=False
        ),
    )


def comparison(verdicts: Verdicts, point: Point) -> tuple[Column, Groups]:
    """A row for the policy and for each baseline at one point."""
    runs = (point.policy, *point.baselines)
    return _subjects(point), _groups(verdicts, runs, [point.policy] * len(runs))


def policy_alone(verdicts: Verdicts) -> tuple[Column, Groups]:
    """A row for each arrival process, where there is no baseline."""
    runs = [point.policy for point in verdicts.points]
    return _arrivals(verdicts.points), _groups(verdicts, runs, runs)


def rung_use(verdicts: Verdicts, rungs: Sequence[str]) -> tuple[Column, Groups]:
    """Mean threads of a request of the policy, or of what else requests share, and the rungs that
    requests left on, by name.

    On cores of their own requests have no threads.
    """
    uses = [point.policy.load.rung_use for point in verdicts.points]
    threads = (
        _column(verdicts.shared, [count(use.mean_milli) for use in uses]),
        _column("longest 5 %", [count(use.longest_milli) for use in uses]),
        _column("shortest 5 %", [count(use.shortest_milli) for use in uses]),
    )
    shares = list(zip(*(use.final_ppm for use in uses), strict=True))
    names = rungs or [f"rung {number}" for number in range(1, len(shares) + 1)]
    left_on = [
        (_column(name, [percent(share) for share in row]),)
        for name, row in zip(names, shares, strict=True)
    ]
    counts = [] if is_on_cores(verdicts) else [threads]
    return _arrivals(verdicts.points), [*counts, *left_on]


def stretches(verdicts: Verdicts, point: Point) -> tuple[Column, Groups]:
    """A row for each subject, a column for each stretch of the arrivals and percentile."""
    runs = (point.policy, *point.baselines)
    groups: Groups = []
    digits = decimals(verdicts)
    for number, slo in enumerate(verdicts.slos):
        for stretch in range(len(point.policy.stretch_us)):
            found = [run.stretch_us[stretch][number] for run in runs]
            cells = ["-" if time_us is None else ms(time_us, digits) for time_us in found]
            groups.append((_column(f"{percentile(slo)} of {stretch + 1}", cells),))
    return _subjects(point), groups


def _subjects(point: Point) -> Column:
    names = [POLICY, *map(subject, point.baselines)]
    return _column(f"at {point.arrivals}", names, is_number=False)


def _arrivals(points: Sequence[Point]) -> Column:
    are_rates = all(map(is_rate, points))
    return _column("arrivals", [point.arrivals for point in points], is_number=are_rates)


def _groups(verdicts: Verdicts, runs: Sequence[Run], against: Sequence[Run]) -> Groups:
    slos = [_percentiles(verdicts, number, runs, against) for number in range(len(verdicts.slos))]
    return [*slos, _load(verdicts, runs), *core_groups(verdicts, runs), *_batch(runs)]


def _batch(runs: Sequence[Run]) -> Groups:
    """What requests that share cores leave of the batch work beside them."""
    uses = [run.batch for run in runs if run.batch is not None]
    return [batch_columns(uses)] if uses and len(uses) == len(runs) else []


def _percentiles(
    verdicts: Verdicts, number: int, runs: Sequence[Run], against: Sequence[Run]
) -> tuple[Column, ...]:
    pairs = list(zip(runs, against, strict=True))
    digits = decimals(verdicts)
    estimates = [ms(run.verdicts[number].estimate_us, digits) for run in runs]
    changes = ["" if run is ours else change(ours, run, number) for run, ours in pairs]
    rulings = [
        "overloaded" if run.load.is_overloaded else run.verdicts[number].ruling.value
        for run in runs
    ]
    own = (_column(POLICY, changes),) if any(changes) else ()
    return (
        _column(percentile(verdicts.slos[number]), estimates),
        *own,
        _column("verdict", rulings, is_number=False),
    )


def _load(verdicts: Verdicts, runs: Sequence[Run]) -> tuple[Column, ...]:
    digits = decimals(verdicts)
    loads = [run.load for run in runs]
    util = [load.utilization_ppm for load in loads]
    cuts = [percent(load.cut_ppm) for load in loads]
    cut = () if verdicts.cut_off_us is None else (_column("cut off", cuts),)
    mean = _column("mean", [ms(load.mean_latency_us, digits) for load in loads])
    number = _column("n", [count(load.in_system_milli) for load in loads])
    if is_on_cores(verdicts):
        return (mean, number, *cut)
    return (
        mean,
        _column("util", ["-" if share is None else percent(share) for share in util]),
        _column(verdicts.shared, [count(load.threads_milli) for load in loads]),
        number,
        _column(
            f"{_of_one(verdicts.shared)} time", [ms(load.thread_time_us, digits) for load in loads]
        ),
        *cut,
    )


def _of_one(shared: str) -> str:
    """Such as `thread` of `threads`."""
    return shared.removesuffix("s")


def _column(head: str, cells: Sequence[str], is_number: bool = True) -> Column:
    return Column(printable(head), tuple(map(printable, cells)), is_number)
