"""What a request costs against a promised percentile: of the policy and of every baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tailc.artifact.envelope import Policy
from tailc.experiment.point import Comparison, Point, Run
from tailc.forms.ladder.units import THREADS
from tailc.report.energy import in_watts, is_energy
from tailc.report.page.axis import logarithmic
from tailc.report.page.figure import Figure, Numbers
from tailc.report.page.plot import Entry, Plot
from tailc.report.page.tones import line_tone
from tailc.report.verdict.words import POLICY, percentile
from tailc.units import format_us

_US_PER_MS = 1_000


@dataclass(frozen=True)
class Choice:
    """A subject: what a request costs, and its tail; whether no other is better in both."""

    name: str
    tone: str
    cost: float
    tail_us: int
    is_on_front: bool


def cost_figure(policy: Policy, comparison: Comparison, number: int) -> Figure | None:
    """Under the arrivals of point `number`, for the first objective.

    None unless two subjects or more keep up, and on lanes, where what a request costs is the work
    of others.
    """
    point, slo = comparison.points[number], comparison.slos[0]
    choices = _choices(point)
    if len(choices) < 2:
        return None
    ident = f"costs-{number + 1}"
    noun, unit = _cost(policy, comparison, point)
    title = f"{noun} against {percentile(slo)} at {point.arrivals}"
    says = (
        f"What a request costs and the {percentile(slo)} latency, of everyone that keeps up. On "
        "the dashed line is whom no other betters in both; the policy has a ring."
    )
    plot = Plot(
        logarithmic(f"{noun.lower()} of a request [{unit}]", [one.cost for one in choices]),
        logarithmic(
            "latency [ms]", [us / _US_PER_MS for us in (slo.latency_us, *map(_tail_us, choices))]
        ),
        tuple(Entry(one.name, one.tone, "dot") for one in choices),
    )
    marks = [*_marks(plot, choices, unit), plot.level(slo.latency_us / _US_PER_MS, str(slo))]
    numbers = _numbers(ident, choices, unit)
    return Figure(ident, title, says, (numbers,), plot.drawn(ident, title, says, marks))


def _cost(policy: Policy, comparison: Comparison, point: Point) -> tuple[str, str]:
    """What is told of a request, and in which unit."""
    if point.policy.usage.drawn_us is None:
        own = comparison.shared == THREADS
        return ("Thread time", "ms") if own else (f"Use of {comparison.shared}", "ms")
    if is_energy(policy.evidence) and not in_watts(policy.evidence):
        return "Energy", "slow-core ms"
    return "Energy", "mJ"


def _choices(point: Point) -> list[Choice]:
    runs = [(POLICY, point.policy), *((run.subject, run) for run in point.baselines)]
    told = [
        (name, line_tone(place), cost, run.estimates[0].estimate_us)
        for place, (name, run) in enumerate(runs)
        if not run.load.is_overloaded and (cost := _cost_ms(run)) > 0
    ]
    return [
        Choice(name, tone, cost, tail_us, not any(_betters(other[2:], (cost, tail_us))
                                                  for other in told))
        for name, tone, cost, tail_us in told
    ]  # fmt: skip


def _cost_ms(run: Run) -> float:
    """Nothing where the work of others pays."""
    return (run.usage.cost_us(run.load) or 0) / _US_PER_MS


def _betters(one: tuple[float, int], other: tuple[float, int]) -> bool:
    """Whether one is no worse in both, and better in one."""
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def _tail_us(one: Choice) -> int:
    return max(one.tail_us, 1)


def _marks(plot: Plot, choices: Sequence[Choice], unit: str) -> Iterator[Markup]:
    front = sorted({(one.cost, _tail_us(one) / _US_PER_MS) for one in choices if one.is_on_front})
    yield plot.line(front, "fit")
    yield from (
        plot.ring((one.cost, _tail_us(one) / _US_PER_MS), one.tone)
        for one in choices
        if one.name == POLICY
    )
    for one in reversed(choices):
        says = f"{one.name}: {one.cost:.4g} {unit}, {format_us(one.tail_us)}"
        yield plot.dot((one.cost, _tail_us(one) / _US_PER_MS), one.tone, says)


def _numbers(name: str, choices: Sequence[Choice], unit: str) -> Numbers:
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
