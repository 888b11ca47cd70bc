"""Convert the forms of a policy from canonical JSON."""

from __future__ import annotations

from typing import Any

from tailc_runtime.errors import BadStructure, UnknownForm
from tailc_runtime.json_budget_table import budget_table_in, refuse_unknown_in_budget_table
from tailc_runtime.json_plan import plan_in, refuse_unknown_in_plan
from tailc_runtime.json_shares import refuse_unknown_in_shares, shares_in
from tailc_runtime.json_tail_table import refuse_unknown_in_tail_table, tail_table_in
from tailc_runtime.members import object_in, objects, refuse_others, text, texts, whole, wholes
from tailc_runtime.raw import (
    RawController,
    RawForm,
    RawLadder,
    RawOverload,
    RawPower,
    RawRow,
    RawSharing,
    RawUnit,
    RungSetting,
)

_POLICY = {
    *("format", "schema", "policy_digest", "name", "kind", "generation"),
    *("slos", "rates_mrps", "forms", "inputs", "reading", "evidence"),
}
_LADDER = {
    *("form", "load_axis", "request_class", "cost_units", "rungs", "rules"),
    *("quantum_us", "rows", "guard", "boost", "power", "overload", "sharing"),
}
_COST_UNIT = {"name", "capacity_ppm"}
_RUNG = {
    *("name", "speed_ppm", "cost_ppm", "move_us", "threads"),
    *("frequency_khz", "core_type", "lane", "one_thread_ppm"),
}
_ROW = {"first_load", "last_load", "admission", "climbs"}
_ADMISSION = {"kind", "delay_us"}
_CLIMB = {"age_us", "rung"}
_GUARD = {"min_load", "max_load", "outside"}
_BOOST = {"unit", "below_ppm"}
_POWER = {"unit", "idle_ppm"}
_OVERLOAD = ("shed_from", "cut_off_us", "degrade_from", "work_ppm")
_SHARING = ("start_unit", "start_below_ppm", "give_up_us")
_GAIN_ROW = ("first_rate_mrps", "kp", "ki", "kd")
_NUMBERS = (
    *("percentile_ppm", "target_us", "epoch_requests", "window_requests"),
    *("first_ppm", "least_ppm", "most_ppm", "fraction_bits"),
)
_CONTROLLER = {"form", "acts_on", *_NUMBERS, "gains"}


def form_in(form: dict[str, Any]) -> RawForm:
    """The form in a JSON object, by its name."""
    match text(form, "form"):
        case "ladder":
            return _ladder(form)
        case "controller":
            return _controller(form)
        case "tail-table":
            return tail_table_in(form)
        case "shares":
            return shares_in(form)
        case "plan":
            return plan_in(form)
        case "budget-table":
            return budget_table_in(form)
    raise UnknownForm(f"unknown form `{form['form']}`")


def _controller(form: dict[str, Any]) -> RawController:
    return RawController(
        acts_on=text(form, "acts_on"),
        **{name: whole(form, name) for name in _NUMBERS},
        gains=tuple(_gain_row(row) for row in objects(form, "gains")),
    )


def _gain_row(row: dict[str, Any]) -> tuple[int, int, int, int]:
    first_rate_mrps, kp, ki, kd = (whole(row, name) for name in _GAIN_ROW)
    return first_rate_mrps, kp, ki, kd


def _ladder(form: dict[str, Any]) -> RawLadder:
    guard = object_in(form, "guard")
    boost = object_in(form, "boost") if "boost" in form else None
    return RawLadder(
        load_axis=text(form, "load_axis"),
        request_class=text(form, "request_class") if "request_class" in form else None,
        cost_units=tuple(_cost_unit(unit) for unit in objects(form, "cost_units")),
        rungs=tuple(_rung(rung) for rung in objects(form, "rungs")),
        rules=texts(form, "rules"),
        quantum_us=whole(form, "quantum_us"),
        rows=_rows(objects(form, "rows")),
        min_load=whole(guard, "min_load"),
        max_load=whole(guard, "max_load"),
        outside=text(guard, "outside"),
        boost=None if boost is None else (whole(boost, "unit"), whole(boost, "below_ppm")),
        power=_power(form),
        overload=_overload(form),
        sharing=_sharing(form),
    )


