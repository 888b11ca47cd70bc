"""Small clusters: some by hand, some drawn from a seed, and all of their plans one by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np

from tailc.problems.malleable_jobs import ClusterProblem, NamedMalleable
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanSearch, Weights
from tests.reference import cluster_program

HOUR = 3_600
LINEAR = {1: 1_000_000, 2: 2_000_000, 4: 4_000_000}
EXACT = PlanSearch(PlanMethod.COLUMNS, aim_ppm=0)
PPM = 1_000_000
MJ_PER_KWH = 3_600_000_000


def supply(
    green_w: Sequence[int],
    price: int | Sequence[int] = 100_000,
    carbon_mg: int | Sequence[int] = 400_000,
    scenarios_w: Sequence[Sequence[int]] = (),
) -> ExpectedSupply:
    """Green power by hour [W], prices [millionths of a dollar a kWh], CO2 [mg/kWh]."""
    epochs = len(green_w)
    return ExpectedSupply(
        np.array(green_w, np.int64) * 1_000,
        np.array(np.broadcast_to(price, epochs), np.int64),
        np.array(np.broadcast_to(carbon_mg, epochs), np.int64),
        np.array(scenarios_w, np.int64).reshape(-1, epochs) * 1_000,
    )


def job(name="job-1", submit_h=0, hours=1, requested=1, wait=0, curve=None) -> NamedMalleable:
    """A job of so many hours on one server, with four machines for each server it asks for."""
    curve = curve or {n: ppm for n, ppm in LINEAR.items() if requested <= n <= 4 * requested}
    vms = {4 * requested: curve}
    return NamedMalleable(name, submit_h * HOUR, round(hours * HOUR), requested, vms, wait)


def cluster(green_w, jobs, servers=4, **fields) -> ClusterProblem:
    """Servers of 1 kW and hours as epochs; run time counts nothing if it is not said."""
    told = {
        "start_unix_s": 1_591_056_000,
        "epoch_s": HOUR,
        "servers": servers,
        "busy_mw": 1_000_000,
        "asleep_mw": 0,
        "change_mj": 0,
        "supply": green_w if isinstance(green_w, ExpectedSupply) else supply(green_w),
        "slowdown_ppm": PPM,
        "run_cost": 0,
        "jobs": tuple(jobs),
        "expected": (),
        "search": EXACT,
        "weights": Weights(),
    }
    return ClusterProblem(**{**told, **fields})


def random_cluster(seed: int) -> ClusterProblem:
    """Two or three jobs on four servers in four epochs of 100 s, some of which end after them."""
    rng = Random(seed)
    jobs = tuple(_random_job(rng, number) for number in range(rng.choice([2, 2, 3])))
    ways = [[rng.randint(0, 60) for _ in range(4)] for _ in range(rng.choice([0, 2]))]
    return replace(
        cluster(
            supply(
                [rng.randint(0, 60) for _ in range(4)],
                [rng.randint(0, 300_000) for _ in range(4)],
                [rng.randint(0, 900_000) for _ in range(4)],
                ways,
            ),
            jobs,
        ),
        epoch_s=100,
        busy_mw=rng.randint(10, 30) * 1_000,
        asleep_mw=rng.choice([0, 3_000]),
        change_mj=rng.choice([0, 300_000]),
        slowdown_ppm=rng.choice([1_000, 1_100, 1_500, 2_500]) * 1_000,
        run_cost=rng.choice([0, 20_000, 300_000]),
        weights=rng.choice([Weights(), Weights(0, 70_000, 0), Weights(1, 0, 333)]),
    )


SPEEDS = (
    {1: 1_000_000, 2: 1_998_000, 3: 2_995_000, 4: 3_992_000, 8: 7_976_000},
    {1: 1_000_000, 2: 1_533_000, 3: 1_968_000, 4: 2_349_000, 8: 3_601_000},
    {1: 1_000_000, 2: 1_742_000, 3: 2_410_000, 4: 3_035_000, 8: 5_287_000},
)


def quarter_hours(green_w, price, jobs, **fields) -> ClusterProblem:
    """Twelve servers of 30 W, which jobs of some seconds have by the quarter of an hour."""
    told = {"epoch_s": 900, "busy_mw": 30_000, "slowdown_ppm": 1_500_000, **fields}
    return cluster(supply(green_w, price), jobs, servers=12, **told)


def curve_job(number, submit_s, work_s, requested, speed, vms=(2, 4)) -> NamedMalleable:
    """A job whose speed-ups on 1, 2, 4, 8 servers and on those it asks for are of one curve."""
    ladder = {n: ppm for n, ppm in speed.items() if n in (1, 2, 4, 8, requested)}
    curves = {
        v * requested: {n: ppm for n, ppm in ladder.items() if n <= v * requested <= 4 * n}
        for v in vms
    }
    return NamedMalleable(f"job-{number}", submit_s, work_s, requested, curves, 0)


def long_cluster(seed: int) -> ClusterProblem:
    """Three or four jobs of thousands of seconds: a unit of work is a billionth of a job."""
    rng = Random(seed)
    jobs = [
        curve_job(
            number,
            900 * rng.randint(0, 3),
            rng.randint(1_500, 6_500),
            rng.randint(1, 3),
            rng.choice(SPEEDS),
            rng.choice([(2, 4), (4,)]),
        )
        for number in range(rng.randint(3, 4))
    ]
    epochs = 12
    green_w = [rng.choice([0, rng.randint(20, 400)]) for _ in range(epochs)]
    base = rng.randint(50_000, 200_000)
    price = [base * rng.choice([1, 2, 4, 8]) for _ in range(epochs)]
    return quarter_hours(
        green_w,
        price,
        jobs,
        change_mj=rng.choice([0, 600_000, 5_000_000]),
        run_cost=rng.choice([20_000, 100_000, 1_000_000]),
    )


def _random_job(rng: Random, number: int) -> NamedMalleable:
    requested = rng.randint(1, 2)
    speed = {n: round(1_000 * n ** rng.uniform(0.5, 1.0)) * 1_000 for n in (1, 2, 3, 4)}
    curves = {
        vms: {n: speed[n] for n in (1, 2, 3, 4) if n <= vms <= 4 * n}
        for vms in (2 * requested, 4 * requested)
    }
    work_s = round(rng.uniform(0.3, 2.2) * 100 * speed[requested] / PPM)
    start_s, wait = 100 * rng.randint(0, 2), rng.randint(0, 1)
    return NamedMalleable(f"job-{number}", start_s, work_s, requested, curves, wait)


def least_cost(problem: ClusterProblem) -> Fraction | None:
    """The cost of the best of all plans, in micro-units; None where there is none."""
    schedules = [list(cluster_program.schedules(problem, one)) for one in problem.jobs]
    costs = [
        cost_of(problem, plan)
        for plan in itertools.product(*schedules)
        if all(sum(given) <= problem.servers for given in zip(*plan, strict=True))
    ]
    return min(costs, default=None)


def cost_of(problem: ClusterProblem, plan) -> Fraction:
    """Micro-units of servers by job and epoch, from the words of the problem alone."""
    supply, epochs = problem.supply, problem.supply.epochs
    ways = supply.scenarios_mw.tolist() or [supply.green_mw.tolist()]
    total = Fraction(0)
    for epoch, counts in enumerate(zip(*plan, strict=True)):
        asleep = problem.servers - sum(counts) if epoch < epochs else -sum(counts)
        drawn = (sum(counts) * problem.busy_mw + asleep * problem.asleep_mw) * problem.epoch_s
        if epoch:
            before = [row[epoch - 1] for row in plan]
            drawn += problem.change_mj * sum(
                abs(now - then) for now, then in zip(counts, before, strict=True) if now and then
            )
        at = min(epoch, epochs - 1)
        price = int(supply.brown_udollars_per_kwh[at]) * problem.weights.money
        carbon = Fraction(int(supply.brown_mg_per_kwh[at]) * problem.weights.carbon, 1_000)
        for way in ways:
            green = way[epoch] * problem.epoch_s if epoch < epochs else 0
            brown = max(0, drawn - green)
            share = Fraction(brown, MJ_PER_KWH * len(ways))
            total += share * (price + problem.weights.energy + carbon)
    ran = sum(problem.epoch_s for row in plan for count in row if count)
    return total + Fraction(problem.run_cost * ran, HOUR * len(plan))
