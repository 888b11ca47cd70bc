"""Canonical JSON (RFC 8785, whole numbers only) with the standard library."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn

from tailc_runtime.errors import (
    BadStructure,
    HashMismatch,
    NotCanonical,
    UnknownForm,
    UnknownSchema,
)
from tailc_runtime.raw import (
    SCHEMA_MAJOR,
    SCHEMA_MINOR,
    Head,
    RawController,
    RawForm,
    RawLadder,
    RawPower,
    RawRow,
    RawRung,
    RawUnit,
)

_LARGEST = 2**53 - 1
_MOST_DIGITS = 17

# The members of what is read here, in this minor version of the schema.
_POLICY = {
    *("format", "schema", "policy_digest", "name", "kind", "generation"),
    *("slos", "rates_mrps", "forms", "inputs", "reading", "evidence"),
}
_LADDER = {
    *("form", "load_axis", "request_class", "cost_units", "rungs", "rules"),
    *("quantum_us", "rows", "guard", "boost", "power"),
}
_COST_UNIT = {"name", "capacity_ppm"}
_RUNG = {"name", "speed_ppm", "cost_ppm", "move_us"}
_ROW = {"first_load", "last_load", "admission", "climbs"}
_ADMISSION = {"kind", "delay_us"}
_CLIMB = {"age_us", "rung"}
_GUARD = {"min_load", "max_load", "outside"}
_BOOST = {"unit", "below_ppm"}
_POWER = {"unit", "idle_ppm"}
_GAIN_ROW = ("first_rate_mrps", "kp", "ki", "kd")
_NUMBERS = (
    *("percentile_ppm", "target_us", "epoch_requests", "window_requests"),
    *("first_ppm", "least_ppm", "most_ppm", "fraction_bits"),
)
_CONTROLLER = {"form", "acts_on", *_NUMBERS, "gains"}


def read_json(data: bytes) -> tuple[Head, list[RawForm]]:
    """Which policy is in `data`, and its forms; PolicyError unless it is canonical and whole."""
    policy = _parse(data)
    minor = _check_version(policy)
    if _canonical(policy) != data:
        raise NotCanonical("the JSON is not in its canonical form")
    digest = _text(policy, "policy_digest")
    rest = {name: part for name, part in policy.items() if name != "policy_digest"}
    if hashlib.sha256(_canonical(rest)).hexdigest() != digest:
        raise HashMismatch("the policy does not match its digest")
    head = Head(_text(policy, "name"), _text(policy, "kind"), _whole(policy, "generation"), digest)
    forms = [_form(form) for form in _objects(policy, "forms")]
    if minor <= SCHEMA_MINOR:
        _refuse_unknown_members(policy)
    return head, forms


def _parse(data: bytes) -> dict[str, Any]:
    try:
        policy = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_members,
            parse_int=_number,
            parse_float=_not_whole,
            parse_constant=_not_whole,
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BadStructure(f"the file is not JSON: {error}") from error
    if not isinstance(policy, dict):
        raise BadStructure("a policy is a JSON object")
    return policy


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise BadStructure("a member stands twice in one object")
    return members


def _number(text: str) -> int:
    if len(text) > _MOST_DIGITS or abs(int(text)) > _LARGEST:
        raise BadStructure(f"`{text[:20]}` is beyond 2^53 - 1")
    return int(text)


def _not_whole(text: str) -> NoReturn:
    raise BadStructure(f"`{text[:20]}` is not a whole number")


def _canonical(value: Any) -> bytes:
    try:
        text = json.dumps(_ordered(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise BadStructure(f"no canonical JSON exists: {error}") from error


def _ordered(value: Any) -> Any:
    """Members in the order of their names' UTF-16 code units (RFC 8785, section 3.2.3)."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return {name: _ordered(value[name]) for name in names}
    return [_ordered(part) for part in value] if isinstance(value, list) else value


def _check_version(policy: dict[str, Any]) -> int:
    """The minor version of the policy's schema."""
    if policy.get("format") != "tailc-policy":
        raise BadStructure("this is not a tailc policy")
    schema = _object(policy, "schema")
    major, minor = _whole(schema, "major"), _whole(schema, "minor")
    if schema.keys() != {"major", "minor"} or minor < 0:
        raise BadStructure("member `schema` should state major and minor")
    if major != SCHEMA_MAJOR:
        raise UnknownSchema(f"schema `{major}.{minor}` is not known here")
    return minor


def _refuse_unknown_members(policy: dict[str, Any]) -> None:
    """Refuse what only a later minor version could have, anywhere but in what is not read here."""
    _refuse_others(policy, _POLICY)
    for form in policy["forms"]:
        if form["form"] == "controller":
            _refuse_others(form, _CONTROLLER)
            for row in form["gains"]:
                _refuse_others(row, set(_GAIN_ROW))
        else:
            _refuse_unknown_in_ladder(form)


def _refuse_unknown_in_ladder(ladder: dict[str, Any]) -> None:
    _refuse_others(ladder, _LADDER)
    _refuse_others(ladder["guard"], _GUARD)
    _refuse_others(ladder.get("boost", {}), _BOOST)
    _refuse_others(ladder.get("power", {}), _POWER)
    for unit in ladder["cost_units"]:
        _refuse_others(unit, _COST_UNIT)
    for rung in ladder["rungs"]:
        _refuse_others(rung, _RUNG)
    for row in ladder["rows"]:
        _refuse_others(row, _ROW)
        _refuse_others(row["admission"], _ADMISSION)
        for climb in row["climbs"]:
            _refuse_others(climb, _CLIMB)


