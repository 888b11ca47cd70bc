"""A policy that stands errors of its inputs, with what it stands in its evidence."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Severity
from tailc.experiment.subjects import subject_of
from tailc.experiment.tuning_objective import QueueAim
from tailc.forms.ladder.table import Ladder
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.workload import workload
from tailc.pipeline.progress import Progress
from tailc.pipeline.queue.parts import parts_of
from tailc.pipeline.queue.told import queue_remarks, tail_told, tuned_policy
from tailc.pipeline.queue.tune import TunedTable
from tailc.pipeline.robust.harden import Hardened, hardened
from tailc.pipeline.robust.radius import Radius, radius_of
from tailc.pipeline.robust.told import hardened_settings, radius_settings, taken
from tailc.specs.robust import Ambiguity
from tailc.traces.day_of import Days
from tailc.traces.profile import DemandProfile
from tailc.units import format_mrps


@dataclass(frozen=True)
class Robust:
    """What was in doubt, the radius of the policy's table, and the robust one.

    plain, hardened: None where no table was tuned. judged_on: records that the radius is of.
    """

    told: Ambiguity
    radius: Radius
    judged_on: int
    plain: TunedTable[Ladder] | None
    hardened: Hardened | None


def robust_policy(
    policy: Policy,
    aim: QueueAim | None,
    told: Ambiguity,
    days: Days | None,
    design: DemandProfile,
    threads: int,
    progress: Progress,
) -> tuple[Policy, Robust]:
    """The policy of the formula's table, tuned to stand what is in doubt if there is an aim.

    Without one the table stays, and the evidence gets its radius. days: of the design's records.
    """
    load = judging = workload(design, policy.ladders[0])
    plain = hard = None
    settings: dict[str, int] = {}
    if aim is not None:
        judging = parts_of(load).judging
        plain, hard = hardened(aim, told, days, policy.ladders[0], design, threads, progress)
        policy = tuned_policy(policy, taken(plain, hard))
        settings = hardened_settings(hard)
    arrivals = _arrivals(policy, aim)
    with ThreadPoolExecutor(threads) as workers:
        subject = subject_of(policy, design)
        radius = radius_of(subject, judging, arrivals, policy.slos[0], told, workers, progress)
    robust = Robust(told, radius, len(judging.work_ns), plain, hard)
    return _with_settings(policy, settings | radius_settings(told, radius)), robust


def _arrivals(policy: Policy, aim: QueueAim | None) -> tuple[Arrivals, ...]:
    if aim is not None:
        return aim.judging.arrivals
    return tuple(Poisson(rate_mrps) for rate_mrps in policy.rates_mrps)


def _with_settings(policy: Policy, more: dict[str, int]) -> Policy:
    evidence = policy.evidence
    settings = tuple(sorted((dict(evidence.settings) | more).items()))
    return replace(policy, evidence=replace(evidence, settings=settings))


def robust_remarks(robust: Robust) -> tuple[Finding, ...]:
    """Warnings where no table is better in the worst case, and where the SLO does not hold."""
    found = []
    if robust.plain is not None and robust.hardened is not None:
        found += queue_remarks(taken(robust.plain, robust.hardened))
        if not robust.hardened.compared.is_better:
            found.append(_not_taken(robust.plain.aim, robust.hardened))
    if not robust.radius.holds:
        message = f"`{robust.radius.slo}` does not hold with 95 % confidence at every rate even as "
        message += "measured, so it stands no error"
        hint = "give lower rates, a longer latency, or more requests to judge on"
        found.append(Finding(Code.NO_RADIUS, message, None, hint, Severity.WARNING))
    return tuple(found)


def _not_taken(aim: QueueAim, hard: Hardened) -> Finding:
    """That the plain table stays, and which case the robust one misses, if that is why."""
    worst = max(hard.compared.rates, key=lambda one: one.robust.worst.us)
    stand = worst.robust
    fewer = aim.or_fewer_rates
    hint = f"doubt less in `search.robust`, or raise `search.requests`{fewer}"
    message = "no table was found that is better than the formula's in the worst case beyond chance"
    if not hard.compared.keeps_tail:
        message = "no table was found that surely keeps the SLO in every case: at "
        message += f"{format_mrps(worst.rate_mrps)}, with {hard.cases[stand.case]}, "
        message += tail_told(stand.worst.us, stand.worst.overloaded)
        hint = "give lower rates or a longer latency, or doubt less in `search.robust`"
    message += ": what is tuned for what was measured stays"
    return Finding(Code.NO_BETTER_TABLE, message, None, hint, Severity.WARNING)
