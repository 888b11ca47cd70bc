"""Power in a held-out window of days under a plan: what the replay draws, and the forecast."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.experiment.held_out_days import HeldOutDays
from tailc.experiment.job_windows import first_course
from tailc.experiment.plan_options import PlanOptions
from tailc.report.pictures.power_series import PowerSeries, power_from_replay


def power_of_window(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> PowerSeries:
    """Replay the plan on the first held-out window, and return its power over time.

    For plans of rigid jobs it includes the forecast that was issued at its start.
    """
    course = first_course(policy, held_out, options)
    return power_from_replay(held_out.windows[0].start_unix_s, course)
