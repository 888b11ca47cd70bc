"""Days of malleable jobs from logs of real machines, under measured sun and with its forecasts.

A day is the 24 hours of a log, from a whole hour on, that hold as many jobs as the published day
and no more at once than the servers take; of these the one that asks most nearly for a third of all
server-hours, as the published ones do. Jobs keep the time of the day on the machine's clock, so
those from before midnight come after the others. Jobs of more than a day are left out, and those on
one processor for less than a quarter of an hour, as tests. Widths become 4, 8, 16 or 32 cores of
two-core servers. Applications are dealt by a seed, as many of each as in the published day, with
speed-ups by formula (`tailc.specs.speedup_shapes`).

Sun is that of a system in Golden, Colorado, so scaled that 99 % of all quarter hours are below
1.5 kW. The days are those whose energy is nearest to the published 12, 8 and 2.84 kWh, each with
the day that followed it; days in the month after a change of the logger's clock are left out, as
their best day is an hour off. Forecasts are those of every hour, by the best day of the month
before, the clouds that a satellite saw at the time, and the hour before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import numpy as np

from bench.parallel_jobs import DAYS, SERVER_MW, SERVERS, VMS_A_SERVER
from bench.parallel_jobs import MOVE_S as CHANGE_S
from bench.parallel_jobs import PRICE as PRICE_UDOLLARS
from bench.solar_forecasts import FILLED_S, Site, golden
from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.forecasts import targets
from tailc.forecasts.persistence import persistent_forecasts
from tailc.forecasts.solar import solar_forecasts
from tailc.models.datacentre.supply import PPM, Supply, Whole
from tailc.models.malleable_jobs.cluster import Cluster
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.specs.speedup_shapes import CORES_A_SERVER, SPEEDUP_SHAPES
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import JobLog, node_seconds, peak_width
from tailc.traces.jobs.scaling import WidthMap, window, with_applications
from tailc.traces.jobs.swf import read_swf
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.resample import cut_series
from tailc.traces.series.series import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    SeriesQuantity,
    TimeSeries,
)
from tailc.traces.series.table_series import read_series
from tailc.traces.zones import zone_of

EPOCH_S = 900
CLUSTER = Cluster(SERVERS, SERVER_MW, 0, SERVER_MW * CHANGE_S, EPOCH_S)
"""A sleeping server is counted as drawing nothing."""

UTILIZATION = 1 / 3
TEST_S = 900
CARBON_MG = 400_000_000
"""For each kWh; nothing here depends on it."""

PEAK_MW = 1_500_000
BELOW_PEAK = 0.99
DAYS_REPLAYED = 2
HISTORY_DAYS = 31
CLOCK_CHANGES = (datetime(2011, 11, 6, tzinfo=UTC), datetime(2012, 3, 11, tzinfo=UTC))
MIDNIGHT_S = 7 * SECONDS_PER_HOUR
KWH = {"High": 12.0, "Medium": 8.0, "Low": 2.84}
COUNTS = (1, 2, 4, 8, 16, 32)


class Forecast(Enum):
    """Of the sun.

    CLOUDS: by the clouds as above. PAST: the same with the clouds of two days before, so that only
    the past is used. KNOWN: without any error but that of hourly means. YESTERDAY: the day before.
    """

    CLOUDS = "clouds"
    PAST = "past"
    KNOWN = "known"
    YESTERDAY = "yesterday"


def by_power_of_two(width: int) -> int:
    """Cores for a processor each: the power of two below, from 4 to 32."""
    return min(max(1 << (width.bit_length() - 1), 4), 32)


def by_range(*most: int) -> Callable[[int], int]:
    """4, 8 and 16 cores up to each of these widths, and 32 beyond."""
    return lambda width: 4 << sum(width > limit for limit in most)


@dataclass(frozen=True)
class Machine:
    """A log, its clock, and how wide its jobs become here [cores]."""

    file: str
    zone: str
    cores_of: Callable[[int], int]


MACHINES = {
    "HPC2N": Machine("HPC2N-2002.excerpt.swf.gz", "Europe/Stockholm", by_power_of_two),
    "Theta": Machine("ALCF-Theta-2022.swf.gz", "America/Chicago", by_range(256, 1_024, 2_048)),
    "Atlas": Machine(
        "LLNL-Atlas-2006-2.1-cln.compile.swf.gz", "US/Pacific", by_range(64, 256, 1_024)
    ),
}
"""Theta's log does not state its zone; it stands near Chicago."""


