"""The arrivals that a spec asks for, as a replay has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tailc.errors import Code, TailcError
from tailc.replay.arrivals import Pattern
from tailc.replay.diurnal import DayCurve
from tailc.replay.modulated import BUSY_PPM, Burstiness, Modulated
from tailc.specs.arrivals import BurstsSpec, RecordedSpec
from tailc.specs.fields import Complaint
from tailc.traces.arrivals import ArrivalColumn, Gaps
from tailc.traces.reading import TimeUnit


class ArrivalsAsked(Protocol):
    """What `search` says of arrivals; one of them is given at most."""

    @property
    def bursts(self) -> BurstsSpec | None:
        """Bursts."""
        ...

    @property
    def diurnal_ppm(self) -> tuple[int, ...] | None:
        """Levels of a day."""
        ...

    @property
    def recorded(self) -> RecordedSpec | None:
        """A column of the trace."""
        ...


def pattern_of(search: ArrivalsAsked) -> Pattern | None:
    """How requests arrive, as far as the spec itself says it; None: Poisson, or recorded."""
    if search.diurnal_ppm is not None:
        return DayCurve(search.diurnal_ppm)
    return None if search.bursts is None else burstiness_of(search.bursts)


def column_of(search: ArrivalsAsked) -> ArrivalColumn | None:
    """The column of recorded arrivals, for whoever reads the trace."""
    asked = search.recorded
    if asked is None:
        return None
    unit = None if asked.unit is None else TimeUnit(asked.unit)
    return ArrivalColumn(asked.column, unit, Gaps(asked.gaps), is_rescaled=True)


def burstiness_of(bursts: BurstsSpec) -> Burstiness:
    """How a replay has them."""
    return Burstiness(bursts.idc_ppm, bursts.spell_us, bursts.busy_ppm or BUSY_PPM)


def burst_complaints(bursts: BurstsSpec, rates_mrps: Sequence[int]) -> Iterator[Complaint]:
    """Bursts that cannot be had at some rate."""
    for place, rate_mrps in enumerate(rates_mrps):
        try:
            Modulated(rate_mrps, burstiness_of(bursts))
        except TailcError as error:
            (found,) = error.findings
            where, also = ("search", "bursts"), ("rates", place)
            message = f"cannot be had: {found.message}"
            yield Complaint(Code.CONFLICT, message, found.help or "", where, also)
