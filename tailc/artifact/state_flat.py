"""The file of a plan's state as a FlatBuffer with identifier TLS1, and the seal of policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flatbuffers import Builder

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.flat_structure import StructureVerifier
from tailc.artifact.refusal import Refusal
from tailc.artifact.seal import seal, unseal
from tailc.forms.plan.state import BegunJob, PlanState

IDENTIFIER, VERSION = b"TLS1", 1
_IDENTIFIER_AT = slice(4, 8)


def is_flat_state(data: bytes) -> bool:
    """Whether `data` starts like a plan's state in the FlatBuffers encoding."""
    return data[_IDENTIFIER_AT] == IDENTIFIER


def encode_state(state: PlanState) -> bytes:
    """Encode a plan's state (running jobs, their servers) as FlatBuffers bytes.

    Equal states give equal bytes.
    """
    builder = Builder(1024)
    running = _offsets(builder, [_write_job(builder, job) for job in state.running])
    waiting, refused = (
        _offsets(builder, [builder.CreateString(name) for name in names])
        for names in (state.waiting, state.refused)
    )
    fbs.PlanStateStart(builder)
    fbs.PlanStateAddVersion(builder, VERSION)
    fbs.PlanStateAddAtUnixS(builder, state.at_unix_s)
    fbs.PlanStateAddDecidedUnixS(builder, state.decided_unix_s)
    fbs.PlanStateAddServers(builder, state.servers)
    fbs.PlanStateAddRunning(builder, running)
    fbs.PlanStateAddWaiting(builder, waiting)
    fbs.PlanStateAddRefused(builder, refused)
    _add_optional(fbs.PlanStateAddBatteryMj, builder, state.battery_mj)
    builder.Finish(fbs.PlanStateEnd(builder), file_identifier=IDENTIFIER)
    return seal(bytes(builder.Output()))


def decode_state(data: bytes) -> PlanState:
    """Decode a plan's state from FlatBuffers bytes; ValueError for invalid bytes."""
    try:
        payload = unseal(data)
        if not is_flat_state(payload):
            raise ValueError("the identifier of the FlatBuffer is not TLS1")
        StructureVerifier(payload).check_root("PlanState")
    except Refusal as refusal:
        raise ValueError(refusal.message) from None
    root: Any = fbs.PlanState.GetRootAs(payload)
    if root.Version() != VERSION:
        raise ValueError(f"`version` must be {VERSION}")
    return PlanState(
        at_unix_s=root.AtUnixS(),
        decided_unix_s=root.DecidedUnixS(),
        servers=root.Servers(),
        running=tuple(_read_job(root.Running(i)) for i in range(root.RunningLength())),
        waiting=tuple(root.Waiting(i).decode() for i in range(root.WaitingLength())),
        refused=tuple(root.Refused(i).decode() for i in range(root.RefusedLength())),
        battery_mj=root.BatteryMj(),
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
    _add_optional(fbs.BegunJobAddBegunUnixS, builder, job.begun_unix_s)
    fbs.BegunJobAddServers(builder, servers)
    fbs.BegunJobAddRanS(builder, ran_s)
    fbs.BegunJobAddGreenSlots(builder, job.green_slots)
    _add_optional(fbs.BegunJobAddMachines, builder, job.machines)
    return fbs.BegunJobEnd(builder)


def _write_ran(builder: Builder, servers: int, seconds: int) -> int:
    fbs.RanSecondsStart(builder)
    fbs.RanSecondsAddServers(builder, servers)
    fbs.RanSecondsAddSeconds(builder, seconds)
    return fbs.RanSecondsEnd(builder)


def _add_optional(add: Callable[[Builder, Any], None], builder: Builder, value: int | None) -> None:
    if value is not None:
        add(builder, value)


def _offsets(builder: Builder, offsets: Sequence[int]) -> int:
    size = 4
    builder.StartVector(size, len(offsets), size)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def _read_job(job: Any) -> BegunJob:
    ran = [job.RanS(i) for i in range(job.RanSLength())]
    return BegunJob(
        name=job.Name().decode(),
        begun_unix_s=job.BegunUnixS(),
        servers=tuple(job.Servers(i) for i in range(job.ServersLength())),
        ran_s=tuple((one.Servers(), one.Seconds()) for one in ran),
        green_slots=job.GreenSlots(),
        machines=job.Machines(),
    )
