"""Judge the prices of a plan on held-out days, which admit each job, beside the baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tailc.experiment.window_quantities import Quantity, Sample, Samples
from tailc.forms.plan.ledger import Ledger, ledger_of
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.planner import Planner
from tailc.models.datacentre.site import Site
from tailc.models.datacentre.storage import storage_of
from tailc.models.datacentre.window import Window
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.baselines.smart_green import SmartGreen
from tailc.models.rigid_jobs.engine import RigidOutcome, replay_rigid
from tailc.models.rigid_jobs.priced import Priced
from tailc.verify.plan.aligned import epoch_of
from tailc.verify.plan.energy import UDOLLARS, energy_samples
from tailc.verify.plan.judged import Judged, verdict_of
from tailc.verify.plan.options import PlanOptions, Progress
from tailc.verify.plan.verdict import PlanVerdict

BASELINES: dict[str, Planner] = {"first-fit": FirstFit(), "smart-green": SmartGreen()}


def verify_rigid(
    plan: Plan, windows: Sequence[Window], options: PlanOptions | None = None
) -> PlanVerdict:
    """The plan's prices on each window.

    Judged is the share of admitted jobs that miss their green energy. Raises ValueError for a plan
    without racks or terms, and for windows of which there are none.
    """
    if not windows:
        raise ValueError("there is a window at least")
    options = options or PlanOptions()
    replays = _Replays(_site(plan, options), options, len(windows) * (1 + len(BASELINES)))
    policy = replays.priced(plan, windows)
    others = {
        name: [replays.of(window, planner) for window in windows]
        for name, planner in BASELINES.items()
    }
    judged = Judged(
        jobs=sum(one.outcome.submitted for one in policy),
        policy=_samples(policy),
        baselines={name: _samples(found) for name, found in others.items()},
    )
    return verdict_of(plan, windows, judged, options)


def rigid_samples(plan: Plan, windows: Sequence[Window], options: PlanOptions) -> Samples:
    """What the plan's prices do on each window."""
    replays = _Replays(_site(plan, options), options, len(windows))
    return _samples(replays.priced(plan, windows))


def replayed_window(plan: Plan, window: Window, options: PlanOptions) -> RigidOutcome:
    """What the plan's prices do on one window."""
    return _Replays(_site(plan, options), options, 1).priced(plan, [window])[0].outcome


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
    powers = busy_mw, asleep_mw, migration_mj
    return Site(count, rack_servers, *powers, plan.epoch_s, plan.terms, storage=storage_of(plan))


@dataclass(frozen=True, eq=False)
class _Replayed:
    outcome: RigidOutcome
    books: Ledger


class _Replays:
    """Replays of a site, each of which is counted when it is done."""

    def __init__(self, site: Site, options: PlanOptions, of: int) -> None:
        self._site = site
        self._seed = options.seed
        self._progress = Progress(options, of)

    def priced(self, plan: Plan, windows: Sequence[Window]) -> list[_Replayed]:
        """The plan's prices on each window."""
        return [
            self.of(window, Priced(plan, epoch_of(plan, window.start_unix_s))) for window in windows
        ]

    def of(self, window: Window, planner: Planner) -> _Replayed:
        """A planner on a window."""
        jobs, supply, expected = window.submitted(), window.supply, window.expected
        outcome = replay_rigid(self._site, supply, expected, jobs, planner, self._seed)
        self._progress.step()
        return _Replayed(outcome, ledger_of(outcome.entries))


def _site(plan: Plan, options: PlanOptions) -> Site:
    return replace(site_of(plan), failures_ppm=options.failures_ppm)


def _samples(found: Sequence[_Replayed]) -> Samples:
    settled = [one.outcome.settled for one in found]
    admitted = [len(one) for one in settled]
    missed = [sum(job.is_missed for job in one) for one in settled]
    submitted = [one.outcome.submitted for one in found]
    profits = [one.outcome.profit_udollars / UDOLLARS for one in found]
    return {
        Quantity.PROFIT: Sample.of(profits),
        **energy_samples([one.books for one in found]),
        Quantity.ADMITTED: Sample.ratio(admitted, submitted),
        Quantity.VIOLATIONS: Sample.ratio(missed, admitted),
    }
