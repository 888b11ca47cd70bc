"""Read the `.tailc` encoding: check the seal, then read the FlatBuffer."""

from __future__ import annotations

import hashlib
import itertools
import struct
from typing import Any

from tailc_runtime._generated import policy_generated as fbs
from tailc_runtime.errors import (
    BadStructure,
    HashMismatch,
    Truncated,
    UnknownSchema,
)
from tailc_runtime.flat_budget_table import read_budget_table
from tailc_runtime.flat_plan import read_plan
from tailc_runtime.flat_shares import read_shares
from tailc_runtime.flat_tail_table import read_tail_table
from tailc_runtime.flat_walk import text, vector, word
from tailc_runtime.raw import (
    SCHEMA_MAJOR,
    Head,
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
from tailc_runtime.structure import Structure

_TRAILER = struct.Struct("<8sQ32s")
_MAGIC = b"TLCSEAL1"

_LOAD_AXES = {fbs.LoadAxis.IN_SYSTEM: "in_system", fbs.LoadAxis.RATE: "rate_mrps"}
_ADMISSIONS = {
    fbs.AdmissionKind.AT_ONCE: "at-once",
    fbs.AdmissionKind.DELAY: "delay",
    fbs.AdmissionKind.ON_EXIT: "on-exit",
}
_LANES = {fbs.Lane.SHARED: "shared", fbs.Lane.ALONE: "alone"}
_OUTSIDES = {fbs.Outside.CLAMP: "clamp", fbs.Outside.FIRST_RUNG: "first-rung"}
_ACTUATORS = {
    fbs.Actuator.CLIMB_AGES: "climb-ages",
    fbs.Actuator.LATENCY_BOUND: "latency-bound",
}


def read_flat(payload: bytes) -> tuple[Head, list[RawForm]]:
    """Header and forms of the policy in `payload`; raises PolicyError for a malformed one."""
    if payload[4:8] != b"TLC1":
        raise BadStructure("the FlatBuffer's identifier is not TLC1")
    structure = Structure(payload)
    structure.check_version()
    root = fbs.Policy.GetRootAs(payload)
    if root.SchemaMajor() != SCHEMA_MAJOR:
        version = f"{root.SchemaMajor()}.{root.SchemaMinor()}"
        raise UnknownSchema(f"unknown schema `{version}`")
    structure.check_all()
    head = Head(text(root.Name()), text(root.Kind()), root.Generation(), text(root.PolicyDigest()))
    return head, [_form(box) for box in vector(root, "Forms")]


def _why_unsealed(data: bytes, has_magic: bool) -> str:
    """Why bytes without a right seal are no policy; has_magic: they have a seal of another
    length."""
    if not data:
        return "the file is empty"
    if data[4:8] in (b"TLC1", b"TLS1"):
        short = "the file does not have the length in its seal"
        return short if has_magic else "the seal is missing, or the end of the file"
    if data.lstrip(b" \r\n").startswith((b"{", b"[")):
        return "the file looks like JSON: open the `.tailc` file instead"
    if data.startswith(b"\x1f\x8b"):
        return "the file looks compressed by gzip: decompress it"
    return "the file is neither a policy nor a state: it has no identifier `TLC1` or `TLS1`"


def unseal(data: bytes) -> bytes:
    """The payload of a sealed file; raises PolicyError if its length or hash is wrong."""
    if len(data) < _TRAILER.size:
        raise Truncated(_why_unsealed(data, has_magic=False))
    payload = data[: -_TRAILER.size]
    magic, length, digest = _TRAILER.unpack_from(data, len(payload))
    if magic != _MAGIC or length != len(payload):
        raise Truncated(_why_unsealed(data, has_magic=magic == _MAGIC))
    if hashlib.sha256(payload).digest() != digest:
        raise HashMismatch("the bytes do not match their SHA-256")
    return payload


def _form(box: Any) -> RawForm:
    accessor, read = _FORMS[box.FormType()]
    form, table = accessor(), box.Form()
    form.Init(table.Bytes, table.Pos)
    return read(form)


def _controller(form: Any) -> RawController:
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
            (row.FirstRateMrps(), row.Kp(), row.Ki(), row.Kd()) for row in vector(form, "Gains")
        ),
    )


def _ladder(ladder: Any) -> RawLadder:
    guard, boost = ladder.Guard(), ladder.Boost()
    request_class = ladder.RequestClass()
    return RawLadder(
        load_axis=word(_LOAD_AXES, ladder.LoadAxis()),
        request_class=None if request_class is None else text(request_class),
        cost_units=tuple(
            RawUnit(text(unit.Name()), unit.CapacityPpm()) for unit in vector(ladder, "CostUnits")
        ),
        rungs=tuple(map(_rung, vector(ladder, "Rungs"))),
        rules=tuple(map(text, vector(ladder, "RuleNames"))),
        quantum_us=ladder.QuantumUs(),
        rows=_rows(ladder),
        min_load=guard.MinLoad(),
        max_load=guard.MaxLoad(),
        outside=word(_OUTSIDES, guard.Outside()),
        boost=boost and (boost.Unit(), boost.BelowPpm()),
        power=_power(ladder.Power()),
        overload=_overload(ladder.Overload()),
        sharing=_sharing(ladder.Sharing()),
    )


def _rung(rung: Any) -> RungSetting:
    core_type, lane = rung.CoreType(), rung.Lane()
    return RungSetting(
        name=text(rung.Name()),
        speed_ppm=rung.SpeedPpm(),
        cost_ppm=tuple(vector(rung, "CostPpm")),
        move_us=rung.MoveUs(),
        threads=rung.Threads(),
        frequency_khz=rung.FrequencyKhz(),
        core_type=None if core_type is None else text(core_type),
        lane=None if lane is None else word(_LANES, lane),
        one_thread_ppm=rung.OneThreadPpm(),
    )


def _power(power: Any) -> RawPower | None:
    return power and RawPower(power.Unit(), tuple(vector(power, "IdlePpm")))


def _overload(told: Any) -> RawOverload | None:
    return told and RawOverload(
        told.ShedFrom(), told.CutOffUs(), told.DegradeFrom(), told.WorkPpm()
    )


def _sharing(told: Any) -> RawSharing | None:
    return told and RawSharing(told.StartUnit(), told.StartBelowPpm(), told.GiveUpUs())


def _rows(ladder: Any) -> tuple[RawRow, ...]:
    """Rows with their climbs, which are stored one after another."""
    climbs = iter(vector(ladder, "Climbs"))
    rows: list[RawRow] = []
    for row in vector(ladder, "Rows"):
        own = list(itertools.islice(climbs, row.ClimbCount()))
        kind = word(_ADMISSIONS, row.Admission())
        ages_us, rungs = tuple(climb.AgeUs() for climb in own), tuple(c.Rung() for c in own)
        rows.append(RawRow(row.FirstLoad(), kind, row.DelayUs(), ages_us, rungs))
    return tuple(rows)


_FORMS = {
    fbs.Form.Ladder: (fbs.Ladder, _ladder),
    fbs.Form.Controller: (fbs.Controller, _controller),
    fbs.Form.TailTable: (fbs.TailTable, read_tail_table),
    fbs.Form.Shares: (fbs.Shares, read_shares),
    fbs.Form.Plan: (fbs.Plan, read_plan),
    fbs.Form.BudgetTable: (fbs.BudgetTable, read_budget_table),
}
