"""The verdict on a plan that is given, on windows that are."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.experiment.job_windows import compared, job_model
from tailc.experiment.plan_options import PlanOptions
from tailc.forms.plan.plan import Plan
from tailc.models.datacentre.window import Curves, NoCurves, Window
from tailc.verify.plan.judge import verdict_of
from tailc.verify.plan.verdict import PlanVerdict, Spans


def verdict(
    plan: Plan,
    windows: Sequence[Window],
    curves: Curves | None = None,
    baselines: tuple[str, ...] | None = None,
) -> PlanVerdict:
    options = PlanOptions(baselines=baselines)
    model = job_model(plan, curves or NoCurves(), options)
    found = compared(model, windows, model.baselines.chosen(baselines))
    return verdict_of(plan, model, Spans.of(plan, windows), found, options)
