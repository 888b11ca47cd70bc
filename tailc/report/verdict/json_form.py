"""Verdicts for a program; schemas/report/verdict-2.schema.json describes them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tailc.experiment.comparison import Point, Run, Verdict
from tailc.models.core_queues.usage import ClockUse
from tailc.models.core_types.usage import CoreUse
from tailc.models.smt.usage import LaneUse
from tailc.report.document import slo_dict
from tailc.verify.verdict import Verdicts

FORMAT = "tailc-verdict"
VERSION = 2


def as_dict(verdicts: Verdicts) -> dict[str, Any]:
    """Everything that was found; verdicts and stretches follow the order of `slos`."""
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
        "replay": {
            "seed": verdicts.seed,
            "requests": verdicts.requests_per_replay,
            "replicates": verdicts.replicates,
            "cut_off_us": verdicts.cut_off_us,
            "settling_requests": verdicts.settling_requests,
            "other_power_ppm": verdicts.other_power_ppm,
        },
        "drift": None if verdicts.drift is None else asdict(verdicts.drift),
        "slos": [slo_dict(slo) for slo in verdicts.slos],
        "points": [_point_dict(point) for point in verdicts.points],
    }


def _point_dict(point: Point) -> dict[str, Any]:
    return {
        "arrivals": point.arrivals,
        "rate_mrps": point.rate_mrps,
        "policy": _run_dict(point.policy),
        "reference": point.reference,
        "baselines": [_run_dict(run) for run in point.baselines],
    }


def _run_dict(run: Run) -> dict[str, Any]:
    load = asdict(run.load)
    load["rung_use"]["final_ppm"] = list(run.load.rung_use.final_ppm)
    return {
        "subject": run.subject,
        "note": run.note,
        "load": load,
        "verdicts": [_verdict_dict(verdict) for verdict in run.verdicts],
        "stretch_us": [list(times_us) for times_us in run.stretch_us],
        "cores": None if run.cores is None else _cores_dict(run.cores),
        "lanes": None if run.lanes is None else _lanes_dict(run.lanes),
        "control": None if run.control is None else asdict(run.control),
        "spikes": [asdict(spike) for spike in run.spikes],
        "clocks": None if run.clocks is None else _clocks_dict(run.clocks),
        "loss": None if run.loss is None else asdict(run.loss),
        "batch": None if run.batch is None else asdict(run.batch),
    }


def _cores_dict(use: CoreUse) -> dict[str, Any]:
    return {**asdict(use), "types": [asdict(one) for one in use.types]}


def _lanes_dict(use: LaneUse) -> dict[str, Any]:
    periods = [asdict(one) for one in use.idle.periods]
    return {**asdict(use), "idle": {"share_ppm": use.idle.share_ppm, "periods": periods}}


def _clocks_dict(use: ClockUse) -> dict[str, Any]:
    return {**asdict(use), "levels": [asdict(one) for one in use.levels]}


def _verdict_dict(verdict: Verdict) -> dict[str, Any]:
    fields = asdict(verdict)
    return {"verdict": fields.pop("ruling").value, **fields}
