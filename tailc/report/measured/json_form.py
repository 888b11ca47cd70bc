"""Verdicts on measured latencies as JSON data."""

from __future__ import annotations

from typing import Any

from tailc.percentiles import PPM
from tailc.report.document import slo_dict
from tailc.report.json_data import json_data
from tailc.verify.measured.arrivals import ArrivalComparison
from tailc.verify.measured.execution import ExecutionComparison
from tailc.verify.measured.verdict import MeasuredSlo, MeasuredVerdicts

FORMAT = "tailc-measured-verdict"
VERSION = 1


def as_dict(verdicts: MeasuredVerdicts) -> dict[str, Any]:
    """Convert the verdicts to JSON data, as schemas/report/measured-1.schema.json describes."""
    replay = verdicts.replay
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": verdicts.ruling.value,
        "policy": {"name": replay.policy_name, "generation": replay.generation},
        "measured": {"requests": verdicts.requests},
        "held_out": {
            "digest": replay.held_out_digest,
            "requests": replay.held_out_requests,
            "is_compile_trace": replay.is_compile_trace,
        },
        "replay": {
            "arrivals": replay.points[0].arrivals,
            "rate_mrps": replay.points[0].rate_mrps,
            "seed": replay.seed,
            "requests": replay.requests_per_replay,
            "replicates": replay.replicates,
        },
        "drift": None if replay.drift is None else json_data(replay.drift),
        "arrivals": None if verdicts.arrivals is None else _arrivals_dict(verdicts.arrivals),
        "execution": None if verdicts.execution is None else _execution_dict(verdicts.execution),
        "deviating": [part.value for part in verdicts.deviating],
        "slos": [_slo_dict(each) for each in verdicts.slos],
    }


def _arrivals_dict(arrivals: ArrivalComparison) -> dict[str, Any]:
    return {
        "rate_mrps": arrivals.rate_mrps,
        "predicted_rate_mrps": arrivals.predicted_rate_mrps,
        "has_other_rate": arrivals.has_other_rate,
        "window_us": arrivals.window_us,
        "index_ppm": round(PPM * arrivals.index),
        "predicted_index_ppm": round(PPM * arrivals.predicted_index),
        "has_other_index": arrivals.has_other_index,
    }


def _execution_dict(execution: ExecutionComparison) -> dict[str, Any]:
    worked = execution.worked_share
    return {
        "thread_time_us": round(execution.thread_time_us),
        "predicted_thread_time_us": round(execution.predicted_thread_time_us),
        "standard_error_us": round(execution.standard_error_us),
        "has_other_thread_time": execution.deviates,
        "late_ppm": round(PPM * execution.late_share),
        "worked_ppm": None if worked is None else round(PPM * worked),
    }


def _slo_dict(each: MeasuredSlo) -> dict[str, Any]:
    return {
        "slo": slo_dict(each.slo),
        "verdict": each.ruling.value,
        "measured": json_data(each.measured),
        "predicted": json_data(each.predicted) | {"is_overloaded": each.is_overloaded},
        "agreement": each.agreement.value,
        "difference_ppm": each.difference_ppm,
    }
