"""Reports of the drift of demand since a compile, as text and JSON data."""

from __future__ import annotations

from typing import Any

from tailc.artifact.envelope import Policy
from tailc.experiment.demand_drift import Drift
from tailc.report.json_data import json_data
from tailc.report.verdict.words import sentences_of_drift
from tailc.traces.profile import DemandProfile
from tailc.units import printable

FORMAT = "tailc-drift"
VERSION = 1


def as_text(policy: Policy, profile: DemandProfile, drift: Drift | None) -> str:
    """Format the drift as a heading and one sentence per line."""
    of = f"policy `{printable(policy.name)}`, generation {policy.generation}"
    lines = [f"{of}, against {profile.total_weight:,} requests", *sentences_of_drift(drift)]
    return "\n".join(lines)


def as_dict(policy: Policy, profile: DemandProfile, drift: Drift | None) -> dict[str, Any]:
    """Convert the drift to JSON data, as schemas/report/drift-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "policy": {"name": policy.name, "generation": policy.generation},
        "held_out": {"digest": profile.digest, "requests": profile.total_weight},
        "drift": None if drift is None else json_data(drift),
    }
