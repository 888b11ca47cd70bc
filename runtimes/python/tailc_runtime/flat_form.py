"""The `.tailc` encoding: the seal first, then the FlatBuffer behind it.

FlatBuffers has no verifier for Python: vectors and strings are charged against the buffer's size
before they are walked, and the accessors' complaints become BadStructure.
"""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from tailc_runtime._generated import policy_generated as fbs
from tailc_runtime.errors import (
    BadStructure,
    HashMismatch,
    Truncated,
    UnknownForm,
    UnknownRule,
    UnknownSchema,
)
from tailc_runtime.flat_plan import read_plan
from tailc_runtime.flat_shares import read_shares
from tailc_runtime.flat_tail_table import read_tail_table
from tailc_runtime.flat_walk import Walk, there, word
from tailc_runtime.raw import (
    SCHEMA_MAJOR,
    Head,
    RawController,
    RawForm,
    RawLadder,
    RawOverload,
    RawPower,
    RawRow,
    RawRung,
    RawSharing,
    RawUnit,
)

_TRAILER = struct.Struct("<8sQ32s")
_MAGIC = b"TLCSEAL1"

_LOAD_AXES = {fbs.LoadAxis.IN_SYSTEM: "in_system", fbs.LoadAxis.RATE: "rate_mrps"}
_ADMISSIONS = {
    fbs.AdmissionKind.AT_ONCE: "at-once",
    fbs.AdmissionKind.DELAY: "delay",
    fbs.AdmissionKind.ON_EXIT: "on-exit",
}
_OUTSIDES = {fbs.Outside.CLAMP: "clamp", fbs.Outside.FIRST_RUNG: "first-rung"}
_RULES = {
    fbs.Rule.REREAD_ROW: "reread-row",
    fbs.Rule.NEVER_DESCEND: "never-descend",
    fbs.Rule.BOOST_LAST_RUNG: "boost-last-rung",
    fbs.Rule.AGE_FROM_ARRIVAL: "age-from-arrival",
    fbs.Rule.CORE_PER_REQUEST: "core-per-request",
    fbs.Rule.MAKE_ROOM: "make-room",
    fbs.Rule.WAITED_START_LAST: "waited-start-last",
    fbs.Rule.BUSY_PERIOD_AGE: "busy-period-age",
    fbs.Rule.SHED: "shed",
    fbs.Rule.CUT_OFF: "cut-off",
    fbs.Rule.DEGRADE: "degrade",
    fbs.Rule.START_BELOW: "start-below",
    fbs.Rule.GIVE_UP: "give-up",
}
_ACTUATORS = {
    fbs.Actuator.CLIMB_AGES: "climb-ages",
    fbs.Actuator.LATENCY_BOUND: "latency-bound",
}


def read_flat(payload: bytes) -> tuple[Head, list[RawForm]]:
    """Which policy is in `payload`, and its forms; PolicyError unless it is laid out as one."""
    if payload[4:8] != b"TLC1":
        raise BadStructure("the FlatBuffer's identifier is not TLC1")
    try:
        return _read(payload)
    except (struct.error, IndexError, TypeError, UnicodeDecodeError) as error:
        raise BadStructure(f"the FlatBuffer is broken: {error}") from error


def unseal(data: bytes) -> bytes:
    """What was sealed in `data`; PolicyError unless its length, then its hash, are as sealed."""
    if len(data) < _TRAILER.size:
        raise Truncated(f"{len(data)} bytes are too few for a policy")
    payload = data[: -_TRAILER.size]
    magic, length, digest = _TRAILER.unpack_from(data, len(payload))
    if magic != _MAGIC or length != len(payload):
        raise Truncated("the file does not have the length it was sealed with")
    if hashlib.sha256(payload).digest() != digest:
        raise HashMismatch("the bytes do not match their SHA-256")
    return payload


def _read(payload: bytes) -> tuple[Head, list[RawForm]]:
    root = fbs.Policy.GetRootAs(payload)
    if root.SchemaMajor() != SCHEMA_MAJOR:
        version = f"{root.SchemaMajor()}.{root.SchemaMinor()}"
        raise UnknownSchema(f"schema `{version}` is not known here")
    walk = Walk(len(payload))
    head = Head(
        walk.text(root.Name()),
        walk.text(root.Kind()),
        root.Generation(),
        walk.text(root.PolicyDigest()),
    )
    return head, [_form(walk, box) for box in walk.vector(root, "Forms")]


