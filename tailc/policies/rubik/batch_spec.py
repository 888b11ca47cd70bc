"""What a user writes of batch work that cores do while they have no requests."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.policies.rubik.levels_spec import MAX_LEVELS, PowerMw, PowerSpec
from tailc.policies.rubik.model_spec import CountersSpec
from tailc.specs.cores_fields import FrequencyKhz, SharePpm
from tailc.specs.fields import (
    POSITIVE_SCHEMA,
    PPM,
    Complaint,
    RateMrps,
    RefusalError,
    SpecModel,
    exact,
    written,
)

_MOST = 1_000_000
# A line through measurements needs two.
FEWEST_IPC = 2


def _millionths(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= _MOST * PPM:
        message = f"must be more than zero and at most {_MOST:,}, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1.5`"))
    return ppm


Amount = Annotated[int, BeforeValidator(_millionths), WithJsonSchema(POSITIVE_SCHEMA)]


class IpcAtSpec(SpecModel):
    """Instructions per cycle of batch work at a frequency."""

    frequency_khz: FrequencyKhz = Field(alias="frequency", examples=["0.8GHz"])
    ipc_ppm: Amount = Field(alias="ipc", examples=[1.4], description="Instructions per cycle.")


class BatchSpec(SpecModel):
    """Work that cores do while they have no requests; `memory` or `ipc` says how it scales."""

    memory_ppm: SharePpm | None = Field(
        default=None,
        alias="memory",
        examples=["30%"],
        description="Share of its cycles at `demand.clock` that wait for memory.",
    )
    ipc: Annotated[tuple[IpcAtSpec, ...], Field(min_length=FEWEST_IPC)] | None = Field(
        default=None, description="The same by measured instructions per cycle, at two frequencies."
    )
    throughput_ppm: Amount = Field(
        default=PPM,
        alias="throughput",
        description="Work a second of a core that does nothing else at `demand.clock`.",
        json_schema_extra={"default": 1},
    )
    power: PowerSpec | None = Field(
        default=None, description="What a core draws that does it; as requests draw, if absent."
    )
    powers_mw: Annotated[tuple[PowerMw, ...], Field(max_length=MAX_LEVELS)] | None = Field(
        default=None,
        alias="powers",
        examples=[["1.2W", "4W"]],
        description="The same at each frequency of the server, low ones first.",
    )
    counters: CountersSpec | None = Field(
        default=None,
        description="The same by the power model `server.model`: events by cycle at "
        "`demand.clock` of a core that does batch work.",
    )
    rate_mrps: RateMrps | None = Field(
        default=None,
        alias="rate",
        examples=["960/s"],
        description="Rate of requests that frequencies are chosen for; the highest of `rates`, "
        "if absent.",
    )
    search: Literal["enumeration", "hill-climbing"] = Field(
        default="enumeration",
        description="How the pair of frequencies of most work per joule is found: among all, or by "
        "steps to better neighbours (the dissertation's), which may end at a lesser pair.",
    )

    @model_validator(mode="after")
    def _check_parts(self) -> BatchSpec:
        complaints = [*self._memory_complaints(), *self._power_complaints()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _memory_complaints(self) -> list[Complaint]:
        if self.ipc is not None and self.memory_ppm is not None:
            message = "and `batch.memory` both say how batch work waits for memory"
            return [Complaint(Code.CONFLICT, message, "remove one", ("ipc",), ("memory",))]
        if self.ipc is None:
            if self.memory_ppm is not None:
                return []
            message = "does not say how much of its time batch work waits for memory"
            hint = "add `memory: 30%`, or `ipc` at two frequencies"
            return [Complaint(Code.MISSING_KEY, message, hint)]
        if len({each.frequency_khz for each in self.ipc}) < FEWEST_IPC:
            message = "is at one frequency, which cannot tell compute from memory time"
            return [Complaint(Code.BAD_VALUE, message, "measure at another too", ("ipc",))]
        return []

    def _power_complaints(self) -> list[Complaint]:
        parts = {"power": self.power, "powers": self.powers_mw, "counters": self.counters}
        given = [key for key, part in parts.items() if part is not None]
        return [
            Complaint(
                Code.CONFLICT,
                f"and `batch.{given[0]}` both say what batch work draws",
                "remove one",
                (key,),
                (given[0],),
            )
            for key in given[1:]
        ]

    def memory_at(self, clock_khz: int) -> int:
        """Share of cycles at the clock that wait for memory, in millionths."""
        if self.ipc is None:
            assert self.memory_ppm is not None
            return self.memory_ppm
        return memory_share_ppm(
            [(each.frequency_khz, each.ipc_ppm) for each in self.ipc], clock_khz
        )


def memory_share_ppm(measured: list[tuple[int, int]], clock_khz: int) -> int:
    """Share of cycles that wait for memory at the clock, from (kHz, IPC in millionths), 0 to PPM.

    Cycles per instruction are a + b f: a of compute, and b f of a time b that no clock shortens.
    The line is that of least squares; one that falls with f has no memory time, and one that
    starts below 0 nothing else. Fractions give it alike on every machine.
    """
    frequency = [Fraction(khz, clock_khz) for khz, _ in measured]
    cycles = [Fraction(PPM, ipc_ppm) for _, ipc_ppm in measured]
    mean_f, mean_c = sum(frequency) / len(measured), sum(cycles) / len(measured)
    spread = sum((f - mean_f) ** 2 for f in frequency)
    slope = sum((f - mean_f) * c for f, c in zip(frequency, cycles, strict=True)) / spread
    compute = mean_c - slope * mean_f
    if slope <= 0:
        return 0
    return PPM if compute <= 0 else round(slope / (slope + compute) * PPM)
