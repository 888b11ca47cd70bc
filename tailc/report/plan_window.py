"""The power of a held-out window under a plan's prices: what came, and what was forecast of it."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.experiment.held_out_days import HeldOutDays, plan_of
from tailc.report.plan_power import Power, power_of_cluster, power_of_rigid
from tailc.verify.plan import malleable, rigid
from tailc.verify.plan.options import PlanOptions


def power_of_window(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> Power:
    """Of the first window; the forecast is the one of its start, of plans of rigid jobs."""
    plan, window = plan_of(policy), held_out.windows[0]
    alone = replace(options, progress=None)
    if plan.terms is None:
        assert held_out.curves is not None
        outcome = malleable.replayed_window(plan, window, held_out.curves, alone)
        return power_of_cluster(window.start_unix_s, outcome)
    found = rigid.replayed_window(plan, window, alone)
    forecast_mw = window.expected.ahead(0, window.supply.epochs).green_mw.tolist()
    jobs = window.submitted()
    return power_of_rigid(window.start_unix_s, plan.epoch_s, jobs, found, forecast_mw)
