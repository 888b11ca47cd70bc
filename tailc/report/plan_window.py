"""The power of a held-out window under a plan's prices: what came, and what was forecast of it."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.experiment.held_out_days import HeldOutDays
from tailc.experiment.job_windows import first_course
from tailc.experiment.plan_options import PlanOptions
from tailc.report.plan_power import Power, power_of_course


def power_of_window(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> Power:
    """Of the first window; the forecast is the one of its start, of plans of rigid jobs."""
    course = first_course(policy, held_out, options)
    return power_of_course(held_out.windows[0].start_unix_s, course)
