"""The published figures of GreenPar beside ours, on logs of three machines and three kinds of days.

    TAILC_DATA=DATA python -m bench.trends_green_parallel [--quick] [--processes N]

DATA is a folder with `hpc-jobs` and `pv-measured`. `bench.parallel_days` says which jobs and days
they are, and docs/published-results.md why ours differ. Cases are independent and run in processes
of their own, as many as there are cores; figures are the same for any number of them, times aside.
A figure is the mean over deals of the applications to the jobs, and in brackets the least and most
of these.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from bench.parallel_cases import PLANNED, Case, Result, result_of
from bench.parallel_days import KWH, Forecast, day_of_log, sun_of, utilization
from bench.processes import of_all
from bench.timing import show
from tailc.specs.speedup_shapes import CORES_A_SERVER
from tailc.threads import thread_count
from tailc.traces.jobs.log import peak_width
from tailc.traces.series.series import SECONDS_PER_HOUR

WORKLOADS = (("HPC2N", 26), ("Atlas", 26), ("Theta", 26), ("Theta", 113))
VARIED = (("Atlas", 26), ("Theta", 26))
POLICIES = ("Reactive", "Nebulous", "Aggressive", "Offline")
SEEDS = 2
BETAS = (Fraction(4, 5), Fraction(5, 2), Fraction(25), Fraction(80))
LOADS = ((2, 1_100_000, "+12 %"), (3, 1_100_000, "equal"), (2, 1_000_000, ""))
"""Copies of each job, slowdown, and how many more jobs are published to complete in the day."""

Row = list[str]
Measure = Callable[[Result], float]
Workload = tuple[str, int]


@dataclass(frozen=True)
class Change:
    """What is changed for Aggressive on the High day; published: brown energy, run time."""

    name: str
    published: tuple[str, str]
    of: Callable[[Case], Case]


CHANGES = (
    Change("as it is", ("-10 %", "-13 %"), lambda case: case),
    Change("F = 1", ("-8 %", "-12 %"), lambda case: replace(case, slowdown_ppm=1_000_000)),
    Change("F = 1.5", ("-16 %", "-9 %"), lambda case: replace(case, slowdown_ppm=1_500_000)),
    Change("75 % of the sun", ("-8.6 %", "-10.3 %"), lambda case: replace(case, solar=75)),
    Change("125 % of the sun", ("-11.3 %", "-12.9 %"), lambda case: replace(case, solar=125)),
    Change("EP only", ("-15 %", "-40 %"), lambda case: replace(case, only="EP")),
    Change(
        "run times wrong by 25 %", ("about the same",) * 2, lambda case: replace(case, error=25)
    ),
    *(
        Change(f"beta = {float(beta):g}", ("as expected",) * 2, partial(replace, beta=beta))
        for beta in BETAS
    ),
    Change("run time over active jobs", ("", ""), lambda case: replace(case, is_of_active=True)),
    Change(
        "Reactive, F = 1", ("", ""), partial(replace, policy="Reactive", slowdown_ppm=1_000_000)
    ),
    Change("Medium day", ("+5 %", "-27 %"), partial(replace, sun="Medium")),
    Change(
        "Medium day, sun known", ("", ""), partial(replace, sun="Medium", forecast=Forecast.KNOWN)
    ),
    Change(
        "Medium day, yesterday expected",
        ("", ""),
        partial(replace, sun="Medium", forecast=Forecast.YESTERDAY),
    ),
    *(
        Change(f"Low day, beta = {float(beta):g}", ("", ""), partial(replace, sun="Low", beta=beta))
        for beta in BETAS[:2]
    ),
)


def brown(result: Result) -> float:
    return result.brown_kwh


def green(result: Result) -> float:
    return result.green_kwh


def run(result: Result) -> float:
    return result.run_h


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one log, one deal, no sensitivities")
    parser.add_argument("--processes", type=int, default=thread_count(None))
    options = parser.parse_args()
    folder = os.environ.get("TAILC_DATA")
    if folder is None:
        sys.exit("TAILC_DATA is the folder with the logs of jobs and the sun")
    data = Path(folder)
    logs = WORKLOADS[1:2] if options.quick else WORKLOADS
    seeds = 1 if options.quick else SEEDS
    varied = () if options.quick else VARIED
    show(["day", "kWh", "published", "error an hour ahead", "of yesterday again"], suns(data))
    show(
        ["jobs", "asked for", "peak cores", "published", "hours: median, most"],
        days(data, logs),
    )
    cases = list(dict.fromkeys([*_base(logs, seeds), *_varied(varied, seeds)]))
    cases.sort(key=_weight, reverse=True)
    told = Told(of_all(partial(result_of, data), cases, options.processes), seeds)
    titles = [f"{machine}, {jobs}" for machine, jobs in logs]
    for name, of, published in (
        ("brown energy, %", brown, PUBLISHED_BROWN),
        ("green energy used, %", green, {}),
        ("mean run time, %", run, PUBLISHED_RUN),
    ):
        show([name, "published", *titles], told.policies(logs, of, published))
    show(["VMs", "published", *titles], told.machines(logs))
    if varied:
        show(_headed(varied), told.changes(varied))
        show(["done in a day", "published", *(f"{m}, {n}" for m, n in varied)], told.loads(varied))
    show(["too late, and on too few servers", *titles], told.promises(logs))


PUBLISHED_BROWN = {
    ("High", "Reactive"): "about -2 %",
    ("High", "Aggressive"): "-10 %",
    ("High", "Offline"): "within 1 % of Aggressive",
    ("Medium", "Aggressive"): "+5 %",
    ("Low", "Aggressive"): "as Baseline",
}
PUBLISHED_RUN = {
    ("High", "Reactive"): "-5 %",
    ("High", "Nebulous"): "a little better than Reactive",
    ("High", "Aggressive"): "-13 %",
    ("High", "Offline"): "-16 %",
    ("Medium", "Aggressive"): "-27 %",
    ("Low", "Aggressive"): "as Baseline",
}
PUBLISHED_VMS = {"Reactive": "68", "Aggressive": "84"}


def suns(data: Path) -> Iterator[Row]:
    for kind, kwh in KWH.items():
        sun = sun_of(data, kind)
        again = sun_of(data, kind, Forecast.YESTERDAY)
        yield [kind, f"{sun.kwh:.2f}", f"{kwh:g}", f"{sun.error:.0%}", f"{again.error:.0%}"]


def days(data: Path, logs: tuple[Workload, ...]) -> Iterator[Row]:
    for machine, jobs in logs:
        day = day_of_log(data, machine, jobs)
        hours = np.quantile(day.run_s, [0.5, 1.0]) / SECONDS_PER_HOUR
        peak = CORES_A_SERVER * peak_width(day)
        published = "33 %, 96 cores" if jobs == 26 else "86 cores"
        yield [
            f"{machine}, {jobs}",
            f"{utilization(day):.0%}",
            str(peak),
            published,
            ", ".join(f"{hour:.1f}" for hour in hours),
        ]


@dataclass(frozen=True)
class Told:
    """Tables of the results of all cases."""

    results: dict[Case, Result]
    seeds: int

    def policies(
        self, logs: tuple[Workload, ...], of: Measure, published: dict[tuple[str, str], str]
    ) -> Iterator[Row]:
        for sun in KWH:
            for policy in POLICIES:
                cells = [self.change(Case(*log, sun, policy), of) for log in logs]
                yield [f"{sun}: {policy}", published.get((sun, policy), ""), *cells]

    def machines(self, logs: tuple[Workload, ...]) -> Iterator[Row]:
        for policy in ("Baseline", *POLICIES):
            cells = [
                self.mean(Case(*log, "High", policy), lambda result: result.vms) for log in logs
            ]
            yield [f"High: {policy}", PUBLISHED_VMS.get(policy, ""), *(f"{c:.0f}" for c in cells)]

    def changes(self, logs: tuple[Workload, ...]) -> Iterator[Row]:
        for change in CHANGES:
            cells = []
            for log in logs:
                case = change.of(Case(*log, "High", "Aggressive"))
                cells += [self.change(case, brown), self.change(case, run)]
            yield [change.name, ", ".join(filter(None, change.published)), *cells]

    def loads(self, logs: tuple[Workload, ...]) -> Iterator[Row]:
        for times, slowdown_ppm, published in LOADS:
            cells = []
            for log in logs:
                case = Case(*log, "High", "Aggressive", slowdown_ppm=slowdown_ppm, times=times)
                ours, base = (self.mean(one, _in_day) for one in (case, case.baseline))
                waits = [self.mean(one, _wait) for one in (case, case.baseline)]
                cells.append(
                    f"{100 * (ours / base - 1):+.1f} %, {ours:g} and {base:g} of {times * log[1]}; "
                    f"wait {waits[0]:.1f} and {waits[1]:.1f} h"
                )
            yield [f"{times} times the load, F = {slowdown_ppm / 1e6:g}", published, *cells]

    def promises(self, logs: tuple[Workload, ...]) -> Iterator[Row]:
        for policy in POLICIES:
            yield [policy, *(_broken(self._base(log, policy), log) for log in logs)]
        wrong = [self._wrong(log) for log in logs]
        yield ["Aggressive, run times wrong by 25 %", *map(_broken, wrong, logs)]
        longest = (max(r.solve_s for r in self._base(log, "Aggressive")) for log in logs)
        yield ["longest search of Aggressive, s", *(f"{solve_s:.1f}" for solve_s in longest)]
        gaps = (max(r.gap or 0.0 for r in self._base(log, "Offline")) for log in logs)
        yield ["largest gap of Offline, %", *(f"{100 * gap:.1f}" for gap in gaps)]

    def _base(self, log: Workload, policy: str) -> list[Result]:
        """On all days, with nothing changed."""
        return [r for c, r in self.results.items() if c == Case(*log, c.sun, policy, c.seed)]

    def _wrong(self, log: Workload) -> list[Result]:
        case = Case(*log, "High", "Aggressive", error=25)
        return [r for c, r in self.results.items() if c == replace(case, seed=c.seed)]

    def change(self, case: Case, of: Measure) -> str:
        """By how many percent a case has more than Baseline: mean, least and most of the deals."""
        found = [
            100 * (of(self.results[one]) / of(self.results[one.baseline]) - 1)
            for one in (replace(case, seed=seed) for seed in range(self.seeds))
        ]
        mean = f"{statistics.fmean(found):+.1f}"
        return mean if len(found) == 1 else f"{mean} ({min(found):+.1f} to {max(found):+.1f})"

    def mean(self, case: Case, of: Measure) -> float:
        return statistics.fmean(
            of(self.results[replace(case, seed=seed)]) for seed in range(self.seeds)
        )


def _in_day(result: Result) -> float:
    return result.in_day


def _wait(result: Result) -> float:
    return result.wait_h


def _broken(found: list[Result], log: Workload) -> str:
    """Jobs that ran too long, and jobs on too few servers, of how many."""
    if not found:
        return ""
    late, below = sum(r.late for r in found), sum(r.below for r in found)
    return f"{late} and {below} of {len(found) * log[1]}"


def _headed(logs: tuple[Workload, ...]) -> Row:
    columns = [f"{m}, {n}: {what}" for m, n in logs for what in ("brown, %", "run time, %")]
    return ["High: Aggressive", "published", *columns]


def _base(logs: tuple[Workload, ...], seeds: int) -> Iterator[Case]:
    for log in logs:
        for sun in KWH:
            for policy in ("Baseline", *POLICIES):
                for seed in range(seeds):
                    yield Case(*log, sun, policy, seed)


def _varied(logs: tuple[Workload, ...], seeds: int) -> Iterator[Case]:
    for log in logs:
        for seed in range(seeds):
            case = Case(*log, "High", "Aggressive", seed)
            changed = [change.of(case) for change in CHANGES]
            changed += [
                replace(case, times=times, slowdown_ppm=slowdown_ppm)
                for times, slowdown_ppm, _ in LOADS
            ]
            for one in changed:
                yield from (one, one.baseline)


def _weight(case: Case) -> tuple[bool, int]:
    """The longest cases first."""
    return case.policy in PLANNED, case.jobs * case.times * (4 if case.machine == "HPC2N" else 1)


if __name__ == "__main__":
    main()
