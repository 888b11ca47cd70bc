"""The state of a plan as a sealed FlatBuffer."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from typing import Any

from flatbuffers import Builder

from tailc_runtime._generated import policy_generated as fbs
from tailc_runtime.errors import BadStructure
from tailc_runtime.flat_form import unseal
from tailc_runtime.flat_walk import text, vector
from tailc_runtime.plan_state import IDENTIFIER, VERSION, BegunJob, PlanState
from tailc_runtime.structure import Structure

_TRAILER, _MAGIC = struct.Struct("<8sQ32s"), b"TLCSEAL1"


def encode(state: PlanState) -> bytes:
    """The file of a state; equal states give equal bytes."""
    builder = Builder(1024)
    running = _offsets(builder, [_write_job(builder, job) for job in state.running])
    waiting = _offsets(builder, [builder.CreateString(name) for name in state.waiting])
    refused = _offsets(builder, [builder.CreateString(name) for name in state.refused])
    fbs.PlanStateStart(builder)
    fbs.PlanStateAddVersion(builder, VERSION)
    fbs.PlanStateAddAtUnixS(builder, state.at_unix_s)
    fbs.PlanStateAddDecidedUnixS(builder, state.decided_unix_s)
    fbs.PlanStateAddServers(builder, state.servers)
    fbs.PlanStateAddRunning(builder, running)
    fbs.PlanStateAddWaiting(builder, waiting)
    fbs.PlanStateAddRefused(builder, refused)
    _add(fbs.PlanStateAddBatteryMj, builder, state.battery_mj)
    builder.Finish(fbs.PlanStateEnd(builder), file_identifier=IDENTIFIER)
    payload = bytes(builder.Output())
    digest = hashlib.sha256(payload).digest()
    return payload + _TRAILER.pack(_MAGIC, len(payload), digest)


def decode(data: bytes) -> PlanState:
    """The state in a file; raises PolicyError for damaged bytes."""
    payload = unseal(data)
    Structure(payload).check_root("PlanState")
    root = fbs.PlanState.GetRootAs(payload)
    if root.Version() != VERSION:
        raise BadStructure(f"`version` must be {VERSION}")
    return PlanState(
        at_unix_s=root.AtUnixS(),
        decided_unix_s=root.DecidedUnixS(),
        servers=root.Servers(),
        running=tuple(_job_of(job) for job in vector(root, "Running")),
        waiting=tuple(map(text, vector(root, "Waiting"))),
        refused=tuple(map(text, vector(root, "Refused"))),
        battery_mj=root.BatteryMj(),
    )


def _job_of(job: Any) -> BegunJob:
    return BegunJob(
        name=text(job.Name()),
        begun_unix_s=job.BegunUnixS(),
        servers=tuple(vector(job, "Servers")),
        ran_s=tuple((one.Servers(), one.Seconds()) for one in vector(job, "RanS")),
        green_slots=job.GreenSlots(),
        machines=job.Machines(),
    )


def _write_job(builder: Builder, job: BegunJob) -> int:
    name = builder.CreateString(job.name)
    fbs.BegunJobStartServersVector(builder, len(job.servers))
    for server in reversed(job.servers):
        builder.PrependInt64(server)
    servers = builder.EndVector()
    ran_s = _offsets(builder, [_write_ran(builder, *one) for one in job.ran_s])
    fbs.BegunJobStart(builder)
    fbs.BegunJobAddName(builder, name)
    _add(fbs.BegunJobAddBegunUnixS, builder, job.begun_unix_s)
    fbs.BegunJobAddServers(builder, servers)
    fbs.BegunJobAddRanS(builder, ran_s)
    fbs.BegunJobAddGreenSlots(builder, job.green_slots)
    _add(fbs.BegunJobAddMachines, builder, job.machines)
    return fbs.BegunJobEnd(builder)


def _write_ran(builder: Builder, servers: int, seconds: int) -> int:
    fbs.RanSecondsStart(builder)
    fbs.RanSecondsAddServers(builder, servers)
    fbs.RanSecondsAddSeconds(builder, seconds)
    return fbs.RanSecondsEnd(builder)


def _add(add: Callable[[Builder, Any], None], builder: Builder, value: int | None) -> None:
    if value is not None:
        add(builder, value)


def _offsets(builder: Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()
