"""Spec keys for the serial beginning and end of requests: a time, or a share of demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.specs.fields import PPM, Complaint, SpecModel, quantity, quantity_schema
from tailc.units import DURATION, PERCENT

_WHOLE_PERCENT = 10_000


@dataclass(frozen=True)
class SerialPart:
    """Length of a serial part: a time [us] or a share of demand [1e-6]; the other is 0."""

    time_us: int = 0
    share_ppm: int = 0

    @property
    def is_none(self) -> bool:
        """Whether the serial part of requests has length 0."""
        return not (self.time_us or self.share_ppm)


def _part(value: object) -> SerialPart:
    if isinstance(value, SerialPart):
        return value
    steps = quantity(DURATION, PERCENT)(value)
    is_share = isinstance(value, str) and value.rstrip().endswith("%")
    return SerialPart(share_ppm=steps) if is_share else SerialPart(time_us=steps)


_PartField = Annotated[
    SerialPart,
    BeforeValidator(_part),
    WithJsonSchema(quantity_schema("A duration or a percentage.", DURATION, PERCENT)),
]


class SerialSpec(SpecModel):
    """The beginning and the end of a request, which run on one thread at any degree."""

    start: _PartField = Field(
        default_factory=SerialPart,
        examples=["2ms"],
        description="Beginning: a time, or a share of the request's demand. Default: none.",
    )
    end: _PartField = Field(
        default_factory=SerialPart,
        examples=["5%"],
        description="End: a time, or a share of the request's demand. Default: none.",
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that `start` or `end` is given, and that their shares add up to less than 100 %."""
        return (self._part_complaints, self._share_complaints)

    def _part_complaints(self) -> list[Complaint]:
        if not (self.start.is_none and self.end.is_none):
            return []
        hint = "add `start: 2ms` or `end: 5%`, or remove `serial`"
        return [Complaint(Code.MISSING_KEY, "has neither `start` nor `end`", hint)]

    def _share_complaints(self) -> list[Complaint]:
        if self.share_ppm < PPM:
            return []
        message = f"is {self.share_ppm / _WHOLE_PERCENT:g} % of a request in all"
        hint = "leave a part of each request that more threads make faster, or use one thread"
        return [Complaint(Code.BAD_VALUE, message, hint)]

    @property
    def share_ppm(self) -> int:
        """Serial share of a request's demand [1e-6], without parts that are stated as times."""
        return self.start.share_ppm + self.end.share_ppm

    def curve_complaints(self, curve_ppm: tuple[int, ...]) -> list[Complaint]:
        """Report a serial share that is too large for the speed-ups, by Amdahl's law."""
        if self.share_ppm <= (most_ppm := _most_serial_ppm(curve_ppm)):
            return []
        message = (
            f"is {self.share_ppm / _WHOLE_PERCENT:g} % of a request, but with these speed-ups at "
            f"most {most_ppm / _WHOLE_PERCENT:.1f} % can be serial (Amdahl's law)"
        )
        hint = "lower the serial parts or the speed-ups; measure both on the same requests"
        return [Complaint(Code.CONFLICT, message, hint, ("serial",), ("speedup",))]


def _most_serial_ppm(curve_ppm: tuple[int, ...]) -> int:
    """The largest serial share with which the rest is no faster than its threads."""
    allowed = (
        (threads * PPM**2 // speed_ppm - PPM) // (threads - 1)
        for threads, speed_ppm in enumerate(curve_ppm, start=1)
        if threads > 1
    )
    return max(min(allowed, default=PPM), 0)
