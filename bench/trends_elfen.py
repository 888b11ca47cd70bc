"""The published figures of elfen beside ours, on a workload fitted to what was published.

    python -m bench.trends_elfen

Every figure of ours is a mean over repetitions with a 95 % interval of that mean, all policies on
the same requests at the same times. docs/published-results.md says why ours differ.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tailc
from bench.lanes_study import BUDGETED, LanesStudy, Run, idle_share
from bench.study import Figure
from bench.timing import show
from tailc.forms.ladder.lanes import Lanes, SharingPlan
from tailc.pipeline.borrowing import solve_for_budgets
from tailc.problems.borrowing import Borrowing, BorrowingProblem, BorrowingSolution, Calibration
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile, Measure
from tailc.traces.trace import read_trace

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "elfen"
TARGET_MS = 100.0
RATES = (20, 40, 60, 80, 100)
CORES = 7
# The client of section 4: 1,141 requests, five times.
INVOCATION = 5 * 1_141
CALIBRATION = Calibration(alone_mrps=100_000, shared_mrps=40_000)

Row = list[str]
# The plan of each policy at each rate.
Policies = dict[str, dict[int, SharingPlan]]


def main() -> None:
    profile = demand()
    calibrated = search_plan(profile, Borrowing.IDLE, (100,))
    one = LanesStudy(profile, calibrated.lanes)
    many = LanesStudy(profile, dataclasses.replace(calibrated.lanes, cores=CORES))
    rates = [f"{rate}/s" for rate in RATES]
    sigma = one.lanes.interference_ppm
    best = {rate: search_plan(profile, Borrowing.OPTIMISED, (rate,), sigma) for rate in RATES}
    policies = dict(_policies(one, best))
    show(["published", "value", "ours"], published(one, many, policies))
    show(["p99 on one core, ms", *rates], _table(one, policies, p99, 1))
    show(["busy lanes, of 2", *rates], _table(one, policies, lambda run: run.busy, 3))
    batch = [*_table(one, policies, lambda run: 100 * run.batch, 2), _bound(best)]
    show(["batch work, %", *rates], batch)
    show(["exponential, load 0.2, 90 % slower", "budget, ms", "p99, ms"], misses())


def p99(run: Run) -> float:
    return run.p99_ms


def demand() -> DemandProfile:
    """All requests of the example."""
    policy = tailc.compile_policy(str(EXAMPLE / "service.yaml")).policy
    return read_trace(str(EXAMPLE / "demand.parquet"), policy.reading).profile


def search_plan(
    profile: DemandProfile,
    borrowing: Borrowing,
    rates: tuple[int, ...],
    interference: int | Calibration = CALIBRATION,
) -> BorrowingSolution:
    problem = BorrowingProblem(
        profile=profile,
        cores=1,
        interference=interference,
        batch_slowdown_ppm=None,
        borrowing=borrowing,
        budget_us=None,
        is_by_load=False,
        keeps_last=True,
        charges_harm=borrowing is Borrowing.DYNAMIC,
        release_us=2,
        percentile_ppm=990_000,
        target_us=round(1_000 * TARGET_MS),
        rates_mrps=tuple(1_000 * rate for rate in rates),
    )
    return solve_for_budgets(problem, thread_count(None))


def published(one: LanesStudy, many: LanesStudy, policies: Policies) -> Iterator[Row]:
    sigma = one.lanes.interference_ppm / 10_000
    yield ["p99 alone at 100/s, ms", "76", one.figure(p99, one.alone, 100).text()]
    shared = one.figure(p99, one.shared, 40).text()
    yield ["p99 always shared at 40/s, ms", "76", f"{shared}, at {sigma:.1f} % slower"]
    busy = one.figure(lambda run: 100 * run.requests_busy, one.alone, 120)
    yield ["lane of requests at 120/s, %", "70", busy.text()]
    for rate in (100, 120, 140):
        yield [f"p99 alone at {rate}/s, ms", "a wall above 120/s", _tail_text(one, one.alone, rate)]
    for rate in (100, 120):
        yield [f"idle time of periods up to 15 ms at {rate}/s, %", "53", _idle(one, rate, 0, 15)]
        yield [f"the same of 14 to 15 ms at {rate}/s, %", "2.3", _idle(one, rate, 14, 15)]
    yield from _borrow_idle(one)
    yield ["p99 alone at 70/s, ms", "60", _tail_text(one, one.alone, 70)]
    yield [f"p99 alone on {CORES} cores at 1000/s, ms", "60", _tail_text(many, many.alone, 1_000)]
    yield from _most_busy(one, policies)
    yield from _many_cores(many)
    short = LanesStudy(one.profile, one.lanes, INVOCATION)
    width = short.figure(lambda run: run.requests_busy, short.alone, 100)
    yield ["half-width of the interval over 20 invocations", "below 0.02", f"{width.half:.4f}"]


def _borrow_idle(one: LanesStudy) -> Iterator[Row]:
    for rate, gain in ((20, "90"), (120, "25")):
        more = Figure.build(
            [100 * (r.busy - r.requests_busy) for r in one.runs_at(one.alone, rate)]
        )
        title = f"borrow-idle: gain in lane utilisation (points) at {rate}/s"
        yield [title, gain, more.text()]
    slower = Figure.build([1 / run.batch for run in one.runs_at(one.alone, 80)])
    title = "borrow-idle: time of batch work at 80/s, over that alone"
    yield [title, "1.49, mean of ten programs", slower.text(2)]
    idle = one.budgeted(Borrowing.FIXED, 2)
    for rate in (20, 100):
        more = one.more(p99, idle, one.alone, rate)
        yield [f"borrow-idle: increase of p99 at {rate}/s, ms", "about 0", more.text(3)]


def _most_busy(one: LanesStudy, policies: Policies) -> Iterator[Row]:
    for name, least in (("fixed", "1.4"), ("dynamic", "1.5")):
        at = policies[name].items()
        most = max((one.figure(lambda r: r.busy, plan, rate) for rate, plan in at), key=_mean)
        title = f"{name}: most busy lanes at {RATES[0]} to {RATES[-1]}/s"
        yield [title, f"above {least}, at moderate loads", most.text(3)]


def _mean(figure: Figure) -> float:
    return figure.mean


def _many_cores(many: LanesStudy) -> Iterator[Row]:
    for rate in (300, 600, 900):
        plan = many.budgeted(Borrowing.DYNAMIC, many.headroom_us(rate, TARGET_MS))
        more, busy = (
            many.more(p99, plan, many.alone, rate),
            many.figure(lambda r: r.busy, plan, rate),
        )
        published = "20, at most" if rate == 600 else ""
        yield [f"dynamic on {CORES} cores: increase of p99 at {rate}/s, ms", published, more.text()]
        published = "1.75, the peak" if rate == 600 else ""
        yield [f"dynamic on {CORES} cores: busy lanes at {rate}/s", published, busy.text(3)]


def _tail_text(study: LanesStudy, plan: SharingPlan, rate: int) -> str:
    return study.figure(p99, plan, rate).text()


def _idle(study: LanesStudy, rate: int, low_ms: float, high_ms: float) -> str:
    shares = [
        100 * idle_share(r.idle_ns, low_ms, high_ms) for r in study.runs_at(study.alone, rate)
    ]
    return Figure.build(shares).text()


def _policies(
    one: LanesStudy, best: dict[int, BorrowingSolution]
) -> Iterator[tuple[str, dict[int, SharingPlan]]]:
    """Every policy with its plan at each rate: budgets are those of the rate."""
    yield "borrow-idle", dict.fromkeys(RATES, one.alone)
    for borrowing in BUDGETED:
        yield (
            borrowing.value,
            {rate: one.budgeted(borrowing, one.headroom_us(rate, TARGET_MS)) for rate in RATES},
        )
    yield "optimised", {rate: solution.plan for rate, solution in best.items()}
    yield "always-shared", dict.fromkeys(RATES, one.shared)


def _table(one: LanesStudy, policies: Policies, of, digits: int) -> Iterator[Row]:
    for name, plans in policies.items():
        yield [name, *(one.figure(of, plans[rate], rate).text(digits) for rate in RATES)]


def _bound(best: dict[int, BorrowingSolution]) -> Row:
    """The most that any policy leaves which meets the target in the replays of the compile."""
    most_ppm = [solution.points[0].most_ppm for solution in best.values()]
    told = ["unknown" if ppm is None else f"{ppm / 10_000:.2f}" for ppm in most_ppm]
    return ["any that meets 100 ms, at most", *told]


def misses() -> Iterator[Row]:
    """Delays that add up over hand-overs: requests of exponential demand, an SLO of 50 ms."""
    count, mean_ms, target_ms = 10_000, 6.0, 50.0
    demand_ms = -mean_ms * np.log(1 - (np.arange(count) + 0.5) / count)
    parts = np.ones(count, np.int64), np.ones((1, 1)), np.zeros(count, np.int32), ()
    profile = DemandProfile(demand_ms, *parts, Measure.DEMAND_BUSY, "a core")
    study = LanesStudy(profile, Lanes(1, 900_000, 0))
    rate = 200 / mean_ms
    budget_us = study.headroom_us(rate, target_ms)
    yield ["alone", "", study.figure(p99, study.alone, rate).text()]
    for borrowing in BUDGETED:
        plan = study.budgeted(borrowing, budget_us)
        tail = study.figure(p99, plan, rate).text()
        yield [borrowing.value, f"{budget_us / 1_000:.1f}", tail]


if __name__ == "__main__":
    main()
