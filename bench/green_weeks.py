"""Malleable jobs of three weeks of three logs, planned again every hour with forecasts of the past.

    TAILC_DATA=DATA python -m bench.green_weeks [--windows N] [--out FILE]

Windows are 21 consecutive days of each log, those that ask for most, and each is replayed until its
jobs are done. A window has the jobs of its day, thinned evenly to at most 26, as many as on the
published day, and until no more than all servers are requested at once; their times are those of
the machine's clock; the cluster, applications and speed-ups are those of
`bench.parallel_days`. The sun is that of 21 days of a year, evenly spaced. A plan is made again at
every arrival and end of a job, and when the forecast, of which there is one an hour, changes by
more than a tenth.

Figures are changes against constant widths in the same windows, with 95 % intervals over windows.
"Default" is the method `auto`, which takes in each window the rule that won on up to 8 windows
before it, and constant widths in the first. "The way to Offline" is the saving of brown energy and
run time, weighed as in the plans, as a share of that of a plan which knows all jobs and the sun.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from tailc_solvers.green.parallel.problem import run_cost_of

from bench.parallel_cases import Case, Result, replayed
from bench.parallel_days import (
    DAYS_REPLAYED,
    EPOCH_S,
    MACHINES,
    PRICE_UDOLLARS,
    Forecast,
    Sun,
    by_clock,
    jobs_of,
    log_of,
    panels,
)
from bench.parallel_jobs import BETA, REFERENCE_MW, SERVERS
from bench.timing import show
from tailc.experiment.window_means import WindowMean, change_of, mean_of
from tailc.models.datacentre.quantities import QuantitySample
from tailc.pipeline.later_jobs.comparison import JudgedRule, best_rule
from tailc.traces.jobs.log import JobLog, node_seconds, peak_width
from tailc.traces.jobs.scaling import window
from tailc.traces.series.series import SECONDS_PER_DAY

WINDOWS = 21
MOST_JOBS = 26
UDOLLARS = 1_000_000
RUN_COST = run_cost_of(BETA, REFERENCE_MW, PRICE_UDOLLARS) / UDOLLARS


@dataclass(frozen=True)
class Policy:
    """A policy, the forecast that it is given, and its weight of run time as a share."""

    name: str
    forecast: Forecast = Forecast.PAST
    share: int = 100

    @property
    def title(self) -> str:
        weight = "" if self.share == 100 else f", {self.share} % of the weight of run time"
        known = {
            Forecast.YESTERDAY: ", yesterday expected",
            Forecast.KNOWN: ", sun known",
        }.get(self.forecast, "")
        return f"{self.name}{weight}{known}"


CONSTANT, DEFAULT, OFFLINE = (
    Policy("Baseline"),
    Policy("Default"),
    Policy("Offline", Forecast.KNOWN),
)
RULES = (
    Policy("Reactive"),
    Policy("Nebulous"),
    Policy("Aggressive"),
    Policy("Aggressive", share=25),
)
POLICIES = (
    *RULES,
    Policy("Aggressive", share=5),
    Policy("Aggressive", Forecast.YESTERDAY),
    Policy("Aggressive", Forecast.KNOWN),
    OFFLINE,
)
EARLIER = 8
"""Windows on which rules are compared, at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--windows", type=int, default=WINDOWS)
    parser.add_argument("--out", type=Path, help="write the figures of every window")
    options = parser.parse_args()
    folder = os.environ.get("TAILC_DATA")
    if folder is None:
        sys.exit("TAILC_DATA is the folder with the logs of jobs and the sun")
    every = {}
    for machine in ("Atlas", "HPC2N", "Theta"):
        found = study(Path(folder), machine, options.windows)
        every[machine] = {
            one.title: [asdict(result) for result in results] for one, results in found.items()
        }
        print(f"\n{machine}\n")
        show(HEADER, [_row(one, results, found) for one, results in found.items()])
        if options.out is not None:
            options.out.write_text(json.dumps(every))


def study(data: Path, machine: str, windows: int) -> dict[Policy, list[Result]]:
    """The results of each policy in each window, constant widths first."""
    zone = MACHINES[machine].zone
    days = [by_clock(day, zone) for day in days_of(log_of(data, machine), windows)]
    sun = panels(data)
    # The forecasts of the last days would reach beyond the data.
    spaced = np.linspace(0, len(sun.days) - 1 - 2 * DAYS_REPLAYED, windows)
    chosen = sun.days[spaced.round().astype(int)].tolist()
    found: dict[Policy, list[Result]] = {}
    for policy in (CONSTANT, *POLICIES):
        case = Case(machine, 0, "", policy.name, beta=BETA * policy.share / 100)
        found[policy] = [
            replayed(case, jobs_of(day, number, slowdown_ppm=case.slowdown_ppm), _padded(light))
            for number, day in enumerate(days)
            for light in (sun.sun(chosen[number], policy.forecast),)
        ]
    return {CONSTANT: found[CONSTANT], DEFAULT: default_of(found), **found}


