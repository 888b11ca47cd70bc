"""List the settings of CPU shares that differ between two policies."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.diff.differences import SettingChange, differences
from tailc.forms.shares import Machine, ShareCap, Shares
from tailc.units import format_mrps, format_ppm, format_us, plain_ppm, plural


def shares_changes(old: Shares | None, new: Shares | None) -> Iterator[SettingChange]:
    """List the settings of CPU shares that differ between two policies.

    Gives a single change if only one policy has CPU shares.
    """
    if old is None or new is None:
        if old is not new:
            yield SettingChange("shares", _summary(old), _summary(new))
        return
    yield from differences(_settings(old), _settings(new))


def _summary(shares: Shares | None) -> str | None:
    if shares is None:
        return None
    return f"{plural(len(shares.machines), 'machine')} by {shares.law.value}"


def _settings(shares: Shares) -> dict[str, str]:
    """All settings of shares, by name."""
    machines = [_machine(machine) for machine in shares.machines]
    return {
        "law": shares.law.value,
        "pole": plain_ppm(shares.pole_ppm),
        "window": format_us(shares.window_us),
        "estimate every": format_us(shares.estimate_us),
        "step every": format_us(shares.step_us),
        "enforced every": format_us(shares.enforce_us),
        "forgetting": plain_ppm(shares.forgetting_ppm),
        "first covariance": str(shares.first_covariance),
        "least b": format_ppm(shares.least_b_ppm),
        "least share": format_ppm(shares.least_ppm),
        "host": format_ppm(shares.host_ppm),
        "shortage": f"{shares.shortage_steps:,} steps",
        "tolerance": format_ppm(shares.tolerance_ppm),
        **_cap(shares.cap),
        "machines": ", ".join(machine.name for machine in shares.machines),
        **{what: said for machine in machines for what, said in machine.items()},
    }


def _cap(cap: ShareCap | None) -> dict[str, str]:
    if cap is None:
        return {"caps": "none"}
    return {
        "caps": f"over {cap.steps:,} steps",
        "caps tested again": f"after {cap.probe_steps:,} steps",
        "headroom of caps": format_ppm(cap.headroom_ppm),
    }


def _machine(machine: Machine) -> dict[str, str]:
    target = machine.target_milli
    return {
        f"target of {machine.name}": "none" if target is None else format_mrps(target),
        f"first a of {machine.name}": plain_ppm(machine.first_a_ppm),
        f"first b of {machine.name}": format_mrps(machine.first_b_milli),
    }
