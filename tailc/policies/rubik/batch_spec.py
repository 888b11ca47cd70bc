"""Spec keys for batch work that cores do while they have no requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.policies.rubik.batch_power import (
    ONE_POWER,
    AsRequests,
    CountedPower,
    ListedPowers,
    PowerLaw,
)
from tailc.specs.cores_fields import FrequencyKhz, SharePpm
from tailc.specs.fields import (
    POSITIVE_SCHEMA,
    PPM,
    Complaint,
    RateMrps,
    RefusalError,
    SpecModel,
    exact,
    value_text,
)
from tailc.specs.one_of import ExactlyOne, OneOf

_MOST = 1_000_000
# A line through measurements needs two.
FEWEST_IPC = 2


def _millionths(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 < ppm <= _MOST * PPM:
        message = f"must be more than zero and at most {_MOST:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1.5`"))
    return ppm


Amount = Annotated[int, BeforeValidator(_millionths), WithJsonSchema(POSITIVE_SCHEMA)]


class IpcAtSpec(SpecModel):
    """Instructions per cycle of batch work at a frequency."""

    frequency_khz: FrequencyKhz = Field(alias="frequency", examples=["0.8GHz"])
    ipc_ppm: Amount = Field(alias="ipc", examples=[1.4], description="Instructions per cycle.")


class MemoryShare(SpecModel):
    """Batch work scales with frequency by its share of memory time, which no clock shortens."""

    memory_ppm: SharePpm = Field(
        alias="memory",
        examples=["30%"],
        description="Share of its cycles at `demand.clock` that wait for memory.",
    )

    def memory_ppm_at(self, clock_khz: int) -> int:  # noqa: ARG002
        """Share of the cycles of batch work at a clock that wait for memory [1e-6]."""
        return self.memory_ppm

    def ipc_at(self, clock_khz: int) -> None:
        """Instructions per cycle at a clock: None, because they are not measured."""


class MeasuredIpc(SpecModel):
    """Batch work scales with frequency by its measured instructions per cycle."""

    ipc: Annotated[tuple[IpcAtSpec, ...], Field(min_length=FEWEST_IPC)] = Field(
        description="The same from measured instructions per cycle at two frequencies."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that instructions per cycle are given at two frequencies or more."""
        return (self._frequencies,)

    def _frequencies(self) -> list[Complaint]:
        if len({each.frequency_khz for each in self.ipc}) >= FEWEST_IPC:
            return []
        message = "has one frequency, which cannot separate compute time from memory time"
        return [
            Complaint(Code.BAD_VALUE, message, "add a measurement at another frequency", ("ipc",))
        ]

    def memory_ppm_at(self, clock_khz: int) -> int:
        """Share of the cycles of batch work at a clock that wait for memory [1e-6]."""
        return self._line(clock_khz).memory_ppm

    def ipc_at(self, clock_khz: int) -> int:
        """Instructions per cycle of batch work at a clock [1e-6]."""
        return self._line(clock_khz).ipc_ppm

    def _line(self, clock_khz: int) -> CyclesLine:
        measured = [(each.frequency_khz, each.ipc_ppm) for each in self.ipc]
        return cycles_line(measured, clock_khz)


_ONE_WAIT = ExactlyOne(
    both="and `batch.{}` both define how batch work waits for memory",
    missing=(
        "does not define how much of its time batch work waits for memory",
        "add `memory: 30%`, or `ipc` at two frequencies",
    ),
)


class BatchSpec(SpecModel):
    """Batch work that cores do while they have no requests: its speed, power and rate."""

    waits: Annotated[MemoryShare | MeasuredIpc, OneOf(_ONE_WAIT)] = Field(alias="<waits>")
    throughput_ppm: Amount = Field(
        default=PPM,
        alias="throughput",
        description="Work per second of a core that runs only batch work at `demand.clock`.",
        json_schema_extra={"default": 1},
    )
    draws: Annotated[AsRequests | PowerLaw | ListedPowers | CountedPower, OneOf(ONE_POWER)] = Field(
        alias="<draws>"
    )
    rate_mrps: RateMrps | None = Field(
        default=None,
        alias="rate",
        examples=["960/s"],
        description="Rate of requests for which frequencies are chosen. Default: the highest of "
        "`rates`.",
    )
    search: Literal["enumeration", "hill-climbing"] = Field(
        default="enumeration",
        description="How the pair of frequencies with the most work per joule is found: among all "
        "pairs, or by hill climbing (the dissertation's), which may miss the best "
        "pair.",
    )


@dataclass(frozen=True)
class CyclesLine:
    """Cycles per instruction as a linear function of the clock: compute + memory * f.

    f: clock frequency relative to the reference clock. `memory`: cycles of waiting for memory at
    the reference clock.
    """

    compute: Fraction
    memory: Fraction

    @property
    def memory_ppm(self) -> int:
        """Share of the cycles at the reference clock that wait for memory [1e-6], 0 to PPM.

        If the line falls with f there is no memory time; if it starts below 0 there is only memory
        time.
        """
        if self.memory <= 0:
            return 0
        return PPM if self.compute <= 0 else round(self.memory / (self.memory + self.compute) * PPM)

    @property
    def ipc_ppm(self) -> int:
        """Instructions per cycle at the reference clock, in millionths, at least 1."""
        cycles = self.compute + self.memory
        return max(round(PPM / cycles), 1) if cycles > 0 else _MOST * PPM


def cycles_line(measured: list[tuple[int, int]], clock_khz: int) -> CyclesLine:
    """Fit the line of cycles per instruction to pairs of kHz and IPC [1e-6], by least squares.

    Exact fractions give the same result on every machine.
    """
    frequency = [Fraction(khz, clock_khz) for khz, _ in measured]
    cycles = [Fraction(PPM, ipc_ppm) for _, ipc_ppm in measured]
    nothing = Fraction()
    mean_f, mean_c = sum(frequency, nothing) / len(measured), sum(cycles, nothing) / len(measured)
    spread = sum(((f - mean_f) ** 2 for f in frequency), nothing)
    pairs = zip(frequency, cycles, strict=True)
    slope = sum(((f - mean_f) * c for f, c in pairs), nothing) / spread
    return CyclesLine(mean_c - slope * mean_f, slope)
