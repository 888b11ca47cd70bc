"""Throughput verdicts for a program; schemas/report/throughput-1.schema.json describes them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tailc.verify.throughput.verdict import MachineVerdict, ThroughputVerdicts

FORMAT = "tailc-throughput-verdict"
VERSION = 1


def as_dict(verdicts: ThroughputVerdicts) -> dict[str, Any]:
    """Everything that was found; errors and shares in millionths."""
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
        "utilization_ppm": verdicts.utilization_ppm,
        "batch_ppm": verdicts.batch_ppm,
        "machines": [_machine_dict(machine) for machine in verdicts.machines],
    }


def _machine_dict(machine: MachineVerdict) -> dict[str, Any]:
    fields = asdict(machine)
    return {
        "name": fields.pop("name"),
        "verdict": fields.pop("ruling").value,
        "is_attainable": machine.is_attainable,
        **fields,
    }