def _form(walk: Walk, box: Any) -> RawForm:
    """The form in `box`; the name beside it is for forms that are not known here."""
    if box.FormType() not in _FORMS:
        raise UnknownForm(f"form `{walk.text(box.FormName())}` is not known here")
    accessor, read = _FORMS[box.FormType()]
    form, table = accessor(), there(box.Form())
    form.Init(table.Bytes, table.Pos)
    return read(walk, form)


def _controller(walk: Walk, form: Any) -> RawController:
    return RawController(
        acts_on=word(_ACTUATORS, form.ActsOn()),
        percentile_ppm=form.PercentilePpm(),
        target_us=form.TargetUs(),
        epoch_requests=form.EpochRequests(),
        window_requests=form.WindowRequests(),
        first_ppm=form.FirstPpm(),
        least_ppm=form.LeastPpm(),
        most_ppm=form.MostPpm(),
        fraction_bits=form.FractionBits(),
        gains=tuple(
            (row.FirstRateMrps(), row.Kp(), row.Ki(), row.Kd())
            for row in walk.vector(form, "Gains")
        ),
    )


def _ladder(walk: Walk, ladder: Any) -> RawLadder:
    guard, boost = there(ladder.Guard()), ladder.Boost()
    request_class = ladder.RequestClass()
    return RawLadder(
        load_axis=word(_LOAD_AXES, ladder.LoadAxis()),
        request_class=None if request_class is None else walk.text(request_class),
        cost_units=tuple(
            RawUnit(walk.text(unit.Name()), unit.CapacityPpm())
            for unit in walk.vector(ladder, "CostUnits")
        ),
        rungs=tuple(
            RawRung(walk.text(rung.Name()), tuple(walk.vector(rung, "CostPpm")), rung.MoveUs())
            for rung in walk.vector(ladder, "Rungs")
        ),
        rules=_rules(walk, ladder),
        quantum_us=ladder.QuantumUs(),
        rows=_rows(walk, ladder),
        min_load=guard.MinLoad(),
        max_load=guard.MaxLoad(),
        outside=word(_OUTSIDES, guard.Outside()),
        boost=boost and (boost.Unit(), boost.BelowPpm()),
        power=_power(walk, ladder.Power()),
        overload=_overload(ladder.Overload()),
        sharing=_sharing(ladder.Sharing()),
    )


def _power(walk: Walk, power: Any) -> RawPower | None:
    return power and RawPower(power.Unit(), tuple(walk.vector(power, "IdlePpm")))


def _overload(told: Any) -> RawOverload | None:
    return told and RawOverload(
        told.ShedFrom(), told.CutOffUs(), told.DegradeFrom(), told.WorkPpm()
    )


def _sharing(told: Any) -> RawSharing | None:
    return told and RawSharing(told.StartUnit(), told.StartBelowPpm(), told.GiveUpUs())


def _rules(walk: Walk, ladder: Any) -> tuple[str, ...]:
    """Rules by number; a number that is not known here is refused by the name beside it."""
    numbers = walk.vector(ladder, "Rules")
    names = tuple(walk.text(raw) for raw in walk.vector(ladder, "RuleNames"))
    if len(numbers) != len(names):
        raise BadStructure("rules and their names differ in number")
    for number, name in zip(numbers, names, strict=True):
        if _RULES.get(number) != name:
            raise UnknownRule(f"rule `{name}` is not known here")
    return names


def _rows(walk: Walk, ladder: Any) -> tuple[RawRow, ...]:
    climbs = [(climb.AgeUs(), climb.Rung()) for climb in walk.vector(ladder, "Climbs")]
    rows: list[RawRow] = []
    first = 0
    for row in walk.vector(ladder, "Rows"):
        held = climbs[first : first + row.ClimbCount()]
        if row.FirstClimb() != first or len(held) != row.ClimbCount():
            raise BadStructure("rows do not follow each other in the climbs")
        first += len(held)
        ages_us, rungs = tuple(zip(*held, strict=True)) or ((), ())
        kind = word(_ADMISSIONS, row.Admission())
        rows.append(RawRow(row.FirstLoad(), kind, row.DelayUs(), ages_us, rungs))
    return tuple(rows)


_FORMS = {
    fbs.Form.Ladder: (fbs.Ladder, _ladder),
    fbs.Form.Controller: (fbs.Controller, _controller),
    fbs.Form.TailTable: (fbs.TailTable, read_tail_table),
    fbs.Form.Shares: (fbs.Shares, read_shares),
    fbs.Form.Plan: (fbs.Plan, read_plan),
}
