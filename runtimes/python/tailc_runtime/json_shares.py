"""Convert shares of a host from JSON."""

from __future__ import annotations

from typing import Any

from tailc_runtime.members import object_in, objects, refuse_others, text, whole
from tailc_runtime.raw import RawMachine, RawShareCap, RawShares

_MACHINE = ("name", "target_milli", "first_a_ppm", "first_b_milli")
_NUMBERS = (
    *("pole_ppm", "window_us", "estimate_us", "step_us", "enforce_us", "forgetting_ppm"),
    *("first_covariance", "least_b_ppm", "least_ppm", "host_ppm"),
    *("shortage_steps", "tolerance_ppm"),
)
_CAP = ("steps", "probe_steps", "headroom_ppm")
_SHARES = ("form", "law", *_NUMBERS, "machines", "cap")


def shares_in(form: dict[str, Any]) -> RawShares:
    """The shares in a JSON object."""
    return RawShares(
        law=text(form, "law"),
        **{name: whole(form, name) for name in _NUMBERS},
        machines=tuple(_machine(machine) for machine in objects(form, "machines")),
        cap=_cap(object_in(form, "cap")) if "cap" in form else None,
    )


def refuse_unknown_in_shares(form: dict[str, Any]) -> None:
    """Refuse members that only a later minor version can have."""
    refuse_others(form, _SHARES)
    for machine in form["machines"]:
        refuse_others(machine, _MACHINE)
    if "cap" in form:
        refuse_others(form["cap"], _CAP)


def _cap(cap: dict[str, Any]) -> RawShareCap:
    return RawShareCap(*(whole(cap, name) for name in _CAP))


def _machine(machine: dict[str, Any]) -> RawMachine:
    target_milli = whole(machine, "target_milli") if "target_milli" in machine else None
    first = whole(machine, "first_a_ppm"), whole(machine, "first_b_milli")
    return RawMachine(text(machine, "name"), target_milli, *first)
