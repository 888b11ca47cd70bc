"""Execution model of the rigid jobs of a plan: replay, quantities and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tailc.forms.plan.ledger import ledger_of
from tailc.forms.plan.plan import Plan
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
from tailc.models.datacentre.window import JobWindow
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob, rigid_jobs_of
from tailc.models.rigid_jobs.outcome import RigidOutcome
from tailc.models.rigid_jobs.planner import Planner
from tailc.models.rigid_jobs.prices import PriceAdmission
from tailc.models.rigid_jobs.site import Site
from tailc.models.rule_baselines import RuleBaselines, rules_in

_LEGEND = """\
Means of a window. profit: what jobs paid less penalties and the price of brown energy; spilled:
green energy that nothing drew; violations: admitted jobs that missed green energy promised to them;
over: by how much the policy has more than a baseline, within the same windows."""


@dataclass(frozen=True, eq=False)
class RigidJobs(JobModel[RigidOutcome]):
    """Rigid jobs on the racks of a plan. seed: of server failures."""

    plan: Plan
    site: Site
    seed: int

    words: ClassVar = JobWords(
        "rigid", "green energy of jobs", "admitted jobs miss their green energy", _LEGEND
    )
    judged: ClassVar = JobQuantity.VIOLATIONS
    servers_fail: ClassVar = True
    relative_to: ClassVar = ()

    @property
    def baselines(self) -> RuleBaselines[Planner]:
        """All planners in this model's folder."""
        return rules_in("tailc.models.rigid_jobs.baselines")

    @property
    def policy(self) -> Replay[RigidOutcome]:
        """Admit jobs by the plan's prices at the same time of day."""
        return lambda window: self._replay(
            window, PriceAdmission(self.plan, epoch_of(self.plan, window.start_unix_s))
        )

    def baseline(self, name: str) -> Replay[RigidOutcome]:
        """The replay with the planner of that name."""
        planner = self.baselines.make_rule(name)
        return lambda window: self._replay(window, planner)

    def samples(
        self,
        outcomes: Sequence[RigidOutcome],
        baseline: BaselineOutcomes[RigidOutcome],  # noqa: ARG002 - nothing is told relative to a baseline
    ) -> QuantitySamples:
        """Profit, energy, and what happened to jobs."""
        settled = [one.settled for one in outcomes]
        admitted = [len(one) for one in settled]
        missed = [sum(job.is_missed for job in one) for one in settled]
        return {
            JobQuantity.PROFIT: QuantitySample.from_values(
                [one.profit_udollars / UDOLLARS for one in outcomes]
            ),
            **energy_samples([ledger_of(one.entries) for one in outcomes]),
            JobQuantity.ADMITTED: QuantitySample.ratio(
                admitted, [one.submitted for one in outcomes]
            ),
            JobQuantity.VIOLATIONS: QuantitySample.ratio(missed, admitted),
        }

    def course(self, window: JobWindow, outcome: RigidOutcome) -> Course:
        """The course of a replay, with the green power forecast at its start."""
        forecast_mw = tuple(window.expected.ahead(0, window.supply.epochs).green_mw.tolist())
        return course_of(self.site.epoch_s, rigid_jobs_of(window), outcome, forecast_mw)

    def _replay(self, window: JobWindow, planner: Planner) -> RigidOutcome:
        jobs, supply, expected = rigid_jobs_of(window), window.supply, window.expected
        return replay_rigid(self.site, supply, expected, jobs, planner, self.seed)


def course_of(
    epoch_s: int,
    jobs: Sequence[SubmittedJob],
    outcome: RigidOutcome,
    forecast_mw: tuple[int, ...] | None,
) -> Course:
    """The course of a replay of the jobs.

    A job begins or is refused when the planner decides, at the start of the first epoch after its
    submission.
    """
    settled = {one.number for one in outcome.settled}
    edges_s = tuple(epoch * epoch_s for epoch in range(len(outcome.entries) + 1))
    decided = [
        (-(-max(job.submit_s, 0) // epoch_s) * epoch_s, job.number in settled) for job in jobs
    ]
    refused_s = (at_s for at_s, has_begun in decided if not has_begun)
    return Course(
        edges_s,
        outcome.entries,
        forecast_mw,
        begun_s=tuple(at_s for at_s, has_begun in decided if has_begun),
        refused_s=tuple(at_s for at_s in refused_s if at_s < edges_s[-1]),
    )
