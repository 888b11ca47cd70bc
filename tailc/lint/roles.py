"""Determine what each column contains (its role): from options, or from its name."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.executions import ExecutionColumns
from tailc.traces.jobs.job_list import JobColumns
from tailc.traces.reading import ThroughputReading, TimeUnit
from tailc.traces.series.series import SeriesQuantity
from tailc.traces.telling_names import (
    DEGREES,
    REQUESTS,
    first_of,
    speedups_of,
    times_of,
    with_unit_suffix,
)

_ARRIVALS = re.compile(
    r"(arrival|arrived|timestamp|ts|start|started|when|date|datetime|local|utc|time|measured_on|"
    r"hour_?(?:utc|gmt)|interval_?start|mtu|datum|zeit|fecha|(?:delivery|oper|operating)[_ ]?date)"
    r"([_ ]?(?:at|time|unix|hour|utc|gmt))*(?:_(ns|us|ms|s))?"
    r"(?: \((?:utc|gmt|ces?t(?:/cest)?)\)| at end of hour)?$",
    re.IGNORECASE,
)
_NO_DEMAND = re.compile(r"_per_|^memory|^gap|^interval|^window|^offset|^deadline")
_PRICE_OF = (
    r"(?:(day_?ahead|spot|electricity|energy|settlement_?point)_?)?prices?"
    r"(_?(eur|usd|gbp|dkk|nok|sek|pln|chf))?"
)
_BARE_PRICE = re.compile(r"prices?(_?[a-z]{3})?", re.IGNORECASE)
_ENERGY_PRICE = r"(.*[_ ])?prices?(_(eur|usd|gbp|c|ct|cents?|dkk|nok|sek|pln|chf))?"
# Names of columns of a series, and the unit if the name states none.
_SERIES = (
    (
        re.compile(
            r"ghi|dni|(.*_)?irradiance|(shortwave|direct)_radiation( \(W/m.*\))?", re.IGNORECASE
        ),
        SeriesQuantity.IRRADIANCE,
        "W/m2",
    ),
    (
        re.compile(r"(.*_)?prices?_(c|ct|cents?)(_[a-z]+)?_kwh", re.IGNORECASE),
        SeriesQuantity.PRICE,
        "c/kWh",
    ),
    (
        re.compile(rf"{_ENERGY_PRICE}(_[a-z]+)?_kwh|{_PRICE_OF}", re.IGNORECASE),
        SeriesQuantity.PRICE,
        "$/kWh",
    ),
    (
        re.compile(rf"{_ENERGY_PRICE}((_[a-z]+)?_| \W/)mwh", re.IGNORECASE),
        SeriesQuantity.PRICE,
        "$/MWh",
    ),
    (
        re.compile(
            r"carbon|co2|carbon_g_per_kwh|(?:actual )?carbon[ _]intensity(?:.*gco.{0,4}/kwh.*)?",
            re.IGNORECASE,
        ),
        SeriesQuantity.CARBON,
        "g/kWh",
    ),
    (
        re.compile(
            r"(.*_)?(sun|solar|pv|wind|power|ac_power)_kw|kw|(.* )?(production|generation)_kw",
            re.IGNORECASE,
        ),
        SeriesQuantity.POWER,
        "kW",
    ),
    (
        re.compile(
            r"(.*_)?(sun|solar|pv|wind|power|ac_power)_mw|.*\(MW\) from (solar|wind).*",
            re.IGNORECASE,
        ),
        SeriesQuantity.POWER,
        "MW",
    ),
    (
        re.compile(
            r"(.*_)?(sun|solar|pv|wind|power|ac_power)(_w)?|power\.draw_w|p_?ac_w|"
            r"(.* )?(production|generation)_w",
            re.IGNORECASE,
        ),
        SeriesQuantity.POWER,
        "W",
    ),
)
_OF_THE_SUN = re.compile(r"sun|solar|pv|ghi|dni|irradiance|ac_power|^kw$", re.IGNORECASE)


class Role(enum.Enum):
    """Role of a column in a trace of requests, in the order of reports."""

    DEMAND = "demand"
    TIME = "time"
    REQUEST = "request"
    DEGREE = "degree"
    REQUEST_CLASS = "class"
    WEIGHT = "weight"
    STATUS = "status"
    ATTEMPT = "attempt"


_CLASSES = ("class", "request_class", "type", "kind", "operation", "endpoint", "route")
_NAMES: dict[Role, tuple[str, ...]] = {
    Role.REQUEST: REQUESTS,
    Role.DEGREE: DEGREES,
    Role.REQUEST_CLASS: _CLASSES,
    Role.WEIGHT: ("weight",),
    Role.STATUS: ("status", "status_code", "code", "http_status"),
    Role.ATTEMPT: ("attempt", "attempts", "retry", "retries"),
}


@dataclass(frozen=True)
class CounterColumns:
    """Names of the columns of compute cycles and of memory time."""

    cycles: str
    memory: str


@dataclass(frozen=True)
class TraceOptions:
    """What the user or a spec states about traces; the rest is derived from column names.

    columns, units: name and unit of the column of each role, if stated. table: columns of a table
    without requests. time_pattern: of the times of a series, as for `strptime`.
    leaves_out_zero_runs: whether jobs without a run time are left out on purpose. report, stated:
    which times of a tool's output are checked (spans, tags, metrics), and what they measure.
    """

    columns: Mapping[Role, str] = field(default_factory=dict)
    units: Mapping[Role, TimeUnit] = field(default_factory=dict)
    speedups: tuple[str, ...] = ()
    table: ThroughputReading | JobColumns | CounterColumns | None = None
    zone: str | None = None
    time_pattern: str | None = None
    percentile_ppm: int | None = None
    leaves_out_zero_runs: bool = False
    report: InputOptions = field(default_factory=InputOptions)
    stated: StatedMeasure = field(default_factory=StatedMeasure)

    @property
    def are_of_reports(self) -> bool:
        """Whether an option is given that applies only to the output of a tool."""
        return (self.report, self.stated) != (InputOptions(), StatedMeasure())

    def with_defaults(self, other: TraceOptions) -> TraceOptions:
        """Return these options, in which each missing value is taken from `other`."""
        ppm = other.percentile_ppm if self.percentile_ppm is None else self.percentile_ppm
        return replace(
            other,
            columns={**other.columns, **self.columns},
            units={**other.units, **self.units},
            zone=self.zone or other.zone,
            time_pattern=self.time_pattern,
            percentile_ppm=ppm,
            report=self.report,
            stated=self.stated,
        )


@dataclass(frozen=True)
class SeriesColumn:
    """A column with a time series of power or weather, which `tailc lint-trace` checks."""

    name: str
    quantity: SeriesQuantity
    unit: str

    @property
    def is_of_the_sun(self) -> bool:
        """Whether the quantity depends on the sun, so that it is 0 at night."""
        return _OF_THE_SUN.search(self.name) is not None


@dataclass(frozen=True)
class _TimedColumn:
    """A column of times, None if missing, and its unit if known."""

    name: str | None
    unit: TimeUnit | None


@dataclass(frozen=True)
class Roles:
    """Which columns of a table `tailc lint-trace` checks, and what each contains.

    names: name of the column with each role, such as demand or arrival time. units: unit of that
    column, if known. speedups: columns of speed-ups. series: columns of time series.
    """

    names: Mapping[Role, str]
    units: Mapping[Role, TimeUnit]
    speedups: tuple[str, ...]
    series: tuple[SeriesColumn, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns with data of requests, without duplicates."""
        named = [self.names[role] for role in Role if role in self.names]
        return tuple(dict.fromkeys((*named, *self.speedups)))

    @property
    def is_of_timings(self) -> bool:
        """Whether each row is a timed execution with a number of threads, and not a request."""
        return self.names.keys() >= {Role.DEMAND, Role.REQUEST, Role.DEGREE}

    def with_executions(self, columns: ExecutionColumns) -> Roles:
        """The roles of the columns for a table whose rows are executions of requests."""
        added = {Role.REQUEST: columns.request, Role.DEGREE: columns.degree}
        return replace(self, names={**self.names, **added})


