"""Execution model of the malleable jobs of a plan: replays, reported quantities and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import PPM, Plan, PoolPrices
from tailc.forms.plan.quote import cheapest_width
from tailc.models.datacentre.aligned_epochs import epoch_of
from tailc.models.datacentre.course import Course
from tailc.models.datacentre.job_model import BaselineOutcomes, JobModel, JobWords, Replay
from tailc.models.datacentre.quantities import (
    UDOLLARS,
    JobQuantity,
    QuantitySample,
    QuantitySamples,
    energy_samples,
)
from tailc.models.datacentre.supply import S_PER_HOUR
from tailc.models.datacentre.window import JobWindow, SpeedupCurves
from tailc.models.malleable_jobs.allocator import Allocation, ClusterView, Make
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.jobs import UnfinishedJob, malleable_jobs_of
from tailc.models.malleable_jobs.outcome import ClusterOutcome
from tailc.models.rule_baselines import RuleBaseline, RuleBaselines, rules_in

CONSTANT = "constant"
"""The baseline that run times are compared with."""

_LEGEND = """\
Means of a window. cost: the price of brown energy; spilled: green energy that nothing drew; late:
jobs that ran for longer than their slowdown allows; run: how long a job ran, relative to what it
did under constant allocation; servers, machines: of a job, while it ran; over: by how much the
policy has more than a baseline, within the same windows."""


@dataclass(frozen=True, eq=False)
class MalleableJobs(JobModel[ClusterOutcome]):
    """The model of malleable jobs (variable number of servers) on the servers of a plan.

    slowdown_ppm: the promised limit of slowdown. rule: name of the baseline that decides about
    jobs; None: the plan's prices. more: further baselines.
    """

    plan: Plan
    cluster: Cluster
    curves: SpeedupCurves
    slowdown_ppm: int
    rule: str | None = None
    more: tuple[RuleBaseline[Make], ...] = ()

    words: ClassVar = JobWords("malleable", "run times of jobs", "jobs run for too long", _LEGEND)
    judged: ClassVar = JobQuantity.LATE
    servers_fail: ClassVar = False
    relative_to: ClassVar = (CONSTANT,)

    @property
    def baselines(self) -> RuleBaselines[Make]:
        """The baselines that can decide about malleable jobs, by name."""
        return rules_in("tailc.models.malleable_jobs.baselines").with_more(self.more)

    @property
    def policy(self) -> Replay[ClusterOutcome]:
        """The replay in which the plan's rule or its prices decide the servers of each job."""
        if self.rule is not None:
            return self.baseline(self.rule)
        return lambda window: self._replay(
            window,
            lambda of, _jobs: PricedWidths(self.plan, epoch_of(self.plan, of.start_unix_s)),
        )

    def baseline(self, name: str) -> Replay[ClusterOutcome]:
        """The replay of a baseline, whose allocator chooses the servers of jobs.

        Raises TailcError (USAGE) for an unknown baseline.
        """
        make = self.baselines.make_rule(name)
        return lambda window: self._replay(window, make)

    def samples(
        self, outcomes: Sequence[ClusterOutcome], baseline: BaselineOutcomes[ClusterOutcome]
    ) -> QuantitySamples:
        """Compute cost, energy and run times of jobs, also relative to constant allocation."""
        books = [ledger_of(one.entries) for one in outcomes]
        done = [one.done for one in outcomes]
        count = [len(one) for one in done]
        ran_s = [sum(job.ran_s for job in one) for one in done]
        both = [_common_s(*pair) for pair in zip(outcomes, baseline(CONSTANT), strict=True)]
        return {
            JobQuantity.COST: QuantitySample.from_values(
                [float(one.brown_udollars) / UDOLLARS for one in books]
            ),
            **energy_samples(books),
            JobQuantity.DONE: QuantitySample.ratio(count, [one.submitted for one in outcomes]),
            JobQuantity.LATE: QuantitySample.ratio(
                [sum(job.is_late for job in one) for one in done], count
            ),
            JobQuantity.RUN: QuantitySample.ratio([one / S_PER_HOUR for one in ran_s], count),
            JobQuantity.RELATIVE: QuantitySample.ratio(*map(list, zip(*both, strict=True))),
            JobQuantity.SERVERS: QuantitySample.ratio(
                [sum(job.server_s for job in one) for one in done], ran_s
            ),
            JobQuantity.VMS: QuantitySample.ratio(
                [sum(job.vms * job.ran_s for job in one) for one in done], ran_s
            ),
        }

    def course(self, window: JobWindow, outcome: ClusterOutcome) -> Course:  # noqa: ARG002
        """The time series of a replay, without a forecast, because jobs do not use one."""
        return course_of(outcome)

    def _replay(self, window: JobWindow, make: Make) -> ClusterOutcome:
        jobs = malleable_jobs_of(window, self.curves, self.slowdown_ppm, self.cluster.servers)
        supply, expected = window.supply, window.expected
        return replay_malleable(self.cluster, supply, expected, jobs, make(window, jobs))


