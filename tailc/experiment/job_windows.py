"""Replay a plan's rule for later jobs and its baselines on the same windows of jobs and energy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.held_out_days import HeldOutDays, plan_of
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.course import Course
from tailc.models.datacentre.job_model import JobModel, OutcomeT, Replay
from tailc.models.datacentre.quantities import QuantitySamples
from tailc.models.datacentre.window import JobWindow, NoSpeedupCurves, SpeedupCurves
from tailc.models.malleable_jobs.cluster import cluster_of
from tailc.models.malleable_jobs.model import MalleableJobs
from tailc.models.rigid_jobs.model import RigidJobs
from tailc.models.rigid_jobs.site import site_of


@dataclass(frozen=True, eq=False)
class WindowSamples:
    """Results of replaying windows of days with a plan's rule and with each baseline, by name.

    jobs: number of submitted jobs.
    """

    jobs: int
    policy: QuantitySamples
    baselines: Mapping[str, QuantitySamples]


def job_model(
    plan: Plan, curves: SpeedupCurves, options: PlanOptions, rule: str | None = None
) -> JobModel[Any]:
    """Make the model that replays the jobs of a plan; ValueError if its servers differ.

    rule: name of the baseline that decides about jobs; None: the plan's prices.
    """
    if plan.malleable is not None:
        slowdown_ppm = plan.malleable.slowdown_ppm
        return MalleableJobs(plan, cluster_of(plan), curves, slowdown_ppm, rule, options.more)
    site = replace(site_of(plan), failures_ppm=options.failures_ppm)
    return RigidJobs(plan, site, options.seed, rule, options.more)


def replayable(policy: Policy, options: PlanOptions | None = None) -> JobModel[Any]:
    """Make the execution model of the policy's jobs, and check the options.

    Raises TailcError if it has no plan, if its servers differ, if servers should fail that cannot,
    and for names that are not baselines.
    """
    options = options or PlanOptions()
    model = _model(policy, NoSpeedupCurves(), options)
    if options.failures_ppm and not model.servers_fail:
        jobs = model.words.jobs_are
        message = (
            f"`{policy.name}` is a plan of {jobs} jobs, for which replays have no failures of "
            "servers"
        )
        raise TailcError(Finding(Code.USAGE, message, help="remove `--failures`"))
    model.baselines.choose(options.baselines)
    return model


def replay_windows(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> WindowSamples:
    """Replay the policy and the baselines on each window.

    Deterministic in its arguments. Raises TailcError as `replayable` does.
    """
    names = replayable(policy, options).baselines.choose(options.baselines)
    model = _model(policy, held_out.curves, options)
    return replay_all(model, held_out.windows, names, options.progress)


def replay_all(
    model: JobModel[OutcomeT],
    windows: Sequence[JobWindow],
    names: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> WindowSamples:
    """Replay a plan and its baselines on each window of days, and compute their quantities.

    names: names of the baselines. Raises ValueError without windows.
    """
    if not windows:
        raise ValueError("there must be at least one window")
    baselines = {*names, *model.relative_to}
    replays = _Replays(model, windows, 1 + len(baselines), progress)
    found = replays.outcomes(model.policy)
    policy = model.samples(found, replays.baseline_outcomes)
    others = {
        name: model.samples(replays.baseline_outcomes(name), replays.baseline_outcomes)
        for name in names
    }
    return WindowSamples(sum(one.submitted for one in found), policy, others)


def policy_samples(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> QuantitySamples:
    """Replay only the policy on each held-out window of days, and compute its quantities."""
    model = _model(policy, held_out.curves, options)
    return replay_all(model, held_out.windows, (), options.progress).policy


def first_course(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> Course:
    """Replay the first window of days; return its time series of energy and jobs for a plot."""
    model, window = _model(policy, held_out.curves, options), held_out.windows[0]
    return model.course(window, model.policy(window))


def _model(policy: Policy, curves: SpeedupCurves, options: PlanOptions) -> JobModel[Any]:
    try:
        rule = policy.later_jobs
        return job_model(plan_of(policy), curves, options, rule)
    except ValueError as fault:
        message = f"the plan of `{policy.name}` cannot be replayed: {fault}"
        hint = "give a plan with equal racks, or of malleable jobs on one pool"
        raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint)) from None


class _Replays(Generic[OutcomeT]):
    """Replays of the same windows; each is counted when done, and each baseline runs once."""

    def __init__(
        self,
        model: JobModel[OutcomeT],
        windows: Sequence[JobWindow],
        subjects: int,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._model = model
        self._windows = windows
        self._progress = progress
        self._done, self._of = 0, subjects * len(windows)
        self._beside: dict[str, list[OutcomeT]] = {}

    def outcomes(self, replay: Replay[OutcomeT]) -> list[OutcomeT]:
        """Replay one policy on each window."""
        return [self._counted_outcome(replay(window)) for window in self._windows]

    def baseline_outcomes(self, name: str) -> list[OutcomeT]:
        """Replay the named baseline on each window."""
        if name not in self._beside:
            self._beside[name] = self.outcomes(self._model.baseline(name))
        return self._beside[name]

    def _counted_outcome(self, outcome: OutcomeT) -> OutcomeT:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._of)
        return outcome
