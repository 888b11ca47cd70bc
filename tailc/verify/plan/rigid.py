"""Judge the prices of a plan on held-out days, which admit each job, beside the baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tailc.forms.plan.ledger import MJ_PER_KWH, Ledger, ledger_of
from tailc.forms.plan.plan import Plan
from tailc.percentiles import PPM
from tailc.replay.baselines.plans.first_fit import FirstFit
from tailc.replay.baselines.plans.smart_green import SmartGreen
from tailc.replay.datacentre.planner import Planner
from tailc.replay.datacentre.priced import Priced
from tailc.replay.datacentre.rigid import RigidOutcome, replay_rigid
from tailc.replay.datacentre.site import Site
from tailc.replay.datacentre.window import Window
from tailc.verify.plan.means import mean_of, ratio_of
from tailc.verify.plan.verdict import Figures, MeanOf, PlanVerdict
from tailc.verify.verdict import Ruling

BASELINES: dict[str, Planner] = {"first-fit": FirstFit(), "smart-green": SmartGreen()}
_UDOLLARS = 1_000_000
_MG_PER_KG = 1_000_000
_RULE_OF_THREE = 3.0


def verify_rigid(plan: Plan, windows: Sequence[Window], seed: int = 0) -> PlanVerdict:
    """The plan's prices on each window, which begins with the plan's first epoch.

    Passes where the share of broken promises lies below the promised one with its whole interval,
    fails where it lies above. Raises ValueError for a plan without racks or terms, and for windows
    of which there are none.
    """
    if not windows:
        raise ValueError("there is a window at least")
    site = site_of(plan)
    priced = Priced(plan, lambda epoch: epoch % len(plan.epochs))
    policy = [_replayed(site, window, priced, seed) for window in windows]
    others = {
        name: [_replayed(site, window, planner, seed) for window in windows]
        for name, planner in BASELINES.items()
    }
    figures = _figures("policy", policy)
    promised = plan.violations_ppm / PPM
    return PlanVerdict(
        windows=len(windows),
        jobs=sum(one.outcome.submitted for one in policy),
        promised=promised,
        ruling=_ruling(figures.violations, promised),
        policy=figures,
        baselines=tuple(_figures(name, found) for name, found in others.items()),
        gains=tuple(_gain(policy, found) for found in others.values()),
    )


def site_of(plan: Plan) -> Site:
    """The racks that a plan is of; ValueError where it tells of none, or they are not alike."""
    racks = [pool.racks for pool in plan.pools]
    if plan.terms is None or None in racks:
        raise ValueError("a plan of rigid jobs tells its terms and its racks")
    kinds = {
        (pool.servers // (pool.racks or 1), pool.busy_mw, pool.asleep_mw, pool.migration_mj)
        for pool in plan.pools
    }
    if len(kinds) > 1:
        raise ValueError("all racks have the same servers")
    ((rack_servers, busy_mw, asleep_mw, migration_mj),) = kinds
    count = sum(one or 0 for one in racks)
    return Site(count, rack_servers, busy_mw, asleep_mw, migration_mj, plan.epoch_s, plan.terms)


@dataclass(frozen=True, eq=False)
class _Replayed:
    outcome: RigidOutcome
    books: Ledger


def _replayed(site: Site, window: Window, planner: Planner, seed: int) -> _Replayed:
    jobs = window.submitted()
    outcome = replay_rigid(site, window.supply, window.expected, jobs, planner, seed)
    return _Replayed(outcome, ledger_of(outcome.entries))


def _figures(name: str, found: Sequence[_Replayed]) -> Figures:
    settled = [one.outcome.settled for one in found]
    admitted = np.array([len(one) for one in settled], float)
    missed = np.array([sum(job.is_missed for job in one) for one in settled], float)
    submitted = np.array([one.outcome.submitted for one in found], float)
    return Figures(
        name=name,
        profit_dollars=mean_of(_profits(found)),
        brown_kwh=_kwh([one.books.brown_mj for one in found]),
        green_kwh=_kwh([one.books.green_used_mj for one in found]),
        spilled_kwh=_kwh([one.books.spilled_mj for one in found]),
        co2_kg=mean_of(np.array([float(one.books.brown_mg / _MG_PER_KG) for one in found])),
        admitted=ratio_of(admitted, submitted),
        violations=_violations(missed, admitted),
    )


def _violations(missed: np.ndarray, admitted: np.ndarray) -> MeanOf:
    """Where nothing was missed, up to 3 of the admitted might have been all the same (rule of
    three; Hanley and Lippman-Hand, JAMA 1983).
    """
    found = ratio_of(missed, admitted)
    if missed.any() or found.high is None:
        return found
    return replace(found, high=min(_RULE_OF_THREE / float(admitted.sum()), 1.0))


def _kwh(millijoules: Sequence[int]) -> MeanOf:
    return mean_of(np.array([one / MJ_PER_KWH for one in millijoules]))


def _profits(found: Sequence[_Replayed]) -> np.ndarray:
    return np.array([one.outcome.profit_udollars / _UDOLLARS for one in found])


def _gain(policy: Sequence[_Replayed], other: Sequence[_Replayed]) -> MeanOf:
    """Within each window, so what all have in common cancels."""
    return mean_of(_profits(policy) - _profits(other))


def _ruling(violations: MeanOf, promised: float) -> Ruling:
    if violations.low is None or violations.high is None:
        return Ruling.UNDECIDED
    if violations.high <= promised:
        return Ruling.PASS
    return Ruling.FAIL if violations.low > promised else Ruling.UNDECIDED
