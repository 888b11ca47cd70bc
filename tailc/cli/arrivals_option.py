"""Options for arrival processes, shared by all commands that replay requests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.quantities import ARRIVALS, RATE_MRPS, EveryKind, RecordedColumn

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.models.arrivals import Arrivals, RecordedArrivals
    from tailc.models.diurnal import DayCurve
    from tailc.models.modulated_arrivals import Burstiness
    from tailc.traces.arrivals import ArrivalColumn


def arrivals_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --rate, --arrivals, --arrival-unit, --rescale and --gaps to a command.

    The command gets them as one argument, `arrivals`, of type ArrivalOptions: the arrival processes
    to replay.
    """

    @functools.wraps(command)
    def with_arrivals(
        *args: Any,
        rates: tuple[int, ...],
        processes: tuple[Arrivals | Burstiness | DayCurve | RecordedColumn | EveryKind, ...],
        arrival_unit: str | None,
        rescale: tuple[int, ...],
        gaps: str,
        **options: Any,
    ) -> Any:
        combined = combine_arrivals(rates, processes, arrival_unit, rescale, gaps)
        return command(*args, arrivals=combined, **options)

    decorated: Callable[..., Any] = with_arrivals
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


arrival_unit = click.option(
    "--arrival-unit",
    type=click.Choice(["s", "ms", "us", "ns"]),
    help="Unit of a column of recorded arrival times, if they are numbers.",
)

gaps_of = click.option(
    "--gaps",
    type=click.Choice(["error", "keep", "close"]),
    default="error",
    show_default=True,
    help="What to do with long gaps between recorded arrivals: refuse, keep (the service was "
    "idle), close (the recording paused).",
)

_OPTIONS = (
    click.option(
        "--rate",
        "rates",
        type=RATE_MRPS,
        multiple=True,
        help="Poisson arrivals at this rate, such as 40/s; may be repeated.",
    ),
    click.option(
        "--arrivals",
        "processes",
        type=ARRIVALS,
        multiple=True,
        metavar="PROCESS",
        help="Arrival process: bursty:idc=8,spell=2s or diurnal:0.5,1,1.5 (levels of a day) at "
        "each --rate, bursts:500@45/s,500@30/s, profile:FILE (columns duration and rate), "
        "recorded:COLUMN of the trace, or `all`: every kind at the rates of the policy; may be "
        "repeated.",
    ),
    arrival_unit,
    click.option(
        "--rescale",
        type=RATE_MRPS,
        multiple=True,
        metavar="RATE",
        help="Stretch recorded arrivals to this mean rate; may be repeated.",
    ),
    gaps_of,
)


@dataclass(frozen=True)
class ArrivalOptions:
    """The arrival processes that the options of a command state, before the trace is read.

    column: recorded arrivals, which are read with the trace. every_kind: all kinds of arrivals, at
    `rates_mrps` or, if empty, at the policy's rates.
    """

    processes: tuple[Arrivals, ...]
    column: ArrivalColumn | None
    rescale_mrps: tuple[int, ...]
    every_kind: bool = False
    rates_mrps: tuple[int, ...] = ()

    @property
    def is_given(self) -> bool:
        """Whether an option is given that has no effect without requests."""
        return bool(self.processes or self.column or self.every_kind)

    def processes_for(
        self, policy: Policy, recorded: RecordedArrivals | None
    ) -> tuple[Arrivals, ...] | None:
        """Build all arrival processes that the options request; None if no option is given."""
        if not self.every_kind:
            return (*self.processes, *self._recorded_arrivals(recorded)) or None
        from tailc.studies.arrival_settings import comparison_arrivals

        every = comparison_arrivals(policy, self.rates_mrps or policy.rates_mrps, recorded)
        rescaled = self._recorded_arrivals(recorded) if self.rescale_mrps else ()
        return (*every, *(one for one in (*self.processes, *rescaled) if one not in every))

    def _recorded_arrivals(self, recorded: RecordedArrivals | None) -> tuple[RecordedArrivals, ...]:
        if recorded is None:
            return ()
        at_rates = tuple(recorded.rescaled_to(rate) for rate in self.rescale_mrps)
        return at_rates or (recorded,)


def combine_arrivals(
    rates: tuple[int, ...],
    processes: tuple[Arrivals | Burstiness | DayCurve | RecordedColumn | EveryKind, ...],
    arrival_unit: str | None,
    rescale: tuple[int, ...],
    gaps: str,
) -> ArrivalOptions:
    """Combine the arrival processes that the options of a command give.

    Order: Poisson arrivals by rate, then other processes as given (bursty ones at each rate), then
    recorded arrivals. Raises TailcError if an option has no effect.
    """
    if not (rates or processes or arrival_unit or rescale or gaps != "error"):
        return ArrivalOptions((), None, ())
    from tailc.models.arrivals import Poisson
    from tailc.traces.arrivals import ArrivalColumn, GapTreatment
    from tailc.traces.reading import TimeUnit

    columns = [each for each in processes if isinstance(each, RecordedColumn)]
    every_kind = any(isinstance(each, EveryKind) for each in processes)
    _check_use(columns, arrival_unit, rescale, gaps)
    at_rates = sorted(set(rates))
    others = [
        one
        for each in processes
        if not isinstance(each, RecordedColumn | EveryKind)
        for one in _at_rates(each, at_rates)
    ]
    unit = TimeUnit(arrival_unit) if arrival_unit else None
    is_rescaled = bool(rescale) or every_kind
    recorded = (ArrivalColumn(one.name, unit, GapTreatment(gaps), is_rescaled) for one in columns)
    column = next(recorded, None)
    poisson = (Poisson(rate) for rate in at_rates)
    processes_given = (*poisson, *others)
    return ArrivalOptions(
        processes_given, column, tuple(sorted(set(rescale))), every_kind, tuple(at_rates)
    )


def _at_rates(
    process: Arrivals | Burstiness | DayCurve, rates_mrps: list[int]
) -> Iterator[Arrivals]:
    """Yield the process itself, or, if it has no rate, the process at each of the rates."""
    from tailc.errors import Code, Finding, TailcError
    from tailc.models.diurnal import DayCurve
    from tailc.models.modulated_arrivals import Burstiness
    from tailc.units import shorten

    if not isinstance(process, Burstiness | DayCurve):
        yield process
        return
    if not rates_mrps:
        message = f"the arrival process `{shorten(process.words)}` has no rate"
        hint = "add `--rate 40/s`, or add `rate=40/s` to the arrival process"
        raise TailcError(Finding(Code.USAGE, message, help=hint))
    for rate_mrps in rates_mrps:
        yield process.with_rate(rate_mrps)


def _check_use(
    columns: list[RecordedColumn], unit: str | None, rescale: tuple[int, ...], gaps: str
) -> None:
    from tailc.errors import Code, Finding, TailcError

    if len(columns) > 1:
        names = ", ".join(f"`{column.name}`" for column in columns)
        message = (
            f"only one column of recorded arrivals can be used, but several are given: {names}"
        )
        raise TailcError(Finding(Code.USAGE, message, help="give only one of them"))
    idle = {"--arrival-unit": unit, "--rescale": rescale, "--gaps": gaps != "error"}
    findings = [
        Finding(
            Code.USAGE,
            f"`{name}` applies only to recorded arrivals",
            help=("add `--arrivals recorded:COLUMN`"),
        )
        for name, is_given in idle.items()
        if is_given and not columns
    ]
    if findings:
        raise TailcError(findings)
