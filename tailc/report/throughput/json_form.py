"""Throughput verdicts as JSON data."""

from __future__ import annotations

from typing import Any

from tailc.report.json_data import json_data
from tailc.verify.throughput.verdict import MachineVerdict, ThroughputVerdicts

FORMAT = "tailc-throughput-verdict"
VERSION = 1


def as_dict(verdicts: ThroughputVerdicts) -> dict[str, Any]:
    """Convert the verdicts to JSON data, as schemas/report/throughput-1.schema.json describes.

    Errors and shares are in 1e-6.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "verdict": verdicts.ruling.value,
        "policy": {"name": verdicts.policy_name, "generation": verdicts.generation},
        "held_out": {
            "digest": verdicts.held_out_digest,
            "rows": verdicts.held_out_rows,
            "is_compile_trace": verdicts.is_compile_trace,
        },
        "replay": {
            "seed": verdicts.seed,
            "steps": verdicts.steps,
            "step_us": verdicts.step_us,
            "replicates": verdicts.replicates,
        },
        "tolerance_ppm": verdicts.tolerance_ppm,
        "utilization_ppm": verdicts.usage.utilization_ppm,
        "batch_ppm": verdicts.usage.batch_ppm,
        "machines": [_machine_dict(machine) for machine in verdicts.machines],
    }


def _machine_dict(machine: MachineVerdict) -> dict[str, Any]:
    return {
        "name": machine.name,
        "verdict": machine.ruling.value,
        "is_attainable": machine.is_attainable,
        "target_milli": machine.target_milli,
        "error": json_data(machine.error),
        "online": json_data(machine.model.online) if machine.model else None,
        "offline": json_data(machine.model.offline) if machine.model else None,
        "share_ppm": machine.share_ppm,
        "max_milli": machine.max_milli,
        "short_ppm": machine.short_ppm,
        "capped_ppm": machine.capped_ppm,
        **_default_baselines(machine),
        "more_steps": machine.more_steps,
        "drift": json_data(machine.drift) if machine.drift else None,
    }


def _default_baselines(machine: MachineVerdict) -> dict[str, Any]:
    """JSON members of the default baselines, which have names of their own."""
    members, others = dict[str, Any](), []
    for name, model in machine.baselines.items():
        match name:
            case "static":
                members |= {"static_ppm": model.error_ppm, "static_share_ppm": model.share_ppm}
            case "fair":
                members["fair_ppm"] = model.error_ppm
            case _:
                others.append({"name": name, **json_data(model)})
    return {**members, "baselines": others} if others else members