def _common_s(one: ClusterOutcome, constant: ClusterOutcome) -> tuple[float, float]:
    """Total run times of the jobs that both did, under one and under the other."""
    other = {job.number: job.ran_s for job in constant.done}
    pairs = [(job.ran_s, other[job.number]) for job in one.done if job.number in other]
    return sum(ran_s for ran_s, _ in pairs), sum(ran_s for _, ran_s in pairs)


def course_of(outcome: ClusterOutcome) -> Course:
    """The time series of a replay: a job begins with its first server; none is refused."""
    begun: dict[int, int] = {}
    for from_s, servers in outcome.history:
        for job in servers:
            begun.setdefault(job, from_s)
    return Course(
        (0, *outcome.ends_s), outcome.entries, None, begun_s=tuple(begun.values()), refused_s=()
    )


class PricedWidths:
    """Rule for the number of servers of a job at its start, by the prices of later epochs."""

    def __init__(self, plan: Plan, epoch_of: Callable[[int], int]) -> None:
        """epoch_of: the plan's epoch for an epoch of the replay. The plan has one pool."""
        if len(plan.pools) != 1 or plan.malleable is None:
            raise ValueError("a plan of malleable jobs must have one pool")
        self._plan = plan.without_battery()
        self._epoch_of = epoch_of

    def allocate(self, view: ClusterView) -> Allocation:
        """Decide the servers of all jobs: running jobs keep theirs, waiting jobs start in order.

        A job starts while there is room, with the number of servers that costs least.
        """
        servers = {one.job.number: one.servers for one in view.active if one.servers}
        waiting = [one for one in view.active if not one.servers]
        if not waiting:
            return Allocation(servers)
        epoch_s = view.cluster.epoch_s
        plan = self._plan_from(view.now_s // epoch_s)
        free = np.full((1, len(plan.epochs)), view.cluster.servers, np.int64)
        for one in view.active:
            if one.servers:
                free[0, : -(-one.left_s() // epoch_s)] -= one.servers
        for one in waiting:
            epochs_of = _epochs_of(one, epoch_s)
            width = cheapest_width(plan, free, 0, epochs_of)
            if width is None:
                break
            servers[one.job.number] = width
            free[0, : epochs_of[width]] -= width
        return Allocation(servers)

    def _plan_from(self, epoch: int) -> Plan:
        """The plan with the current epoch as its first, and without its own jobs."""
        plan = self._plan
        order = [self._epoch_of(epoch + number) for number in range(len(plan.epochs))]
        prices = tuple(PoolPrices(tuple(one.udollars[at] for at in order)) for one in plan.prices)
        return replace(plan, jobs=(), prices=prices, epochs=tuple(plan.epochs[at] for at in order))


def _epochs_of(one: UnfinishedJob, epoch_s: int) -> dict[int, int]:
    """Number of epochs of a waiting job, for each number of servers on which it is not late."""
    job = one.job
    run_s = {
        servers: -(-job.work_s * PPM // speedup_ppm)
        for servers, speedup_ppm in job.speedup_ppm[job.requested_vms].items()
    }
    return {
        servers: -(-each_s // epoch_s)
        for servers, each_s in run_s.items()
        if each_s <= job.longest_s
    }
