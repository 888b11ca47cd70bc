"""Verdicts as JSON data."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tailc.experiment.point import Point, Run, SloEstimate, TailChange
from tailc.experiment.spike import Spike, WindowTail
from tailc.report.document import slo_dict
from tailc.report.json_data import json_data
from tailc.verify.verdict import Verdicts

FORMAT = "tailc-verdict"
VERSION = 2
# Members that depend on the execution model, in order.
_OF_MODELS = ("cores", "lanes", "control", "spikes", "clocks", "loss", "batch")


def as_dict(verdicts: Verdicts) -> dict[str, Any]:
    """Convert the verdicts to JSON data, as schemas/report/verdict-2.schema.json describes.

    Verdicts and stretches are in the order of `slos`.
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
        "replay": {
            "seed": verdicts.seed,
            "requests": verdicts.requests_per_replay,
            "replicates": verdicts.replicates,
            "cut_off_us": verdicts.cut_off_us,
            "settling_requests": verdicts.settling_requests,
            "other_power_ppm": verdicts.other_power_ppm,
            **({"comparisons": verdicts.comparisons} if verdicts.comparisons > 1 else {}),
        },
        "drift": None if verdicts.drift is None else json_data(verdicts.drift),
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


def _change_dict(change: TailChange) -> dict[str, Any]:
    return json_data(change) | {"is_beyond_noise": change.is_beyond_noise}


def _run_dict(run: Run) -> dict[str, Any]:
    return {
        "subject": run.subject,
        "note": run.note,
        "load": json_data(run.load),
        "verdicts": [_estimate_dict(one) for one in run.estimates],
        "policy_changes": [one and _change_dict(one) for one in run.changes],
        "stretch_us": [list(times_us) for times_us in run.stretch_us],
        **dict.fromkeys(_OF_MODELS),
        **run.usage.to_dict(),
        "spikes": [_spike_dict(spike) for spike in run.spikes],
    }


def _estimate_dict(estimate: SloEstimate) -> dict[str, Any]:
    members = json_data(estimate)
    return {"verdict": members.pop("ruling"), **members}


def _spike_dict(spike: Spike) -> dict[str, Any]:
    """Convert a spike to flat JSON data."""
    window = dict.fromkeys(field.name for field in fields(WindowTail))
    window |= {} if spike.window is None else json_data(spike.window)
    return {"phase": spike.stretch, "tail_us": spike.tail_us, **window}