def days_of(log: JobLog, windows: int) -> list[JobLog]:
    """The consecutive days that all have jobs and ask for most server-hours, thinned."""
    count = np.bincount(log.submit_s // SECONDS_PER_DAY)
    thinned = {day: _thinned(log, day) for day in np.flatnonzero(count).tolist()}
    runs = [range(day, day + windows) for day in thinned if day + windows - 1 in thinned]
    whole = [run for run in runs if all(day in thinned for day in run)]
    asked = {day: node_seconds(jobs) for day, jobs in thinned.items()}
    most = max(whole, key=lambda run: sum(asked[day] for day in run))
    return [thinned[day] for day in most]


def _thinned(log: JobLog, day: int) -> JobLog:
    """As many jobs as the servers take, evenly over the day."""
    jobs = window(log, day * SECONDS_PER_DAY, SECONDS_PER_DAY)
    for count in range(min(jobs.jobs, MOST_JOBS), 1, -1):
        kept = jobs.part(np.linspace(0, jobs.jobs - 1, count).round().astype(int))
        if peak_width(kept) <= SERVERS:
            return kept
    return jobs.part(np.array([0]))


def _padded(sun: Sun) -> Sun:
    """With as many dark days more, in which the last jobs end."""
    dark = np.zeros(DAYS_REPLAYED * SECONDS_PER_DAY // EPOCH_S, np.int64)
    hours = len(sun.expected_mw)
    expected = np.pad(sun.expected_mw, ((0, hours), (0, hours)))
    return replace(sun, green_mw=np.concatenate([sun.green_mw, dark]), expected_mw=expected)


def default_of(found: dict[Policy, list[Result]]) -> list[Result]:
    """Results of the rule that is the best one on the windows before, in each window."""
    results = [found[CONSTANT][0]]
    for number in range(1, len(found[CONSTANT])):
        before = slice(max(number - EARLIER, 0), number)
        judged = [_judged(policy, found[policy][before]) for policy in (CONSTANT, *RULES)]
        best = best_rule(judged, 0.0)
        chosen = next(one for one in (CONSTANT, *RULES) if one.title == best.name)
        results.append(found[chosen][number])
    return results


def _judged(policy: Policy, results: Sequence[Result]) -> JudgedRule:
    brown = np.array([one.brown_kwh for one in results]) * PRICE_UDOLLARS / UDOLLARS
    late = sum(one.late for one in results) / sum(one.done for one in results)
    return JudgedRule(policy.title, _losses(results), brown, late)


HEADER = [
    *("policy", "cost, $", "brown, kWh", "brown, %", "run time, %", "wait, h"),
    *("late, %", "with run time, $", "way to Offline"),
]


def _row(policy: Policy, results: Sequence[Result], found: dict[Policy, list[Result]]) -> list[str]:
    constant, offline = found[CONSTANT], found[OFFLINE]
    kwh, run = ([getattr(one, name) for one in results] for name in ("brown_kwh", "run_h"))
    before, ran = ([getattr(one, name) for one in constant] for name in ("brown_kwh", "run_h"))
    late = QuantitySample.ratio([one.late for one in results], [one.done for one in results])
    saved, most = _losses(constant) - _losses(results), _losses(constant) - _losses(offline)
    way = QuantitySample(saved, most)
    return [
        policy.title,
        f"{np.mean(kwh) * PRICE_UDOLLARS / UDOLLARS:.3f}",
        f"{np.mean(kwh):.2f}",
        _percent(kwh, before),
        _percent(run, ran),
        f"{np.mean([one.wait_h for one in results]):.2f}",
        _interval(mean_of(late), 100),
        _interval(change_of(_each(_losses(results)), _each(_losses(constant))), 1, 3),
        "" if policy in (CONSTANT, OFFLINE) else _interval(mean_of(way), 100, 0, " %"),
    ]


def _losses(results: Sequence[Result]) -> np.ndarray:
    """Brown energy and mean run time in dollars, as the plans weigh them."""
    return np.array(
        [one.brown_kwh * PRICE_UDOLLARS / UDOLLARS + RUN_COST * one.run_h for one in results]
    )


def _each(values: np.ndarray) -> QuantitySample:
    return QuantitySample(values, np.ones(len(values)))


def _percent(new: Sequence[float], old: Sequence[float]) -> str:
    """Change of the sum, with its interval over windows."""
    change = mean_of(QuantitySample(np.subtract(new, old), np.array(old)))
    return _interval(change, 100)


def _interval(mean: WindowMean, factor: float, digits: int = 1, unit: str = "") -> str:
    value = f"{mean.value * factor:+.{digits}f}{unit}"
    if mean.low is None or mean.high is None:
        return value
    return f"{value} ({mean.low * factor:+.{digits}f} to {mean.high * factor:+.{digits}f})"


if __name__ == "__main__":
    main()