def roles_of(names: tuple[str, ...], options: TraceOptions) -> Roles:
    """Determine the role of each column; a requested column is included even if missing."""
    time = _time(names, options)
    demand = _demand(names, time.name, options)
    is_named_demand = Role.DEMAND in options.columns or (demand.name or "").startswith("demand")
    series = _series(names) if time.name is not None and not is_named_demand else ()
    if demand.name is not None and all(_is_bare_price(column) for column in series):
        series = ()
    timed = {Role.TIME: time} if series else {Role.DEMAND: demand, Role.TIME: time}
    named = {role: one.name for role, one in timed.items() if one.name is not None}
    units = {role: one.unit for role, one in timed.items() if one.unit is not None}
    by_option = {role: name for role, name in options.columns.items() if role not in timed}
    every = {**named, **_roles_by_name(names), **by_option}
    return Roles(every, units, options.speedups or speedups_of(names), series)


def _is_bare_price(column: SeriesColumn) -> bool:
    """Whether the name may be a price of anything, such as of an order."""
    return _BARE_PRICE.fullmatch(column.name.strip()) is not None


def _roles_by_name(names: tuple[str, ...]) -> dict[Role, str]:
    """Columns that are recognised by their names alone."""
    lower = {name.strip().lower(): name for name in reversed(names)}
    found = {role: first_of(wanted, tuple(lower)) for role, wanted in _NAMES.items()}
    return {role: lower[name] for role, name in found.items() if name is not None}


def _time(names: tuple[str, ...], options: TraceOptions) -> _TimedColumn:
    """The column of arrival times; `time_ms` and the like are durations."""
    matches = ((name, _arrivals(name)) for name in names)
    found = [(name, match) for name, match in matches if match]
    found = [(name, match) for name, match in found if match[1].lower() != "time" or not match[3]]
    found.sort(key=lambda one: not one[1][3])
    likely = [name for name, _match in found]
    units = {name: TimeUnit(match[3].lower()) for name, match in found if match[3]}
    return _timed_column(Role.TIME, likely, units, options)


def _arrivals(name: str) -> re.Match[str] | None:
    return _ARRIVALS.fullmatch(with_unit_suffix(name.strip()))


def _demand(names: tuple[str, ...], time: str | None, options: TraceOptions) -> _TimedColumn:
    """The column of demands: the requested one, else the most likely name with a unit of time."""
    units = {
        name: TimeUnit(unit)
        for name, unit in times_of(names).items()
        if name != time and not _arrivals(name) and not _NO_DEMAND.search(name)
    }
    likely = [name for name in units if name.startswith("demand")] or list(units)
    return _timed_column(Role.DEMAND, likely, units, options)


def _timed_column(
    role: Role, likely: list[str], units: dict[str, TimeUnit], options: TraceOptions
) -> _TimedColumn:
    name = options.columns.get(role, likely[0] if likely else None)
    return _TimedColumn(name, options.units.get(role) or units.get(name or ""))


def _series(names: tuple[str, ...]) -> tuple[SeriesColumn, ...]:
    found = []
    for name in names:
        plain = with_unit_suffix(name.strip())
        match = next((row for row in _SERIES if row[0].fullmatch(plain)), None)
        if match is not None:
            found.append(SeriesColumn(name, match[1], match[2]))
    return tuple(found)
