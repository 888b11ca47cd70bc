"""Check several SLOs of a policy on replays of its design trace.

A search optimises for the first SLO, and a single SLO is checked by `verify` only. With several,
each is a constraint: a policy whose design replays miss one is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.server_use import load
from tailc.experiment.tail_sample import tail_of
from tailc.experiment.tuning_objective import TailConstraint, TuningObjective
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.execution_model import Subject
from tailc.models.subjects import subject_of
from tailc.pipeline.design_replays import design_repeats
from tailc.pipeline.slo_checks import requests_of
from tailc.progress import Progress
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps, format_us

# Significant digits of the rate that a finding proposes.
_DIGITS = 2


@dataclass(frozen=True)
class NumberedSlo:
    """An SLO, and its number in the spec from 0."""

    number: int
    slo: Slo


@dataclass(frozen=True)
class RateTails:
    """The percentile of each SLO at a rate, and whether the server is overloaded."""

    rate_mrps: int
    tails_us: tuple[int, ...]
    is_overloaded: bool


@dataclass(frozen=True)
class PredictedTails:
    """Percentiles of the SLOs at every rate, in replays of the design trace."""

    limits: tuple[NumberedSlo, ...]
    rates: tuple[RateTails, ...]

    @property
    def holds(self) -> bool:
        """Whether every SLO is met at every rate."""
        return not any(self._misses(at) for at in range(len(self.limits)))

    def is_met_at(self, one: RateTails) -> bool:
        """Whether every SLO is met at this rate."""
        return not any(one in self._misses(at) for at in range(len(self.limits)))

    def _misses(self, at: int) -> list[RateTails]:
        most_us = self.limits[at].slo.latency_us
        return [one for one in self.rates if one.is_overloaded or one.tails_us[at] > most_us]

    @property
    def misses(self) -> Iterator[tuple[NumberedSlo, RateTails, int]]:
        """List each missed SLO, with the rate of the worst miss and the percentile there."""
        for at, limit in enumerate(self.limits):
            if missed := self._misses(at):
                worst = max(missed, key=lambda one: (one.is_overloaded, one.tails_us[at]))
                yield limit, worst, worst.tails_us[at]

    @property
    def settings(self) -> dict[str, int]:
        """Evidence: the predicted percentile of each SLO at each rate; both are numbered from 1."""
        return {
            f"slo_{limit.number + 1}_rate_{number}_us": one.tails_us[at]
            for number, one in enumerate(self.rates, start=1)
            for at, limit in enumerate(self.limits)
        }


def numbered_slos(slos: Sequence[Slo], design: DemandProfile) -> tuple[NumberedSlo, ...]:
    """Number the SLOs, and leave out those without requests in the design trace."""
    every = (NumberedSlo(number, slo) for number, slo in enumerate(slos))
    return tuple(limit for limit in every if requests_of(limit.slo, design).any())


def with_objectives(
    aim: TuningObjective, slos: Sequence[Slo], design: DemandProfile
) -> TuningObjective:
    """Add the spec's other SLOs to the tuning objective as constraints.

    The first SLO is not added if its latency is already the limit of the objective.
    """
    if len(slos) < 2:
        return aim
    besides = [one.slo for one in numbered_slos(slos, design) if one.number or aim.limit_us is None]
    tails = [(tail_of(slo, design), slo.latency_us) for slo in besides]
    result = tuple(
        TailConstraint(tail.percentile_ppm, most_us, tail.curve) for tail, most_us in tails
    )
    return replace(aim, objectives=result)


def predict_tails(
    subject: Subject,
    limits: tuple[NumberedSlo, ...],
    design: DemandProfile,
    arrivals: Sequence[tuple[int, Arrivals]],
    threads: int,
) -> PredictedTails:
    """Replay a policy, and compare its percentiles with the limits of the SLOs.

    arrivals: pairs of a rate [requests/1000 s] and its arrival process.
    """
    requests = subject.workload(design)
    tails = [tail_of(limit.slo, design) for limit in limits]
    result = []
    with ThreadPoolExecutor(threads) as workers:
        for rate_mrps, process in arrivals:
            repeats = design_repeats(subject, requests, process, tails, workers)
            busy = load(process, repeats.results)
            result.append(RateTails(rate_mrps, repeats.tails_us, busy.is_overloaded))
    return PredictedTails(limits, tuple(result))


def with_checked_objectives(
    policy: Policy,
    aim: TuningObjective | None,
    design: object,
    loaded: LoadedSpec,
    threads: int,
    progress: Progress,
    *,
    is_tunable: bool,
) -> Policy:
    """Check all SLOs by replay at the policy's rates, and add their percentiles to the evidence.

    A policy with one SLO, or without requests, is returned as it is. Arrivals are those of the
    tuning objective, else Poisson. is_tunable: whether a table of this kind can be tuned for all
    SLOs. Raises TailcError (INFEASIBLE) with a finding for each SLO that is missed at some rate.
    """
    serves = bool(policy.ladders) or policy.tail_table is not None
    if len(policy.slos) < 2 or not serves or not isinstance(design, DemandProfile):
        return policy
    progress("replaying for all objectives", 0.0)
    limits, subject = numbered_slos(policy.slos, design), subject_of(policy, design)

    def tails_at(*rates_mrps: int) -> PredictedTails:
        arrivals = [(rate, _arrivals(aim, rate)) for rate in rates_mrps]
        return predict_tails(subject, limits, design, arrivals, threads)

    result = tails_at(*policy.rates_mrps)
    if not result.holds:
        progress("searching the highest rate at which all objectives are met", 0.0)
        met_mrps = _highest_met_mrps(result, lambda rate_mrps: tails_at(rate_mrps).holds)
        hint = "tune for all objectives with `--method simulation`; or " * (
            is_tunable and aim is None
        )
        raise TailcError([_finding(*missed, met_mrps, loaded, hint) for missed in result.misses])
    evidence = policy.evidence
    settings = dict(evidence.settings) | result.settings
    return replace(policy, evidence=replace(evidence, settings=tuple(sorted(settings.items()))))


def _arrivals(aim: TuningObjective | None, rate_mrps: int) -> Arrivals:
    return Poisson(rate_mrps) if aim is None else aim.judging.arrivals_at(rate_mrps)


def _highest_met_mrps(result: PredictedTails, holds: Callable[[int], bool]) -> int | None:
    """The highest rate below the lowest missed one at which every SLO holds.

    None if there is none.
    """
    high = min(one.rate_mrps for one in result.rates if not result.is_met_at(one))
    low = max((one.rate_mrps for one in result.rates if one.rate_mrps < high), default=0)
    return highest_met_mrps(low, high, holds)


def highest_met_mrps(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """The highest rate from `low` to below `high` at which `holds` is true [requests/1000 s].

    Found by bisection to two digits, given that `holds(low)` is true. None if `low` is 0 and no
    higher rate holds. Assumes that a higher rate never shortens a tail, apart from noise of
    replays.
    """
    step = 10 ** max(len(str(high)) - _DIGITS, 0)
    while high - low > step:
        middle = (low + high) // 2 // step * step
        if middle <= low:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low or None


def _finding(
    limit: NumberedSlo,
    worst: RateTails,
    tail_us: int,
    met_mrps: int | None,
    loaded: LoadedSpec,
    otherwise: str,
) -> Finding:
    """The finding of a missed SLO.

    met_mrps: the highest rate at which replays meet all SLOs; None if not found. otherwise: start
    of the hint, with another way to a policy that meets them.
    """
    rate = format_mrps(worst.rate_mrps)
    lower = "lower `rates`" + ("" if met_mrps is None else f" to {format_mrps(met_mrps)} at most")
    if worst.is_overloaded:
        message = (
            f"`{limit.slo}` cannot be met together with the others: the server is overloaded at "
            f"{rate}"
        )
        hint = f"{lower}, or add cores"
    else:
        is_later = otherwise and limit.number
        besides = (
            "by the table that the search tuned for the first SLO"
            if is_later
            else "together with the others"
        )
        message = (
            f"`{limit.slo}` is not met {besides}: at {rate} that percentile is "
            f"{format_us(tail_us)} in replays of the design sample"
        )
        hint = f"{otherwise}relax the latency to {format_us(tail_us)}, {lower}, or remove an "
        hint += "objective"
        if limit.number == 0 and "target_us" in type(loaded.model).model_fields:
            hint = f"leave a margin for waiting with a lower `target`; or {hint}"
    return Finding(Code.INFEASIBLE, message, loaded.place("slo", limit.number, "latency"), hint)