@functools.cache
def log_of(data: Path, machine: str) -> JobLog:
    """The jobs of a log that are replayed; widths are servers."""
    chosen = MACHINES[machine]
    log = read_swf(str(data / "hpc-jobs" / chosen.file), JobReading(leaves_out_zero_runs=True))
    is_test = (log.width == 1) & (log.run_s < TEST_S)
    log = log.part((log.run_s <= SECONDS_PER_DAY) & ~is_test)
    widths = np.unique(log.width).tolist()
    table = WidthMap(tuple((w, chosen.cores_of(w) // CORES_A_SERVER) for w in widths))
    return table.applied_to(log)


@functools.cache
def day_of_log(data: Path, machine: str, jobs: int) -> JobLog:
    """The day of a log, reduced to a number of jobs; the widths of jobs are numbers of servers."""
    log = log_of(data, machine)
    first_hour = int(log.submit_s[0]) // SECONDS_PER_HOUR + 1
    begin_s = np.arange(first_hour, int(log.submit_s[-1]) // SECONDS_PER_HOUR) * SECONDS_PER_HOUR
    held = np.searchsorted(log.submit_s, begin_s + SECONDS_PER_DAY)
    held -= np.searchsorted(log.submit_s, begin_s)
    windows = [window(log, start, SECONDS_PER_DAY) for start in begin_s[held == jobs].tolist()]
    days = [by_clock(day, MACHINES[machine].zone) for day in windows]
    return min((day for day in days if peak_width(day) <= SERVERS), key=_off_utilization)


def by_clock(day: JobLog, zone: str) -> JobLog:
    """A window of a day, from midnight on."""
    assert day.header.start_unix_s is not None
    begins = datetime.fromtimestamp(day.header.start_unix_s, zone_of(zone))
    since_midnight_s = (begins.hour * 60 + begins.minute) * 60 + begins.second
    submit_s = (day.submit_s + since_midnight_s) % SECONDS_PER_DAY
    order = np.argsort(submit_s, kind="stable")
    moved = replace(day, submit_s=np.zeros_like(submit_s)).part(order)
    return replace(moved, submit_s=submit_s[order])


def utilization(day: JobLog) -> float:
    """Share of the day's server-hours that its jobs ask for."""
    return node_seconds(day) / (SERVERS * SECONDS_PER_DAY)


def _off_utilization(day: JobLog) -> float:
    return abs(utilization(day) - UTILIZATION)


def jobs_of(
    day: JobLog, seed: int, *, slowdown_ppm: int, only: str | None = None, times: int = 1
) -> list[tuple[MalleableJob, str]]:
    """Jobs and their applications, in order; `times` copies of each.

    only: all are of this application instead of the mix of the published day.
    """
    counts = {only: day.jobs} if only else mix_of(day.jobs)
    dealt = with_applications(day, counts, seed)
    names = dealt.application_of_job
    rows = zip(day.submit_s.tolist(), day.run_s.tolist(), day.width.tolist(), names, strict=True)
    found = []
    for submit_s, run_s, width, name in rows:
        for _ in range(times):
            job = _job(len(found), submit_s, run_s, width, name, slowdown_ppm)
            found.append((job, name))
    return found


def mix_of(jobs: int) -> dict[str, int]:
    """Jobs of each application: those of a published day, or the shares of that of 26 jobs."""
    mix = dict(DAYS.get(jobs, DAYS[26]))
    past = np.cumsum(list(mix.values()))
    each = np.diff(np.rint(past * jobs / past[-1]).astype(int), prepend=0)
    return dict(zip(mix, each.tolist(), strict=True))


def _job(
    number: int, submit_s: int, run_s: int, width: int, name: str, slowdown_ppm: int
) -> MalleableJob:
    curves = {}
    for vms in (factor * width for factor in VMS_A_SERVER):
        allowed = [n for n in COUNTS if n <= min(vms, SERVERS) and vms <= 4 * n]
        speeds = SPEEDUP_SHAPES[name].speedup_ppt(vms, allowed)
        curves[vms] = {n: 1_000 * speed for n, speed in zip(allowed, speeds, strict=True)}
    work_s = max(round(run_s * curves[VMS_A_SERVER[0] * width][width] / PPM), 1)
    return MalleableJob(number, submit_s, work_s, width, slowdown_ppm, curves)


@dataclass(frozen=True, eq=False)
class Sun:
    """Two days of sun. green_mw: int64 (epochs,). expected_mw: int64 (hours, hours), of each hour
    what is expected for those from it on.
    """

    green_mw: Whole
    expected_mw: Whole

    @property
    def kwh(self) -> float:
        """Of the first day."""
        epochs = SECONDS_PER_DAY // EPOCH_S
        return float(self.green_mw[:epochs].sum()) * EPOCH_S / SECONDS_PER_HOUR / 1e6

    def scaled(self, percent: int) -> Sun:
        """As of panels so much larger."""
        return Sun(*(one * percent // 100 for one in (self.green_mw, self.expected_mw)))

    @property
    def supply(self) -> Supply:
        """What comes."""
        return _supply(self.green_mw)

    @property
    def error(self) -> float:
        """Mean absolute error an hour ahead on the first day, as a share of its energy."""
        hours = SECONDS_PER_DAY // SECONDS_PER_HOUR
        actual = self.green_mw.reshape(-1, SECONDS_PER_HOUR // EPOCH_S).mean(axis=1)[:hours]
        return float(np.abs(self.expected_mw[:hours, 0] - actual).sum() / actual.sum())

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """What is expected from an epoch on, as of its hour; nothing beyond."""
        per_hour = SECONDS_PER_HOUR // EPOCH_S
        hour, within = divmod(epoch, per_hour)
        value = np.repeat(self.expected_mw[hour], per_hour)[within : within + epochs]
        return _supply(np.pad(value, (0, epochs - len(value))))


def _supply(green_mw: Whole) -> Supply:
    price, carbon = (np.full(len(green_mw), each) for each in (PRICE_UDOLLARS, CARBON_MG))
    return Supply(green_mw, price, carbon)


@dataclass(frozen=True, eq=False)
class Panels:
    """Measured power of the system, scaled, and what its days were."""

    site: Site
    power: TimeSeries
    past: PastDays
    factor: float

    @functools.cached_property
    def days(self) -> np.ndarray:
        """Days that have a month before them, and that are known, as is the one after."""
        energy_wh = self.past.energy
        chosen = (energy_wh[:-1] >= 0) & (energy_wh[1:] >= 0)
        chosen[:HISTORY_DAYS] = False
        begin_unix_s = self.past.actual.step_unix_s[self.past.first :: self.past.per_day]
        for change in CLOCK_CHANGES:
            since_s = begin_unix_s[: len(chosen)] - change.timestamp()
            chosen[(since_s >= 0) & (since_s < HISTORY_DAYS * SECONDS_PER_DAY)] = False
        return np.flatnonzero(chosen)

    def sun(self, day: int, forecast: Forecast = Forecast.CLOUDS) -> Sun:
        """A day and the one after, with a forecast of each hour."""
        first = self.past.first + day * self.past.per_day
        hours = DAYS_REPLAYED * self.past.per_day
        start_unix_s = self.site.actual.start_unix_s + first * SECONDS_PER_HOUR
        actual = cut_series(self.power, start_unix_s, hours * SECONDS_PER_HOUR)
        issue = np.arange(first, first + hours)
        made = _make(self.site, self.past, issue, hours, forecast)
        return Sun(_whole(self.factor * actual.value), _whole(self.factor * made))


@functools.cache
def panels(data: Path) -> Panels:
    """The system in Golden."""
    site = golden(data, "compile")
    path = str(data / "pv-measured" / "nrel_pvdaq50_compile.parquet")
    reading = SeriesReading(
        "utc", "ac_power_w", SeriesQuantity.POWER, "W", fill_up_to_s=FILLED_S, skip_longer_gaps=True
    )
    power = read_series(path, reading)
    factor = PEAK_MW / float(np.quantile(power.value[power.known], BELOW_PEAK))
    return Panels(site, power, PastDays(site.actual, MIDNIGHT_S), factor)


@functools.cache
def sun_of(data: Path, kind: str, forecast: Forecast = Forecast.CLOUDS) -> Sun:
    """The day whose energy is nearest to the published one of that kind."""
    found = panels(data)
    off_wh = np.abs(found.past.energy[found.days] - KWH[kind] * 1e6 / found.factor)
    return found.sun(int(found.days[np.argmin(off_wh)]), forecast)


def _make(
    site: Site, past: PastDays, issue: np.ndarray, hours: int, forecast: Forecast
) -> np.ndarray:
    """What is expected at each issue for so many hours [W]."""
    if forecast is Forecast.KNOWN:
        return site.actual.value[targets(issue, hours)]
    if forecast is Forecast.YESTERDAY:
        return persistent_forecasts(site.actual, issue, hours, SECONDS_PER_DAY).value
    at_the_time, before = site.clouds.values()
    clouds = before if forecast is Forecast.PAST else at_the_time
    return solar_forecasts(site.actual, clouds, BestDay(past), issue, hours).value


def _whole(values: np.ndarray) -> Whole:
    return np.rint(values).astype(np.int64)
