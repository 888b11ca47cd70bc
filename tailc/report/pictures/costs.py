"""Picture of cost per request against the SLO percentile, for the policy and all baselines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tailc.artifact.envelope import Policy
from tailc.experiment.point import Point, Run, SloComparison
from tailc.forms.ladder.units import THREADS
from tailc.models.core_queues.batch_model import batch_model_of
from tailc.report.energy import in_watts, is_energy
from tailc.report.pictures.axis import logarithmic
from tailc.report.pictures.figure import Figure, Numbers
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.tones import line_tone
from tailc.report.verdict.words import POLICY, percentile
from tailc.units import format_us

_US_PER_MS = 1_000


@dataclass(frozen=True)
class CostPoint:
    """Cost, per request or unit of batch work, and tail latency of the policy or a baseline.

    is_on_front: whether no other policy or baseline is better in both (Pareto front).
    """

    name: str
    tone: str
    cost: float
    tail_us: int
    is_on_front: bool


def cost_figure(policy: Policy, comparison: SloComparison, number: int) -> Figure | None:
    """Draw costs and tails of the policy and all baselines, for the first SLO.

    number: of the arrival process. None if fewer than two of policy and baselines keep up, and for
    SMT lanes, where the cost of a request is lost batch work.
    """
    point, slo = comparison.points[number], comparison.slos[0]
    choices = _cost_points(point)
    if len(choices) < 2:
        return None
    ident = f"costs-{number + 1}"
    noun, unit = _cost(policy, comparison, point)
    of_what = "a unit of batch work" if batch_model_of(policy).has_unit else "a request"
    title = f"{noun} against {percentile(slo)} at {point.arrivals}"
    caption = (
        f"Cost of {of_what} and {percentile(slo)} latency of all that are not overloaded. The "
        "dashed line connects those that no other betters in both; the policy has a ring."
    )
    plot = Plot(
        logarithmic(f"{noun.lower()} of {of_what} [{unit}]", [one.cost for one in choices]),
        logarithmic(
            "latency [ms]", [us / _US_PER_MS for us in (slo.latency_us, *map(_tail_us, choices))]
        ),
        tuple(LegendEntry(one.name, one.tone, "dot") for one in choices),
    )
    marks = [*_marks(plot, choices, unit), plot.level(slo.latency_us / _US_PER_MS, str(slo))]
    numbers = _numbers(ident, choices, unit)
    return plot.figure(ident, title, caption, (numbers,), marks)


def _cost(policy: Policy, comparison: SloComparison, point: Point) -> tuple[str, str]:
    """Name and unit of the cost per request."""
    if point.policy.usage.drawn_us is None:
        own = comparison.shared == THREADS
        return ("Thread time", "ms") if own else (f"Use of {comparison.shared}", "ms")
    if is_energy(policy.evidence) and not in_watts(policy.evidence):
        return "Energy", "slow-core ms"
    return "Energy", "mJ"


def _cost_points(point: Point) -> list[CostPoint]:
    runs = [(POLICY, point.policy), *((run.subject, run) for run in point.baselines)]
    values = [
        (name, line_tone(place), cost, run.estimates[0].estimate_us)
        for place, (name, run) in enumerate(runs)
        if not run.load.is_overloaded and (cost := _cost_ms(run)) > 0
    ]
    return [
        CostPoint(name, tone, cost, tail_us, not any(_dominates(other[2:], (cost, tail_us))
                                                  for other in values))
        for name, tone, cost, tail_us in values
    ]  # fmt: skip


def _cost_ms(run: Run) -> float:
    """Cost per request, or per unit of batch work [ms or mJ]; 0 for SMT lanes."""
    return (run.usage.cost_us(run.load) or 0) / _US_PER_MS


def _dominates(one: tuple[float, int], other: tuple[float, int]) -> bool:
    """Whether `one` is not worse than `other` in both values and better in one."""
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def _tail_us(one: CostPoint) -> int:
    return max(one.tail_us, 1)


def _marks(plot: Plot, choices: Sequence[CostPoint], unit: str) -> Iterator[Markup]:
    front = sorted({(one.cost, _tail_us(one) / _US_PER_MS) for one in choices if one.is_on_front})
    yield plot.line(front, "fit")
    yield from (
        plot.ring((one.cost, _tail_us(one) / _US_PER_MS), one.tone)
        for one in choices
        if one.name == POLICY
    )
    for one in reversed(choices):
        caption = f"{one.name}: {one.cost:.4g} {unit}, {format_us(one.tail_us)}"
        yield plot.dot((one.cost, _tail_us(one) / _US_PER_MS), one.tone, caption)


def _numbers(name: str, choices: Sequence[CostPoint], unit: str) -> Numbers:
    rows = [
        (
            one.name,
            f"{one.cost:.6g}",
            str(one.tail_us / _US_PER_MS),
            "yes" if one.is_on_front else "no",
        )
        for one in choices
    ]
    return Numbers(name, ("subject", f"cost [{unit}]", "latency [ms]", "on the front"), tuple(rows))
