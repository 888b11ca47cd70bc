"""The verdict on a plan that is given, on windows that are."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.job_windows import job_model, replay_all
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import JobWindow, NoSpeedupCurves, SpeedupCurves
from tailc.verify.plan.judge import verdict_of
from tailc.verify.plan.verdict import PlanVerdict, Spans


def verdict(
    plan: Plan,
    windows: Sequence[JobWindow],
    curves: SpeedupCurves | None = None,
    baselines: tuple[str, ...] | None = None,
) -> PlanVerdict:
    options = PlanOptions(baselines=baselines)
    model = job_model(plan, curves or NoSpeedupCurves(), options)
    found = replay_all(model, windows, model.baselines.choose(baselines))
    return verdict_of(plan, model, Spans.from_windows(plan, windows), found, options)
