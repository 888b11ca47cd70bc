"""Verdicts on plans for a program; schemas/report/plan-verdict-1.schema.json describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tailc.experiment.window_means import MeanOf
from tailc.models.datacentre.quantities import Quantity
from tailc.verify.plan.judge import JudgedPlan
from tailc.verify.plan.verdict import Figures

FORMAT = "tailc-plan-verdict"
VERSION = 1
# So far sums in another order agree.
_DIGITS = 10


def as_dict(judged: JudgedPlan) -> dict[str, Any]:
    """Everything that was found; shares are from 0 to 1."""
    found = judged.verdict
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": found.ruling.value,
        "policy": {"name": judged.policy_name, "generation": judged.generation},
        "held_out": {
            "digest": judged.held_out_digest,
            "windows": found.spans.windows,
            "excluded_windows": judged.left_out,
            "design_windows": judged.own_windows,
            "epochs": found.spans.epochs,
            "epoch_s": found.spans.epoch_s,
            "from_unix_s": found.spans.from_unix_s,
            "until_unix_s": found.spans.until_unix_s,
            "jobs": found.jobs,
        },
        "seed": found.seed,
        "failures_ppm": found.failures_ppm,
        "job_type": found.words.jobs_are,
        "allowed_ppm": found.promised_ppm,
        "judged": found.judged.key,
        "more_windows": found.more_windows,
        "subjects": [_figures(row) for row in (found.policy, *found.baselines)],
    }


def means_dict(means: Mapping[Quantity, MeanOf]) -> dict[str, Any]:
    """Each quantity by its name, with the limits of its interval; null where there is none."""
    return {
        each.key: {"value": told(mean.value), "low": told(mean.low), "high": told(mean.high)}
        for each, mean in means.items()
    }


def told(value: float | None) -> float | None:
    """A number as it is written."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def _figures(row: Figures) -> dict[str, Any]:
    return {"name": row.name, "means": means_dict(row.means), "gains": means_dict(row.gains)}
