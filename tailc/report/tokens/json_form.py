"""Verdicts on token-budget policies as JSON data."""

from __future__ import annotations

from typing import Any

from tailc.experiment.token_comparison import TokenPoint, TokenRun
from tailc.report.document import slo_dict
from tailc.report.json_data import json_data
from tailc.verify.tokens.verdict import TokenVerdicts

FORMAT = "tailc-tokens-verdict"
VERSION = 1


def as_dict(verdicts: TokenVerdicts) -> dict[str, Any]:
    """Convert the verdicts on token budgets to JSON data.

    See schemas/report/tokens-1.schema.json.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": verdicts.ruling.value,
        "policy": {"name": verdicts.policy_name, "generation": verdicts.generation},
        "held_out": {
            "digest": verdicts.held_out_digest,
            "requests": verdicts.held_out_requests,
            "is_compile_trace": verdicts.is_compile_trace,
        },
        "replay": {"seed": verdicts.seed, "replicates": verdicts.replicates},
        "slos": [slo_dict(slo) for slo in verdicts.slos],
        "points": [_point(point) for point in verdicts.points],
    }


def _point(point: TokenPoint) -> dict[str, Any]:
    return {
        "rate_mrps": point.rate_mrps,
        "policy": _run(point.policy),
        "baselines": [{"name": run.name, "note": run.note} | _run(run) for run in point.baselines],
        "bounds_us": list(point.bounds_us),
        "cells_ppm": [list(row) for row in point.cells_ppm],
    }


def _run(run: TokenRun) -> dict[str, Any]:
    changes = {"changes": [json_data(one) for one in run.changes]} if run.changes else {}
    return {
        "slos": [
            json_data(tail) | {"verdict": ruling.value}
            for tail, ruling in zip(run.tails, run.rulings, strict=True)
        ],
        "goodput_ppm": run.goodput_ppm,
        "busy_ppm": run.busy_ppm,
        "tokens_milli": run.tokens_milli,
        "preemptions": run.preemptions,
        **changes,
    }
