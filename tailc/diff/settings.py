"""Describe the settings of a ladder other than its rows, by name."""

from __future__ import annotations

from tailc.diff.rows import rung_labels
from tailc.forms.ladder.overload import NO_OVERLOAD
from tailc.forms.ladder.settings import setting_texts
from tailc.forms.ladder.sharing import NO_SHARING
from tailc.forms.ladder.table import Boost, Guard, Ladder, LoadAxis, Outside
from tailc.percentiles import PPM
from tailc.units import format_mrps, format_us, plain_ppm


def settings(ladder: Ladder, rungs: tuple[str, ...]) -> dict[str, str]:
    """Describe all settings of a ladder except its rows; `rungs` are labels."""
    return {
        "load": ladder.load_axis.value,
        "cost units": ", ".join(unit.name for unit in ladder.cost_units) or "none",
        **_capacities(ladder),
        "rungs": ", ".join(rung_labels(ladder.rungs)),
        **_rungs(ladder, rungs),
        "rules": ", ".join(rule.value for rule in ladder.rules) or "none",
        "quantum": format_us(ladder.quantum_us),
        "guard": _guard(ladder.guard, ladder.load_axis),
        "boost": _boost(ladder.boost, ladder),
        **_power(ladder, rungs),
        **_overload(ladder),
        **_sharing(ladder, rungs),
    }


def _capacities(ladder: Ladder) -> dict[str, str]:
    labels = _unit_labels(ladder)
    return {
        f"capacity in {label}": "no limit"
        if unit.capacity_ppm is None
        else plain_ppm(unit.capacity_ppm)
        for label, unit in zip(labels, ladder.cost_units, strict=True)
    }


def _rungs(ladder: Ladder, labels: tuple[str, ...]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for label, rung in zip(labels, ladder.rungs, strict=True):
        texts[f"speed of {label}"] = plain_ppm(rung.speed_ppm)
        for unit, cost_ppm in zip(_unit_labels(ladder), rung.cost_ppm, strict=True):
            texts[f"cost of {label} in {unit}"] = plain_ppm(cost_ppm)
        texts |= {f"{name} of {label}": text for name, text in setting_texts(rung).items()}
    return texts


def _power(ladder: Ladder, labels: tuple[str, ...]) -> dict[str, str]:
    """Settings of rungs that are cores: idle power by type of core, and times of moves."""
    if ladder.power is None:
        return {}
    units = _unit_labels(ladder)
    texts = {"power": units[ladder.power.unit]}
    for label, idle_ppm in zip(units, ladder.power.idle_ppm, strict=True):
        texts[f"power of a free core of {label}"] = plain_ppm(idle_ppm)
    for label, rung in zip(labels, ladder.rungs, strict=True):
        texts[f"move to {label}"] = "at once" if rung.move_us is None else format_us(rung.move_us)
    return texts


def _overload(ladder: Ladder) -> dict[str, str]:
    """Losses by rules for overload; empty without a rule."""
    overload = ladder.overload or NO_OVERLOAD
    refused, cut_us, degraded = overload.shed_from, overload.cut_off_us, overload.degrade_from
    return {
        "refused from": "never" if refused is None else f"{refused} in system",
        "cut off at": "never" if cut_us is None else format_us(cut_us),
        "degraded from": "never" if degraded is None else f"{degraded} in system",
        "degraded work": plain_ppm(overload.work_ppm or PPM),
    }


def _sharing(ladder: Ladder, labels: tuple[str, ...]) -> dict[str, str]:
    """When requests start by the use of a resource, and when they give up."""
    sharing = ladder.sharing or NO_SHARING
    below, start = sharing.start_below_ppm, "by row"
    if sharing.start_unit is not None and below is not None:
        start = f"while {_unit_labels(ladder)[sharing.start_unit]} in use < {plain_ppm(below)}"
    late = sharing.give_up_us
    return {
        "starts": start,
        f"falls to {labels[0]} at": "never" if late is None else format_us(late),
    }


def _unit_labels(ladder: Ladder) -> list[str]:
    names = [unit.name for unit in ladder.cost_units]
    return [
        name if names.count(name) == 1 else f"{name} (unit {number})"
        for number, name in enumerate(names)
    ]


def _guard(guard: Guard, axis: LoadAxis) -> str:
    low, high = (
        format_mrps(load) if axis is LoadAxis.RATE else str(load)
        for load in (guard.min_load, guard.max_load)
    )
    outside = "the nearest row" if guard.outside is Outside.CLAMP else "the first rung"
    return f"{low} to {high}, {outside} beyond"


def _boost(boost: Boost | None, ladder: Ladder) -> str:
    if boost is None:
        return "none"
    return f"while below {plain_ppm(boost.below_ppm)} {_unit_labels(ladder)[boost.unit]}"
