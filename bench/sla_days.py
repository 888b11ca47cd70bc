"""Two days of rigid jobs from logs of real machines, under measured sun and with its forecasts.

Each workload is the 48 hours of a log that come close to the published ones (675 jobs that ask for
up to 1,654 servers at once, and 446 for up to 1,620, were all admitted), from a midnight on:

* Mustang 2015: hours 1,152 to 1,200 of the list, as they are. The list tells no dates, so its
  midnights are of no known day; the machine had 1,600 nodes.
* LLNL Atlas: 28 and 29 March 2007, processors divided by 7, rounded up. The machine had 1,152 nodes
  of eight, of which this makes 1,317.

Past windows, for prices, are the six before of Mustang, and of Atlas the same two days of the six
weeks before. Each job is promised one of 0, 25, 50, 75 and 100 % of green energy, by a seed and its
number; those that run for more than 48 hours none.

Sun is that of a system in Golden, Colorado, from April 2011 to September 2012, scaled so that its
largest quarter of an hour is 75 % of what all servers draw at once, 176.2 kW for 42 racks. High,
Medium and Low are the pairs of days at 95, 50 and 5 % of all pairs by their energy. Forecasts are
made every hour for 48 hours, by the best day of the month before, the clouds that a satellite saw
at the time (there is no record of a forecast of them; docs/green-inputs.md says how wrong that is),
and the hour before; of whatever comes later nothing is expected.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.solar_forecasts import FILLED_S, HORIZON_H, Site, golden
from tailc.forecasts.best_day import BestDay
from tailc.forecasts.days import Energy
from tailc.forecasts.forecasts import Forecasts
from tailc.forecasts.persistence import persistent_forecasts
from tailc.forecasts.solar import SolarRule, solar_forecasts
from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import JobWindow, WindowForecasts
from tailc.traces.jobs.job_list import JobColumns, JobTimeUnit, read_job_list
from tailc.traces.jobs.job_selection import JobReading
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import DividedWidths, window, with_green_percents
from tailc.traces.jobs.swf import read_swf
from tailc.traces.series.days import day_pairs
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.resample import scale_series
from tailc.traces.series.series import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    SeriesQuantity,
    TimeSeries,
    of_values,
)
from tailc.traces.series.table_series import read_series

RACKS, RACK_SERVERS = 42, 40
EPOCH_S = 900
PER_HOUR = SECONDS_PER_HOUR // EPOCH_S
WINDOW_S = 2 * SECONDS_PER_DAY
EPOCHS = WINDOW_S // EPOCH_S
PAST_WINDOWS = 6
WEEK_S = 7 * SECONDS_PER_DAY
# Jobs that came in the window may run on for as long after it.
REPLAYED = 2 * EPOCHS
PEAK_W = 176_200.0
PRICE, CARBON = 0.1055, 400.0
MIDNIGHT_S = 7 * SECONDS_PER_HOUR
CLOUDS = "satellite, at the time"
SEED = 1
DAYS = ("High", "Medium", "Low")


@dataclass(frozen=True)
class Workload:
    """A window of a log. file: of the window; past_file: of the windows before, `apart_s` apart."""

    file: str
    past_file: str
    start_s: int
    apart_s: int
    divide_width: int = 1


WORKLOADS = {
    "Mustang": Workload(
        "job-lists/mustang2015_compile.parquet",
        "job-lists/mustang2015_compile.parquet",
        48 * SECONDS_PER_DAY,
        WINDOW_S,
    ),
    # Second 0 of the log is on 10 November 2006 at 15:05:01 in its zone.
    "Atlas": Workload(
        "hpc-jobs/LLNL-Atlas-2006-2.1-cln.example.swf.gz",
        "hpc-jobs/LLNL-Atlas-2006-2.1-cln.compile.swf.gz",
        11_865_299,
        WEEK_S,
        divide_width=7,
    ),
}


def jobs_of(data: Path, workload: str, racks: int, seed: int = SEED) -> JobLog:
    """The jobs of the window, as many more or fewer as there are more or fewer racks than 42."""
    chosen = WORKLOADS[workload]
    return resized(_window(data, chosen.file, chosen, chosen.start_s, seed), racks)


def past_jobs_of(data: Path, workload: str, racks: int, seed: int = SEED) -> list[JobLog]:
    """Those of the windows before, the last first."""
    chosen = WORKLOADS[workload]
    starts = [chosen.start_s - chosen.apart_s * number for number in range(1, PAST_WINDOWS + 1)]
    return [
        resized(_window(data, chosen.past_file, chosen, start, seed), racks) for start in starts
    ]


def resized(jobs: JobLog, racks: int) -> JobLog:
    """Each job so many times as there are times 42 racks; or one of so many, with room for it.

    Copies have numbers and shares of green energy of their own.
    """
    if racks >= RACKS:
        times = racks // RACKS
        log = jobs.part(np.repeat(np.arange(jobs.jobs), times))
        copy = np.tile(np.arange(times), jobs.jobs)
        assert log.green_ppm is not None
        shifted = (log.green_ppm + 250_000 * copy) % 1_250_000
        return replace(log, number=log.number * times + copy, green_ppm=shifted)
    kept = jobs.part(np.arange(0, jobs.jobs, round(RACKS / racks)))
    return kept.part(kept.width <= racks * RACK_SERVERS)


def _window(data: Path, file: str, chosen: Workload, start_s: int, seed: int) -> JobLog:
    jobs = window(_log(data, file), start_s, WINDOW_S)
    return with_green_percents(DividedWidths(chosen.divide_width).applied_to(jobs), seed)


@functools.cache
def _log(data: Path, file: str) -> JobLog:
    reading = JobReading(leaves_out_zero_runs=True)
    if file.endswith(".swf.gz"):
        return read_swf(str(data / file), reading)
    hours = JobTimeUnit.HOUR
    columns = JobColumns("arrival_h", "run_h", "cpus", hours, hours)
    return read_job_list(str(data / file), columns, reading)


@dataclass(frozen=True)
class Said:
    """How sun is forecast. kind: `best day`, `yesterday`, or `known`, which is what comes.

    conservatism: part of the ideal production that is counted on.
    """

    kind: str = "best day"
    conservatism: float = 1.0


def sun(data: Path) -> TimeSeries:
    """All production, every 15 minutes, for 42 racks [W]."""
    return scale_series(_system(data), PEAK_W / _largest_w(data))


@functools.cache
def _system(data: Path) -> TimeSeries:
    path = str(data / "pv-measured" / "nrel_pvdaq50_compile.parquet")
    reading = SeriesReading(
        "utc", "ac_power_w", SeriesQuantity.POWER, "W", fill_up_to_s=FILLED_S, skip_longer_gaps=True
    )
    return read_series(path, reading)


def _largest_w(data: Path) -> float:
    return float(_system(data).value.max())


def pair_of(data: Path, day: str) -> TimeSeries:
    """The two days."""
    pairs = day_pairs(sun(data), MIDNIGHT_S)
    return {"High": pairs.high, "Medium": pairs.medium, "Low": pairs.low}[day]


def window_of(data: Path, jobs: JobLog, day: str, size: float, said: Said) -> JobWindow:
    """The jobs under the sun of a pair of days and of those after it, of panels so much larger."""
    power = scale_series(sun(data), size)
    start_unix_s = pair_of(data, day).start_unix_s
    first = (start_unix_s - power.start_unix_s) // EPOCH_S
    if not power.known[first : first + REPLAYED].all():
        raise ValueError(f"the days after {day} are not known throughout")
    price, carbon = (
        of_values(quantity, power.start_unix_s, EPOCH_S, np.full(power.steps, value), "constant")
        for quantity, value in ((SeriesQuantity.PRICE, PRICE), (SeriesQuantity.CARBON, CARBON))
    )
    energy = Energy(power, price, carbon, _forecasts(data, power, first, size, said))
    supply = Supply(*energy.actual_supply(slice(first, first + REPLAYED)))
    return JobWindow(start_unix_s, jobs, supply, WindowForecasts(energy, first, REPLAYED))


def error_of(data: Path, day: str) -> tuple[float, float]:
    """Mean absolute error and bias of what is expected of the next hour, by what the days bring."""
    jobs = jobs_of(data, next(iter(WORKLOADS)), RACKS)
    window = window_of(data, jobs, day, 1.0, Said())
    actual = window.supply.green_mw[:EPOCHS].reshape(-1, PER_HOUR).sum(axis=1)
    ahead = [window.expected.ahead(at, PER_HOUR) for at in range(0, EPOCHS, PER_HOUR)]
    wrong = np.array([int(one.green_mw.sum()) for one in ahead]) - actual
    return float(np.abs(wrong).sum() / actual.sum()), float(wrong.sum() / actual.sum())


def _forecasts(
    data: Path, power: TimeSeries, first: int, size: float, said: Said
) -> Forecasts | None:
    """Those of every hour of the window, each with its hours in quarters."""
    if said.kind == "known":
        return None
    site = _site(data)
    begin = (power.start_unix_s + first * EPOCH_S - site.actual.start_unix_s) // SECONDS_PER_HOUR
    issue = np.arange(begin, begin + REPLAYED // PER_HOUR)
    if said.kind == "yesterday":
        made = persistent_forecasts(site.actual, issue, HORIZON_H, SECONDS_PER_DAY)
    else:
        rule = SolarRule(conservatism=said.conservatism)
        clouds, ideal = site.clouds[CLOUDS], BestDay(site.past)
        made = solar_forecasts(site.actual, clouds, ideal, issue, HORIZON_H, rule)
    value = np.repeat(made.value, PER_HOUR, axis=1) * size * PEAK_W / _largest_w(data)
    since = first + PER_HOUR * np.arange(len(issue))
    return Forecasts(since, value, power.start_unix_s, EPOCH_S, made.source)


@functools.cache
def _site(data: Path) -> Site:
    return golden(data, "compile")