def _refuse_others(record: dict[str, Any], known: set[str]) -> None:
    for name in record:
        if name not in known:
            raise BadStructure(f"member `{name}` does not exist")


def _form(form: dict[str, Any]) -> RawForm:
    match _text(form, "form"):
        case "ladder":
            return _ladder(form)
        case "controller":
            return _controller(form)
    raise UnknownForm(f"form `{form['form']}` is not known here")


def _controller(form: dict[str, Any]) -> RawController:
    return RawController(
        acts_on=_text(form, "acts_on"),
        **{name: _whole(form, name) for name in _NUMBERS},
        gains=tuple(_gain_row(row) for row in _objects(form, "gains")),
    )


def _gain_row(row: dict[str, Any]) -> tuple[int, int, int, int]:
    first_rate_mrps, kp, ki, kd = (_whole(row, name) for name in _GAIN_ROW)
    return first_rate_mrps, kp, ki, kd


def _ladder(form: dict[str, Any]) -> RawLadder:
    guard = _object(form, "guard")
    boost = _object(form, "boost") if "boost" in form else None
    return RawLadder(
        load_axis=_text(form, "load_axis"),
        request_class=_text(form, "request_class") if "request_class" in form else None,
        cost_units=tuple(_cost_unit(unit) for unit in _objects(form, "cost_units")),
        rungs=tuple(_rung(rung) for rung in _objects(form, "rungs")),
        rules=_texts(form, "rules"),
        quantum_us=_whole(form, "quantum_us"),
        rows=_rows(_objects(form, "rows")),
        min_load=_whole(guard, "min_load"),
        max_load=_whole(guard, "max_load"),
        outside=_text(guard, "outside"),
        boost=None if boost is None else (_whole(boost, "unit"), _whole(boost, "below_ppm")),
        power=_power(form),
    )


def _cost_unit(unit: dict[str, Any]) -> RawUnit:
    limited = "capacity_ppm" in unit
    return RawUnit(_text(unit, "name"), _whole(unit, "capacity_ppm") if limited else None)


def _rung(rung: dict[str, Any]) -> RawRung:
    """A rung without its speed, which is for people and only has to be a number."""
    _whole(rung, "speed_ppm")
    move_us = _whole(rung, "move_us") if "move_us" in rung else None
    return RawRung(_text(rung, "name"), _wholes(rung, "cost_ppm"), move_us)


def _power(form: dict[str, Any]) -> RawPower | None:
    if "power" not in form:
        return None
    power = _object(form, "power")
    return RawPower(_whole(power, "unit"), _wholes(power, "idle_ppm"))


def _rows(rows: list[dict[str, Any]]) -> tuple[RawRow, ...]:
    ends = [_whole(row, "last_load") for row in rows[:-1]]
    follows = ends == [_whole(row, "first_load") - 1 for row in rows[1:]]
    if not follows or any("last_load" in last for last in rows[-1:]):
        raise BadStructure("rows must follow each other, and the last hold beyond")
    return tuple(_row(row) for row in rows)


def _row(row: dict[str, Any]) -> RawRow:
    admission = _object(row, "admission")
    climbs = _objects(row, "climbs")
    return RawRow(
        first_load=_whole(row, "first_load"),
        admission=_text(admission, "kind"),
        delay_us=_whole(admission, "delay_us"),
        ages_us=tuple(_whole(climb, "age_us") for climb in climbs),
        rungs=tuple(_whole(climb, "rung") for climb in climbs),
    )


def _member(parent: dict[str, Any], name: str, kind: type) -> Any:
    value = parent.get(name)
    # Not isinstance: True is an int in Python, but not a whole number in JSON.
    if type(value) is not kind:
        raise BadStructure(f"member `{name}` is missing or of the wrong type")
    return value


def _text(parent: dict[str, Any], name: str) -> str:
    return _member(parent, name, str)


def _whole(parent: dict[str, Any], name: str) -> int:
    return _member(parent, name, int)


def _object(parent: dict[str, Any], name: str) -> dict[str, Any]:
    return _member(parent, name, dict)


def _list(parent: dict[str, Any], name: str) -> list[Any]:
    return _member(parent, name, list)


def _wholes(parent: dict[str, Any], name: str) -> tuple[int, ...]:
    numbers = _list(parent, name)
    if not all(type(number) is int for number in numbers):
        raise BadStructure(f"member `{name}` should hold whole numbers")
    return tuple(numbers)


def _texts(parent: dict[str, Any], name: str) -> tuple[str, ...]:
    texts = _list(parent, name)
    if not all(isinstance(text, str) for text in texts):
        raise BadStructure(f"member `{name}` should hold strings")
    return tuple(texts)


def _objects(parent: dict[str, Any], name: str) -> list[dict[str, Any]]:
    objects = _list(parent, name)
    if not all(isinstance(part, dict) for part in objects):
        raise BadStructure(f"member `{name}` should hold objects")
    return objects