def _cost_unit(unit: dict[str, Any]) -> RawUnit:
    limited = "capacity_ppm" in unit
    return RawUnit(text(unit, "name"), whole(unit, "capacity_ppm") if limited else None)


def _rung(rung: dict[str, Any]) -> RungSetting:
    return RungSetting(
        name=text(rung, "name"),
        speed_ppm=whole(rung, "speed_ppm"),
        cost_ppm=wholes(rung, "cost_ppm"),
        move_us=_number(rung, "move_us"),
        threads=_number(rung, "threads"),
        frequency_khz=_number(rung, "frequency_khz"),
        core_type=text(rung, "core_type") if "core_type" in rung else None,
        lane=text(rung, "lane") if "lane" in rung else None,
        one_thread_ppm=_number(rung, "one_thread_ppm"),
    )


def _number(part: dict[str, Any], name: str) -> int | None:
    return whole(part, name) if name in part else None


def _power(form: dict[str, Any]) -> RawPower | None:
    if "power" not in form:
        return None
    power = object_in(form, "power")
    return RawPower(whole(power, "unit"), wholes(power, "idle_ppm"))


def _overload(form: dict[str, Any]) -> RawOverload | None:
    if "overload" not in form:
        return None
    told = object_in(form, "overload")
    return RawOverload(*(whole(told, name) if name in told else None for name in _OVERLOAD))


def _sharing(form: dict[str, Any]) -> RawSharing | None:
    if "sharing" not in form:
        return None
    told = object_in(form, "sharing")
    return RawSharing(*(whole(told, name) if name in told else None for name in _SHARING))


def _rows(rows: list[dict[str, Any]]) -> tuple[RawRow, ...]:
    ends = [whole(row, "last_load") for row in rows[:-1]]
    follows = ends == [whole(row, "first_load") - 1 for row in rows[1:]]
    if not follows or any("last_load" in last for last in rows[-1:]):
        raise BadStructure(
            "`first_load` must be 1 above the `last_load` before, which only the last row lacks"
        )
    return tuple(_row(row) for row in rows)


def _row(row: dict[str, Any]) -> RawRow:
    admission = object_in(row, "admission")
    climbs = objects(row, "climbs")
    return RawRow(
        first_load=whole(row, "first_load"),
        admission=text(admission, "kind"),
        delay_us=whole(admission, "delay_us"),
        ages_us=tuple(whole(climb, "age_us") for climb in climbs),
        rungs=tuple(whole(climb, "rung") for climb in climbs),
    )


def refuse_unknown_members(policy: dict[str, Any]) -> None:
    """Refuse members that only a later minor version can have, except in parts that are not
    read."""
    refuse_others(policy, _POLICY)
    refuse_in = {
        "ladder": _refuse_unknown_in_ladder,
        "controller": _refuse_unknown_in_controller,
        "tail-table": refuse_unknown_in_tail_table,
        "shares": refuse_unknown_in_shares,
        "plan": refuse_unknown_in_plan,
        "budget-table": refuse_unknown_in_budget_table,
    }
    for form in policy["forms"]:
        refuse_in[form["form"]](form)


def _refuse_unknown_in_controller(controller: dict[str, Any]) -> None:
    refuse_others(controller, _CONTROLLER)
    for row in controller["gains"]:
        refuse_others(row, _GAIN_ROW)


def _refuse_unknown_in_ladder(ladder: dict[str, Any]) -> None:
    refuse_others(ladder, _LADDER)
    refuse_others(ladder["guard"], _GUARD)
    refuse_others(ladder.get("boost", {}), _BOOST)
    refuse_others(ladder.get("power", {}), _POWER)
    refuse_others(ladder.get("overload", {}), _OVERLOAD)
    refuse_others(ladder.get("sharing", {}), _SHARING)
    for unit in ladder["cost_units"]:
        refuse_others(unit, _COST_UNIT)
    for rung in ladder["rungs"]:
        refuse_others(rung, _RUNG)
    for row in ladder["rows"]:
        refuse_others(row, _ROW)
        refuse_others(row["admission"], _ADMISSION)
        for climb in row["climbs"]:
            refuse_others(climb, _CLIMB)
