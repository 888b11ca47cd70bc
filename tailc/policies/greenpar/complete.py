"""Warnings about unusual values in a greenpar spec."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from tailc.errors import Code, Finding, Severity
from tailc.policies.greenpar.spec import GreenParSpec
from tailc.specs.days import odd_deferral
from tailc.specs.fields import PPM
from tailc.specs.job_curves import unused_speedups
from tailc.specs.load import LoadedSpec
from tailc.specs.speedups import Table
from tailc.units import shorten

_HINT = "measure again; if it is intended, no change is needed"


def complete(
    spec: GreenParSpec,
    loaded: LoadedSpec,
    folder: Path | None,  # noqa: ARG001 (no file is named)
) -> tuple[GreenParSpec, tuple[Finding, ...]]:
    """Warn of each unusual or unused part; the spec is returned unchanged."""
    warnings = [
        Finding(
            code,
            f"the speed-up of `{shorten(name)}` {message}",
            loaded.place("speedup", name, *index),
            _HINT,
            Severity.WARNING,
        )
        for name, speedups in spec.own_speedup.items()
        for index, table in speedups.stated_tables
        for code, message in _oddities(table)
    ]
    unused = unused_speedups(spec.jobs, spec.own_speedup, loaded)
    return spec, (*unused, *warnings, *odd_deferral(spec.deferral_s, spec.horizon, loaded))


def _oddities(table: Table) -> list[tuple[Code, str]]:
    rises = list(pairwise(table.items()))
    falls = next((pair for pair in rises if pair[1][1] < pair[0][1]), None)
    exceeds = next((one for one in table.items() if one[1] > one[0] * PPM), None)
    gains = next((p for p in rises if p[1][1] * p[0][0] > p[0][1] * p[1][0]), None)
    warnings = []
    if falls is not None:
        message = f"falls from {_point_text(*falls[0])} to {_point_text(*falls[1])}"
        warnings.append((Code.SPEEDUP_FALLS, message))
    if exceeds is not None:
        warnings.append((Code.SPEEDUP_EXCEEDS, f"has {_point_text(*exceeds)}, more than there are"))
    if gains is not None:
        message = f"is superlinear from {_point_text(*gains[0])} to {_point_text(*gains[1])}"
        warnings.append((Code.SPEEDUP_SUPERLINEAR, message))
    return warnings


def _point_text(servers: int, ppm: int) -> str:
    return f"{ppm / PPM:g} on {servers}"
