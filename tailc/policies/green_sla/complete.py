"""Warnings about unusual values in a green-sla spec."""

from __future__ import annotations

from pathlib import Path

from tailc.errors import Finding
from tailc.policies.green_sla.spec import GreenSlaSpec
from tailc.specs.days import odd_deferral
from tailc.specs.load import LoadedSpec


def complete(
    spec: GreenSlaSpec,
    loaded: LoadedSpec,
    folder: Path | None,  # noqa: ARG001 (no file is named)
) -> tuple[GreenSlaSpec, tuple[Finding, ...]]:
    """Warn of unusual values; the spec is returned unchanged."""
    return spec, odd_deferral(spec.deferral_s, spec.horizon, loaded)
