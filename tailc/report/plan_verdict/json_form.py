"""Verdicts on plans as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailc.experiment.window_means import WindowMean
from tailc.models.datacentre.quantities import JobQuantity
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import PlanMeans

FORMAT = "tailc-plan-verdict"
VERSION = 1
# Sums in another order agree to this number of digits.
_DIGITS = 10


def as_dict(judged_plan: JudgedPlan) -> dict[str, Any]:
    """Convert a verdict to JSON data, as schemas/report/plan-verdict-1.schema.json describes.

    Shares are from 0 to 1.
    """
    verdict = judged_plan.verdict
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": verdict.ruling.value,
        "policy": {"name": judged_plan.policy_name, "generation": judged_plan.generation},
        "held_out": {
            "digest": judged_plan.held_out_digest,
            "windows": verdict.spans.windows,
            "excluded_windows": judged_plan.left_out,
            "design_windows": judged_plan.own_windows,
            "epochs": verdict.spans.epochs,
            "epoch_s": verdict.spans.epoch_s,
            "from_unix_s": verdict.spans.from_unix_s,
            "until_unix_s": verdict.spans.until_unix_s,
            "jobs": verdict.jobs,
        },
        "seed": verdict.seed,
        "failures_ppm": verdict.failures_ppm,
        "job_type": verdict.words.jobs_are,
        "allowed_ppm": verdict.promised_ppm,
        "judged": verdict.judged.key,
        "more_windows": verdict.more_windows,
        "subjects": [_figures(row) for row in (verdict.policy, *verdict.baselines)],
    }


def means_dict(means: Mapping[JobQuantity, WindowMean]) -> dict[str, Any]:
    """Convert means to JSON data by name of quantity; interval limits are null if unknown."""
    return {
        each.key: {
            "value": round_digits(mean.value),
            "low": round_digits(mean.low),
            "high": round_digits(mean.high),
        }
        for each, mean in means.items()
    }


def round_digits(value: float | None) -> float | None:
    """Round a number to as many digits as do not depend on the order of sums."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _figures(row: PlanMeans) -> dict[str, Any]:
    return {"name": row.name, "means": means_dict(row.means), "gains": means_dict(row.gains)}
