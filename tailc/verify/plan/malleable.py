"""Judge the prices of a plan on held-out days, by which malleable jobs choose their servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailc.experiment.window_quantities import Quantity, Sample, Samples
from tailc.forms.plan.ledger import Ledger, ledger_of
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.site import S_PER_HOUR
from tailc.models.datacentre.storage import storage_of
from tailc.models.datacentre.window import Curves, Window
from tailc.models.malleable_jobs.baselines.constant import Constant
from tailc.models.malleable_jobs.baselines.nebulous import Hint, Nebulous, Word
from tailc.models.malleable_jobs.baselines.reactive import Reactive
from tailc.models.malleable_jobs.engine import (
    Allocator,
    Cluster,
    ClusterOutcome,
    MalleableJob,
    replay_malleable,
)
from tailc.models.malleable_jobs.priced_widths import PricedWidths
from tailc.verify.plan.aligned import epoch_of
from tailc.verify.plan.energy import UDOLLARS, energy_samples
from tailc.verify.plan.judged import Judged, verdict_of
from tailc.verify.plan.options import PlanOptions, Progress
from tailc.verify.plan.verdict import PlanVerdict

CONSTANT = "constant"
# What twice the servers that a job asks for do of twice the speed; the words are the source's
# (Haque, 2016, section B.3.2), the limits ours.
_HINTS = ((0.9, Hint.EXCELLENT), (0.75, Hint.GOOD), (0.6, Hint.FAIR))

Make = Callable[[Window, Sequence[MalleableJob]], Allocator]
BASELINES: dict[str, Make] = {
    CONSTANT: lambda _window, _jobs: Constant(),
    "reactive": lambda _window, _jobs: Reactive(),
    "nebulous": lambda window, jobs: Nebulous(words_of(window, jobs)),
}


def verify_malleable(
    plan: Plan, windows: Sequence[Window], curves: Curves, options: PlanOptions | None = None
) -> PlanVerdict:
    """The plan's prices on each window.

    Judged is the share of jobs done that ran for longer than their slowdown allows. Raises
    ValueError for a plan that is not of malleable jobs on one pool, for jobs of no application, and
    for windows of which there are none.
    """
    if not windows:
        raise ValueError("there is a window at least")
    options = options or PlanOptions()
    replays = _Replays(plan, windows, curves, options, 1 + len(BASELINES))
    others = {name: replays.of(make) for name, make in BASELINES.items()}
    policy = replays.of(_priced(plan))
    judged = Judged(
        jobs=sum(one.submitted for one in policy),
        policy=_samples(policy, others[CONSTANT]),
        baselines={name: _samples(found, others[CONSTANT]) for name, found in others.items()},
    )
    return verdict_of(plan, windows, judged, options)


def malleable_samples(
    plan: Plan, windows: Sequence[Window], curves: Curves, options: PlanOptions
) -> Samples:
    """What the plan's prices do on each window."""
    replays = _Replays(plan, windows, curves, options, 2)
    constant = replays.of(BASELINES[CONSTANT])
    return _samples(replays.of(_priced(plan)), constant)


def replayed_window(
    plan: Plan, window: Window, curves: Curves, options: PlanOptions
) -> ClusterOutcome:
    """What the plan's prices do on one window."""
    return _Replays(plan, [window], curves, options, 1).of(_priced(plan))[0].outcome


def cluster_of(plan: Plan) -> Cluster:
    """The servers that a plan is of; ValueError where it has no malleable jobs, or two pools."""
    if plan.malleable is None or len(plan.pools) != 1:
        raise ValueError("malleable jobs are on a plan of one pool")
    (pool,) = plan.pools
    powers = pool.busy_mw, pool.asleep_mw, pool.migration_mj
    return Cluster(pool.servers, *powers, plan.epoch_s, storage_of(plan))


def words_of(window: Window, jobs: Sequence[MalleableJob]) -> dict[int, Word]:
    """What a user would say of each job, by its number: its application, and how that speeds up."""
    log = window.jobs
    assert log.application is not None
    names = [log.applications[at] for at in log.application.tolist()]
    return {job.number: Word(name, hint_of(job)) for name, job in zip(names, jobs, strict=True)}


def hint_of(job: MalleableJob) -> Hint:
    """By the most servers that are no more than twice those asked for."""
    curve = job.speedup_ppm[max(job.speedup_ppm)]
    wide = max((count for count in curve if count <= 2 * job.requested), default=job.requested)
    if wide <= job.requested:
        return Hint.POOR
    efficiency = curve[wide] / job.asked_ppm * job.requested / wide
    return next((hint for least, hint in _HINTS if efficiency >= least), Hint.POOR)


@dataclass(frozen=True, eq=False)
class _Replayed:
    submitted: int
    outcome: ClusterOutcome
    books: Ledger


def _priced(plan: Plan) -> Make:
    return lambda window, _jobs: PricedWidths(plan, epoch_of(plan, window.start_unix_s))


class _Replays:
    """Replays of the same jobs by so many allocators, each of which is counted when it is done."""

    def __init__(
        self,
        plan: Plan,
        windows: Sequence[Window],
        curves: Curves,
        options: PlanOptions,
        allocators: int,
    ) -> None:
        assert plan.malleable is not None
        self._cluster = cluster_of(plan)
        slowdown_ppm, servers = plan.malleable.slowdown_ppm, self._cluster.servers
        self._windows = [(one, one.malleable(curves, slowdown_ppm, servers)) for one in windows]
        self._progress = Progress(options, allocators * len(windows))

    def of(self, make: Make) -> list[_Replayed]:
        """An allocator on each window."""
        found = []
        for window, jobs in self._windows:
            supply, expected = window.supply, window.expected
            outcome = replay_malleable(self._cluster, supply, expected, jobs, make(window, jobs))
            found.append(_Replayed(len(jobs), outcome, ledger_of(outcome.entries)))
            self._progress.step()
        return found


def _samples(found: Sequence[_Replayed], constant: Sequence[_Replayed]) -> Samples:
    done = [one.outcome.done for one in found]
    count = [len(one) for one in done]
    late = [sum(job.is_late for job in one) for one in done]
    ran_s = [sum(job.ran_s for job in one) for one in done]
    costs = [float(one.books.brown_udollars) / UDOLLARS for one in found]
    both = [_common_s(*pair) for pair in zip(found, constant, strict=True)]
    return {
        Quantity.COST: Sample.of(costs),
        **energy_samples([one.books for one in found]),
        Quantity.DONE: Sample.ratio(count, [one.submitted for one in found]),
        Quantity.LATE: Sample.ratio(late, count),
        Quantity.RUN: Sample.ratio([one / S_PER_HOUR for one in ran_s], count),
        Quantity.RELATIVE: Sample.ratio(*map(list, zip(*both, strict=True))),
        Quantity.SERVERS: Sample.ratio([sum(job.server_s for job in one) for one in done], ran_s),
        Quantity.VMS: Sample.ratio(
            [sum(job.vms * job.ran_s for job in one) for one in done], ran_s
        ),
    }


def _common_s(one: _Replayed, constant: _Replayed) -> tuple[float, float]:
    """How long the jobs that both did ran, under one and under the other."""
    other = {job.number: job.ran_s for job in constant.outcome.done}
    pairs = [(job.ran_s, other[job.number]) for job in one.outcome.done if job.number in other]
    return sum(ran_s for ran_s, _ in pairs), sum(ran_s for _, ran_s in pairs)
