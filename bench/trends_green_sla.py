"""The published figures of Green SLA beside ours, on logs of two machines and three kinds of days.

    TAILC_DATA=DATA python -m bench.trends_green_sla [--quick] [--processes N]

DATA is a folder with `job-lists`, `hpc-jobs` and `pv-measured`. `bench.sla_days` says which jobs
and days they are, `bench.sla_cases` what a slot costs, and docs/published-results.md why ours
differ. Cases are independent and run in processes of their own, as many as there are cores; figures
are the same for any number of them, times aside. Times are those of a process's own work.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bench.processes import of_all
from bench.sla_cases import PENALTY, STEPS_ALL, Case, Result, result_of
from bench.sla_days import (
    DAYS,
    EPOCH_S,
    EPOCHS,
    RACKS,
    WORKLOADS,
    Said,
    error_of,
    jobs_of,
    pair_of,
    past_jobs_of,
)
from bench.timing import show
from tailc.threads import thread_count
from tailc.traces.jobs.log import JobLog, node_seconds, peak_width
from tailc.traces.series.series import energy_kwh

POLICIES = ("FF", "SGP", "LP", "SA", "prices")
PLANNED = ("LP", "SA", "prices")
DRAWN = ("FF", "SGP", "LP")
OTHERS = ("FF", "SGP", "prices")
PENALTIES = {"$0.20": 50_000, "$0.50": PENALTY, "$0.80": 200_000}
CONSERVATISM = (0.9, 0.8, 0.7)
# Racks, and what LP and SA took there as published [ms a run].
SIZES = {11: "20, 100", 21: "40, 1,000", RACKS: "150, 11,300", 84: "230, 58,300"}
SHARES = {"25 %": 1 / 3, "50 %": 2 / 3, "75 %": 1.0}
SEEDS = range(1, 6)
KINDS = ("known", "best day", "yesterday")
PUBLISHED_KWH = {"High": 3_230.0, "Medium": 1_940.0, "Low": 626.0}
QUICK_STEPS = 3
Row = list[str]


class Cases:
    """What was asked for in all tables, and the results."""

    def __init__(self, results: dict[Case, Result]) -> None:
        self._results = results

    def result(self, *asked: object, **more: object) -> Result:
        """Of one case."""
        return self._results[Case(*asked, **more)]  # type: ignore[arg-type]

    def profit(self, of: str, to: str, *asked: str, **more: object) -> float:
        """The profit of one policy by that of another."""
        return self.result(*asked, of, **more).profit / self.result(*asked, to, **more).profit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one log, few steps, base cases alone")
    parser.add_argument("--processes", type=int, default=thread_count(None))
    options = parser.parse_args()
    folder = os.environ.get("TAILC_DATA")
    if folder is None:
        sys.exit("TAILC_DATA is the folder with the logs of jobs and the sun")
    data = Path(folder)
    logs = list(WORKLOADS)[:1] if options.quick else list(WORKLOADS)
    work = partial(result_of, data)
    heads = ["window", "jobs", "over 48 h", "most servers", "to the second", "mean", "past jobs"]
    show(heads, windows(data, logs))
    show(["days", "from", "kWh", "published", "error an hour ahead", "bias"], suns(data))
    if options.quick:
        report_base(Quick(of_all(work, quick_cases(logs), options.processes)), logs)
        return
    sizes = {day: PUBLISHED_KWH[day] / energy_kwh(pair_of(data, day)) for day in DAYS}
    listed = sorted(set(all_cases(logs, sizes)), key=_longest_first)
    found = Cases(of_all(work, listed, options.processes))
    report_base(found, logs)
    show(["published", "value", *logs], list(published(found, logs)))
    others = [f"{policy} / LP" for policy in OTHERS]
    show(["panels, share of the peak", *others], panels(found, logs))
    show(["energy as published", *others], as_published(found, logs, sizes))
    show(["forecast, Medium", *(f"{p}: profit, missed" for p in PLANNED)], kinds(found, logs))
    show(["assignments of five seeds", "FF / LP", "SGP / LP"], draw_rows(found, logs))
    heads = [
        "racks",
        "published LP, SA, ms",
        "LP, ms a job",
        "most",
        "SA, ms a job",
        "most",
        "profit, SA over LP",
    ]
    show(heads, scale(found))


class Quick(Cases):
    """Results of searches of a few steps."""

    def result(self, *asked: object, **more: object) -> Result:
        """Of one case."""
        return super().result(*asked, **{"steps": QUICK_STEPS, **more})


def quick_cases(logs: list[str]) -> list[Case]:
    return [Case(log, day, p, steps=QUICK_STEPS) for log in logs for day in DAYS for p in POLICIES]


def all_cases(logs: list[str], sizes: dict[str, float]) -> Iterator[Case]:
    """Of every table; some more than once."""
    for log in logs:
        for policy in POLICIES:
            yield from _of_policy(log, policy, sizes)
        for policy in PLANNED:
            for said in (*(Said(conservatism=one) for one in CONSERVATISM), *map(Said, KINDS)):
                yield Case(log, "Medium", policy, said=said)
        yield Case(log, "Medium", "SA-All", steps=STEPS_ALL)
    for racks in SIZES:
        for policy in ("LP", "SA"):
            yield Case(logs[0], "Medium", policy, racks=racks)


def _of_policy(log: str, policy: str, sizes: dict[str, float]) -> Iterator[Case]:
    for day in DAYS:
        yield Case(log, day, policy)
        if policy in DRAWN:
            yield from (Case(log, day, policy, seed=seed) for seed in SEEDS)
    for penalty in PENALTIES.values():
        yield Case(log, "High", policy, penalty=penalty)
    if policy != "SA":
        yield from (Case(log, "Medium", policy, size=size) for size in SHARES.values())
        yield from (Case(log, day, policy, size=size) for day, size in sizes.items())


def _longest_first(case: Case) -> tuple[float, str]:
    searches = case.policy.startswith("SA")
    return -searches * case.steps * case.racks**2 - (case.policy == "prices"), repr(case)


def windows(data: Path, logs: list[str]) -> Iterator[Row]:
    for log in logs:
        jobs = jobs_of(data, log, RACKS)
        long = int((jobs.run_s > EPOCHS * EPOCH_S).sum())
        mean = node_seconds(jobs) / (EPOCHS * EPOCH_S)
        past = ", ".join(str(one.jobs) for one in past_jobs_of(data, log, RACKS))
        yield [
            log,
            str(jobs.jobs),
            str(long),
            str(_most(jobs)),
            str(peak_width(jobs)),
            f"{mean:.0f}",
            past,
        ]


def _most(jobs: JobLog) -> int:
    """Servers at once, were each job to run for whole epochs from the one after its submission."""
    first = -(-jobs.submit_s // EPOCH_S)
    last = first + -(-jobs.run_s // EPOCH_S)
    change = np.zeros(int(last.max()) + 1, np.int64)
    np.add.at(change, first, jobs.width)
    np.add.at(change, last, -jobs.width)
    return int(np.cumsum(change).max())


def suns(data: Path) -> Iterator[Row]:
    for day in DAYS:
        pair = pair_of(data, day)
        from_ = np.datetime64(pair.start_unix_s, "s").astype("datetime64[D]")
        error, bias = error_of(data, day)
        kwh = f"{energy_kwh(pair):.0f}", f"{PUBLISHED_KWH[day]:.0f}"
        yield [day, str(from_), *kwh, f"{error:.0%}", f"{bias:+.0%}"]


def report_base(found: Cases, logs: list[str]) -> None:
    heads = ["profit, $", "profit / SA", "green / SA", "admitted", "missed", "of them", "moved"]
    rows = (row for log in logs for day in DAYS for row in base(found, log, day))
    show(["log, days, policy", *heads], rows)


def base(found: Cases, log: str, day: str) -> Iterator[Row]:
    best = found.result(log, day, "SA")
    for policy in POLICIES:
        one = found.result(log, day, policy)
        yield [
            f"{log}, {day}, {policy}",
            f"{one.profit:,.0f}",
            f"{one.profit / best.profit:.0%}",
            f"{one.green_kwh / best.green_kwh:.0%}",
            f"{one.admitted} of {one.submitted}",
            str(one.missed),
            f"{one.missed / one.admitted:.1%}",
            str(one.moves),
        ]


def published(found: Cases, logs: list[str]) -> Iterator[Row]:
    for day, ratio in (("High", "85 %"), ("Medium", "79 %; Intrepid 64 %"), ("Low", "50 %")):
        ours = [f"{found.profit('FF', 'SA', log, day):.0%}" for log in logs]
        yield [f"profit of FF / SA, {day}", ratio, *ours]
    for day, ratio in (("High", "88 %"), ("Medium", "75 %"), ("Low", "")):
        ours = [f"{found.profit('SGP', 'SA', log, day):.0%}" for log in logs]
        yield [f"profit of SGP / SA, {day}", ratio, *ours]
    for penalty, ratio in zip(PENALTIES, ("0.74", "0.88", "0.96"), strict=True):
        for policy, told in (("SGP", ratio), ("FF", "falls")):
            more = {"penalty": PENALTIES[penalty]}
            ours = [f"{found.profit(policy, 'SA', log, 'High', **more):.2f}" for log in logs]
            yield [f"{policy} / SA, High, penalty {penalty} an hour", told, *ours]
    for day in DAYS:
        both = [(found.result(log, day, "SA"), found.result(log, day, "LP")) for log in logs]
        yield _more(
            f"profit of SA over LP, {day}", "below +1 %", [a.profit / b.profit for a, b in both]
        )
        yield _more(
            f"jobs admitted, SA over LP, {day}", "+3 %", [a.admitted / b.admitted for a, b in both]
        )
        yield _more(
            f"promises missed, SA over LP, {day}", "+5 %", [a.missed / b.missed for a, b in both]
        )
    missed = [found.result(log, "Medium", "SGP") for log in logs]
    yield [
        "promises missed by SGP, of those admitted, Medium",
        "5.1 %",
        *(f"{one.missed / one.admitted:.1%}" for one in missed),
    ]
    yield from _conservative(found, logs)
    everything = [
        (found.result(log, "Medium", "SA-All", steps=STEPS_ALL), found.result(log, "Medium", "SA"))
        for log in logs
    ]
    yield _more(
        "profit of SA-All over SA, Medium", "+3.5 %", [a.profit / b.profit for a, b in everything]
    )
    yield ["time of SA-All / SA", "28", *(f"{a.cpu_s / b.cpu_s:.1f}" for a, b in everything)]


def _conservative(found: Cases, logs: list[str]) -> Iterator[Row]:
    for policy, fewer in (("SA", "-18 %"), ("LP", "-12 %"), ("prices", "")):
        for factor in CONSERVATISM:
            said = Said(conservatism=factor)
            both = [
                (
                    found.result(log, "Medium", policy, said=said),
                    found.result(log, "Medium", policy),
                )
                for log in logs
            ]
            title = f"{policy}, B x {factor}, Medium"
            told = "above -3 %" if fewer else ""
            yield _more(f"profit of {title}", told, [a.profit / b.profit for a, b in both])
            told = f"down to {fewer}" if fewer else ""
            yield _more(f"promises missed by {title}", told, [a.missed / b.missed for a, b in both])


def _more(title: str, told: str, ratios: list[float]) -> Row:
    return [title, told, *(f"{ratio - 1:+.1%}" for ratio in ratios)]


def panels(found: Cases, logs: list[str]) -> Iterator[Row]:
    for log in logs:
        for share, size in SHARES.items():
            yield [f"{share}, {log}, Medium", *_by_lp(found, log, "Medium", size)]


def as_published(found: Cases, logs: list[str], sizes: dict[str, float]) -> Iterator[Row]:
    for log in logs:
        for day, size in sizes.items():
            title = f"{PUBLISHED_KWH[day]:,.0f} kWh, {log}, {day}"
            yield [title, *_by_lp(found, log, day, size)]


def _by_lp(found: Cases, log: str, day: str, size: float) -> Row:
    return [f"{found.profit(policy, 'LP', log, day, size=size):.0%}" for policy in OTHERS]


def kinds(found: Cases, logs: list[str]) -> Iterator[Row]:
    for log in logs:
        for kind in KINDS:
            results = [found.result(log, "Medium", p, said=Said(kind)) for p in PLANNED]
            yield [f"{kind}, {log}", *(f"${one.profit:,.0f}, {one.missed}" for one in results)]


def draw_rows(found: Cases, logs: list[str]) -> Iterator[Row]:
    for log in logs:
        for day in DAYS:
            row = [f"{log}, {day}"]
            for policy in OTHERS[:2]:
                ratios = [found.profit(policy, "LP", log, day, seed=seed) for seed in SEEDS]
                row.append(f"{min(ratios):.0%} to {max(ratios):.0%}")
            yield row


def scale(found: Cases) -> Iterator[Row]:
    log = next(iter(WORKLOADS))
    for racks, told in SIZES.items():
        both = [found.result(log, "Medium", policy, racks=racks) for policy in ("LP", "SA")]
        row = [f"{racks}, {both[0].submitted} jobs", told]
        for one in both:
            row += [f"{1_000 * one.cpu_s / one.submitted:.1f}", f"{1_000 * one.busiest_s:.0f}"]
        yield [*row, f"{both[1].profit / both[0].profit - 1:+.1%}"]


if __name__ == "__main__":
    main()
