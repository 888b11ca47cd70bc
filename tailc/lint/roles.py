"""Which column of a trace is what: as the user says, or as its name tells."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tailc.traces.jobs.job_list import JobColumns
from tailc.traces.reading import Reading, TimeUnit
from tailc.traces.series.series import Quantity
from tailc.traces.telling_names import DEGREES, REQUESTS, first_of, speedups_of, times_of

_ARRIVALS = re.compile(
    r"(arrival|arrived|timestamp|ts|start|started|when|date|datetime|local|utc|time|measured_on)"
    r"(_at|_time|_unix|_hour)*(?:_(ns|us|ms|s))?$",
    re.IGNORECASE,
)
_NO_DEMAND = re.compile(r"_per_|^memory|^gap|^interval|^window|^offset|^deadline")
_CLASSES = ("class", "request_class", "type", "kind", "operation", "endpoint", "route")
_WEIGHTS = ("weight",)
_STATUSES = ("status", "status_code", "code", "http_status")
_ATTEMPTS = ("attempt", "attempts", "retry", "retries")
# What a column of a series is called, and the unit of it where no unit stands in the name.
_SERIES = (
    (re.compile(r"(ghi|dni|irradiance|.*_irradiance)", re.IGNORECASE), Quantity.IRRADIANCE, "W/m2"),
    (re.compile(r"(carbon|co2|carbon_g_per_kwh)", re.IGNORECASE), Quantity.CARBON, "g/kWh"),
    (
        re.compile(r"(.*_)?(sun|solar|pv|wind|power|ac_power)_kw|kw", re.IGNORECASE),
        Quantity.POWER,
        "kW",
    ),
    (
        re.compile(r"(.*_)?(sun|solar|pv|wind|power|ac_power)_mw", re.IGNORECASE),
        Quantity.POWER,
        "MW",
    ),
    (
        re.compile(r"(.*_)?(sun|solar|pv|wind|power|ac_power)(_w)?", re.IGNORECASE),
        Quantity.POWER,
        "W",
    ),
)
_OF_THE_SUN = re.compile(r"sun|solar|pv|ghi|dni|irradiance|ac_power|^kw$", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """What the user, or a spec, says of every trace; what is None or empty is told by names.

    throughput: how that of machines is read. jobs: columns of a list of them. counters: columns of
    cycles and of memory time. leaves_out_zero_runs: whether jobs of no length are meant to be left
    out.
    """

    column: str | None = None
    unit: TimeUnit | None = None
    time: str | None = None
    time_unit: TimeUnit | None = None
    request_class: str | None = None
    weight: str | None = None
    zone: str | None = None
    percentile_ppm: int | None = None
    request: str | None = None
    degree: str | None = None
    speedups: tuple[str, ...] = ()
    throughput: Reading | None = None
    jobs: JobColumns | None = None
    counters: tuple[str, str] | None = None
    leaves_out_zero_runs: bool = False


@dataclass(frozen=True)
class SeriesColumn:
    """A column of power or weather."""

    name: str
    quantity: Quantity
    unit: str

    @property
    def is_of_the_sun(self) -> bool:
        """Whether the sun makes it, so that nights have none."""
        return _OF_THE_SUN.search(self.name) is not None


@dataclass(frozen=True)
class Roles:
    """The columns that are looked at, by what stands in them; None where there is no such."""

    demand: str | None
    unit: TimeUnit | None
    time: str | None
    time_unit: TimeUnit | None
    request: str | None
    degree: str | None
    request_class: str | None
    weight: str | None
    status: str | None
    attempt: str | None
    speedups: tuple[str, ...]
    series: tuple[SeriesColumn, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of requests, each once."""
        single = (self.demand, self.time, self.request, self.degree, self.request_class)
        others = (self.weight, self.status, self.attempt, *self.speedups)
        return tuple(dict.fromkeys(name for name in (*single, *others) if name is not None))

    @property
    def is_of_timings(self) -> bool:
        """Whether a row is an execution on some threads, and not a request."""
        return None not in (self.demand, self.request, self.degree)


def roles_of(names: tuple[str, ...], said: Said) -> Roles:
    """What each column is; a column that is asked for counts whether it is there or not."""
    lower = {name.strip().lower(): name for name in reversed(names)}

    def named(wanted: tuple[str, ...]) -> str | None:
        found = first_of(wanted, tuple(lower))
        return None if found is None else lower[found]

    time, time_unit = _time(names, said)
    demand, unit = _demand(names, time, said)
    is_told = said.column is not None or (demand or "").startswith("demand")
    series = _series(names) if time is not None and not is_told else ()
    if series:
        demand = unit = None
    return Roles(
        demand,
        unit,
        time,
        time_unit,
        said.request or named(REQUESTS),
        said.degree or named(DEGREES),
        said.request_class or named(_CLASSES),
        said.weight or named(_WEIGHTS),
        named(_STATUSES),
        named(_ATTEMPTS),
        said.speedups or speedups_of(names),
        series,
    )


def _time(names: tuple[str, ...], said: Said) -> tuple[str | None, TimeUnit | None]:
    """The column of arrivals; `time_ms` and the like are durations."""
    found = [(name, match) for name in names if (match := _ARRIVALS.fullmatch(name.strip()))]
    found = [(name, match) for name, match in found if match[1].lower() != "time" or not match[3]]
    found.sort(key=lambda one: not one[1][3])
    name = said.time or (found[0][0] if found else None)
    units = {name: match[3] for name, match in found if match[3]}
    unit = units.get(name or "")
    return name, said.time_unit or (None if unit is None else TimeUnit(unit.lower()))


def _demand(
    names: tuple[str, ...], time: str | None, said: Said
) -> tuple[str | None, TimeUnit | None]:
    """The column of demands: that asked for, else the likeliest name with a unit of time."""
    units = {
        name: unit
        for name, unit in times_of(names).items()
        if name != time and not _ARRIVALS.fullmatch(name) and not _NO_DEMAND.search(name)
    }
    likely = [name for name in units if name.startswith("demand")] or list(units)
    column = said.column or (likely[0] if likely else None)
    unit = units.get(column or "")
    return column, said.unit or (None if unit is None else TimeUnit(unit))


def _series(names: tuple[str, ...]) -> tuple[SeriesColumn, ...]:
    found = []
    for name in names:
        match = next((row for row in _SERIES if row[0].fullmatch(name.strip())), None)
        if match is not None:
            found.append(SeriesColumn(name, match[1], match[2]))
    return tuple(found)
