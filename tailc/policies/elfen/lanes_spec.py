"""Spec of the two lanes of an SMT core, and of the interference between them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.specs.cores_fields import PauseUs, SharePpm
from tailc.specs.fields import (
    POSITIVE_SCHEMA,
    PPM,
    Cell,
    Complaint,
    RateMrps,
    RefusalError,
    SpecModel,
    Text,
    exact,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.specs.one_of import ExactlyOne, OneOf
from tailc.units import Dimension, format_mrps

# Cycles at 2.0 GHz until a lane has released the core, and until it works again (Yang et al.,
# USENIX ATC 2016, figure 8).
CYCLES_PER_US = 2_000
RELEASE_CYCLES = {"mwait": 2_443, "nanonap": 3_285, "futex": 11_518}
WAKE_CYCLES = {"mwait": 1_036, "nanonap": 1_438, "futex": 3_968}
RELEASE_US = -(-RELEASE_CYCLES["nanonap"] // CYCLES_PER_US)
MOST_IPC = 1_000
# Waking up takes some hundred nanoseconds to some hundred microseconds.
_WAKING = Dimension(
    noun="a duration",
    grid="nanoseconds",
    units={"ns": Fraction(1), "us": Fraction(1_000), "ms": Fraction(10**6)},
    example="719ns",
    likely={"usec": "us", "nsec": "ns"},
)
WakeNs = Annotated[
    int,
    BeforeValidator(quantity(_WAKING, positive=False)),
    WithJsonSchema(quantity_schema("Up to some milliseconds; it may be 0.", _WAKING)),
]


def _ipc(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= MOST_IPC * PPM:
        message = f"must be more than zero and at most {MOST_IPC:,}, not {value_text(value)}"
        hint = "instructions per cycle, for example `1.2`"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return ppm


IpcPpm = Annotated[int, BeforeValidator(_ipc), WithJsonSchema(POSITIVE_SCHEMA)]


class IpcSpec(SpecModel):
    """Instructions per cycle of requests, alone and next to batch work."""

    alone_ppm: IpcPpm = Field(
        alias="alone",
        examples=[1.4],
        description="Instructions per cycle of a request alone on the core.",
    )
    shared_ppm: IpcPpm = Field(
        alias="shared",
        examples=[0.8],
        description="Instructions per cycle of a request that always shares its "
        "core with the batch work.",
    )

    @model_validator(mode="after")
    def _check_order(self) -> IpcSpec:
        if self.shared_ppm > self.alone_ppm:
            message = (
                "is more than `alone`, but batch work on the same core cannot make requests faster"
            )
            hint = "check whether the two values are swapped"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("shared",), ("alone",)))
        return self

    @property
    def interference_ppm(self) -> int:
        """Slowdown of a request by batch work [1e-6], rounded up; below 1."""
        slower_ppm = -(-(self.alone_ppm - self.shared_ppm) * PPM // self.alone_ppm)
        return min(slower_ppm, PPM - 1)


class IpcTableSpec(SpecModel):
    """A row of a file with instructions per cycle of requests: CSV, NDJSON or Parquet."""

    file: Text = Field(examples=["ipc.csv"], description="Path of the file, relative to the spec.")
    alone: Text = Field(examples=["ipc_alone"], description="Column with the value alone.")
    shared: Text = Field(
        examples=["ipc_shared"],
        description="Column with the value while batch work shares the core.",
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the row whose column equals the value."
    )


class CalibrateSpec(SpecModel):
    """Two arrival rates at which requests have the same tail latency: alone, and sharing cores.

    A compile derives from them how much batch work slows requests down.
    """

    alone_mrps: RateMrps = Field(
        alias="alone", examples=["100/s"], description="Rate of requests that are always alone."
    )
    shared_mrps: RateMrps = Field(
        alias="shared",
        examples=["40/s"],
        description="Rate of requests that always share their core.",
    )

    @model_validator(mode="after")
    def _check_order(self) -> CalibrateSpec:
        if self.shared_mrps >= self.alone_mrps:
            message = f"is not lower than `alone`, {format_mrps(self.alone_mrps)}"
            hint = "give the lower rate here: batch work makes requests slower"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("shared",), ("alone",)))
        return self


class Interference(SpecModel):
    """Slowdown of requests by batch work, as a number."""

    interference_ppm: SharePpm = Field(
        alias="interference",
        examples=["45%"],
        description="How much slower a request is while batch work shares its core.",
    )


class InterferenceByIpc(SpecModel):
    """Slowdown of requests by batch work, from measured instructions per cycle."""

    ipc: IpcSpec = Field(description="The same from measured instructions per cycle.")


class InterferenceFromFile(SpecModel):
    """Slowdown of requests by batch work, from a file that a compile reads first."""

    ipc_table: IpcTableSpec = Field(description="The same from a file.")


class CalibratedInterference(SpecModel):
    """Slowdown of requests by batch work, calibrated on replays."""

    calibrate: CalibrateSpec = Field(description="The same from rates with equal tails, by replay.")


_ONE_INTERFERENCE = ExactlyOne(
    both="and `lanes.{}` both define how much slower requests are",
    missing=(
        "do not define how much slower requests are while batch work shares their core",
        "add `interference: 45%`, `ipc`, `ipc_table` or `calibrate`",
    ),
)


class LanesSpec(SpecModel):
    """How much the two lanes (hardware threads) of a core slow each other down and wake up."""

    slower: Annotated[
        Interference | InterferenceByIpc | InterferenceFromFile | CalibratedInterference,
        OneOf(_ONE_INTERFERENCE),
    ] = Field(alias="<slower>")
    batch_slowdown_ppm: SharePpm | None = Field(
        default=None,
        alias="batch_slowdown",
        description="How much slower batch work is while it shares a core with a request. "
        "Default: as much as a request.",
    )
    release_us: PauseUs = Field(
        default=RELEASE_US,
        alias="release",
        description="How long batch work still interferes after the request to leave the core.",
        json_schema_extra={"default": "2us"},
    )
    wake_ns: WakeNs = Field(
        default=0,
        alias="wake",
        description="Time that batch work takes to wake up when its lane is free.",
        json_schema_extra={"default": "0ns"},
    )
    core_wake_ns: WakeNs = Field(
        default=0,
        alias="core_wake",
        description="Time that a core without batch work takes to wake up for a request.",
        json_schema_extra={"default": "0ns"},
    )
