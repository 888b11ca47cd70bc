"""Option types for quantities with units, as in specs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tailc.models.arrivals import Arrivals
    from tailc.models.diurnal import DayCurve
    from tailc.models.modulated_arrivals import Burstiness


class QuantityType(click.ParamType):
    """Option type: a quantity with a unit, parsed to an integer by a function of tailc.units.

    least: smallest value that is accepted. whole: if given, the value must be below it, as a share
    is below 100 %.
    """

    def __init__(self, name: str, parser: str, least: int, whole: int | None = None) -> None:
        self.name = name
        self._parser = parser
        self._least = least
        self._whole = whole

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Parse the text to an integer; a usage error for anything else."""
        if isinstance(value, int):
            return value
        from tailc import units

        parse: Callable[[str], int] = getattr(units, self._parser)
        try:
            number = parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if number < self._least:
            self.fail(f"`{value}` must be more than zero", param, ctx)
        if self._whole is not None and number >= self._whole:
            self.fail(f"`{value}` must be less than 100%", param, ctx)
        return number


DURATION_US = QuantityType("duration", "parse_us", least=0)
CUT_OFF_US = QuantityType("duration", "parse_us", least=1)
RATE_MRPS = QuantityType("rate", "parse_mrps", least=1)
SHARE_PPM = QuantityType("share", "parse_ppm", least=0)
PERCENTILE_PPM = QuantityType("share", "parse_ppm", least=1, whole=1_000_000)
# What the times of a trace measure, and their units, as in specs.
MEASURE = click.Choice(["demand-cpu", "demand-busy", "response-open", "response-closed"])
TIME_UNIT = click.Choice(["ns", "us", "ms", "s"])


class RatesType(click.ParamType):
    """Option type: rates separated by commas, parsed to 1/1000 per second; 0/s is allowed."""

    name = "rates"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Parse the text to integers; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        from tailc.units import parse_mrps

        try:
            return tuple(parse_mrps(part) for part in str(value).split(","))
        except ValueError as error:
            self.fail(str(error), param, ctx)


RATES_MRPS = RatesType()


class MomentType(click.ParamType):
    """Option type: a time in ISO 8601 with its zone, as Unix seconds."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Parse the text to seconds; a usage error for anything else."""
        if isinstance(value, int):
            return value
        from tailc.traces.zones import TimeError, instant

        try:
            return instant(str(value))
        except TimeError as error:
            add = f"add `Z` for UTC, or an offset such as `{value}-07:00`"
            self.fail(f"{error}: {add}" if error.lacks_zone else str(error), param, ctx)


MOMENT_UNIX_S = MomentType()


class ZoneType(click.ParamType):
    """Option type: the name of a time zone."""

    name = "zone"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tzinfo:
        """Find the zone of that name; a usage error if there is none."""
        if isinstance(value, tzinfo):
            return value
        from tailc.traces.zones import ADVICE, TimeError, zone_of

        try:
            return zone_of(str(value))
        except TimeError as error:
            self.fail(f"{error}: {ADVICE}", param, ctx)


ZONE = ZoneType()


# Key in click's context for the message after standard input has been read.
_STDIN_KEY = "tailc.standard_input_is_taken"


@dataclass(frozen=True)
class RecordedColumn:
    """Value of the option --arrivals: arrivals recorded in this column of the trace."""

    name: str


@dataclass(frozen=True)
class EveryKind:
    """Value of the option --arrivals: arrivals of all kinds, at the rates of the policy."""


class ArrivalsType(click.ParamType):
    """Option type: an arrival process, such as `bursty:idc=8,...` or `profile:FILE`."""

    name = "arrivals"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Arrivals | Burstiness | DayCurve | RecordedColumn | EveryKind:
        """Parse an arrival process, with or without a rate, or the column of recorded arrivals."""
        if value == "all":
            return EveryKind()
        shape, _, detail = str(value).partition(":")
        if shape not in ("bursty", "bursts", "diurnal", "profile", "recorded") or not detail:
            from tailc.units import shorten

            shapes = (
                "`bursty:idc=8,spell=2s`, `diurnal:0.5,1,1.5`, `bursts:500@45/s,500@30/s`, "
                "`profile:FILE`, `recorded:COLUMN` or `all`"
            )
            self.fail(f"`{shorten(str(value))}` is not {shapes}", param, ctx)
        if shape == "recorded":
            return RecordedColumn(detail)
        from tailc.cli import arrivals_words

        if shape == "profile":
            if detail == "-" and ctx is not None:
                self._take_standard_input(param, ctx)
            return arrivals_words.rate_profile(detail)
        read = {
            "bursty": arrivals_words.bursty,
            "bursts": arrivals_words.bursts,
            "diurnal": arrivals_words.diurnal,
        }
        try:
            return read[shape](detail)
        except ValueError as error:
            self.fail(str(error), param, ctx)

    def _take_standard_input(self, param: click.Parameter | None, ctx: click.Context) -> None:
        """Fail if a spec, a trace (both parsed first) or another profile reads standard input."""
        read = (ctx.params.get("spec"), ctx.params.get("trace"))
        if "-" in read or ctx.meta.get(_STDIN_KEY):
            self.fail(
                "standard input can be read only once: give one of the inputs as a file", param, ctx
            )
        ctx.meta[_STDIN_KEY] = True


ARRIVALS = ArrivalsType()
