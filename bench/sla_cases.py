"""One policy on one workload under one sun: what came of it, and how long its planning took."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.sla.anneal import AnnealingSchedule

from bench.sla_days import (
    EPOCH_S,
    EPOCHS,
    RACK_SERVERS,
    RACKS,
    SEED,
    Said,
    jobs_of,
    past_jobs_of,
    window_of,
)
from tailc.forms.plan.ledger import MJ_PER_KWH, ledger_of
from tailc.forms.plan.plan import Terms
from tailc.models.datacentre.supply import Supply, Whole
from tailc.models.datacentre.window import JobWindow
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.baselines.smart_green import SmartGreen
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob, rigid_jobs_of
from tailc.models.rigid_jobs.model import PriceAdmission
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rigid_jobs.site import Site
from tailc.pipeline.planners.annealing import Annealing
from tailc.pipeline.planners.bid_prices import bid_prices
from tailc.pipeline.planners.on_arrival import OnArrival
from tailc.traces.jobs.log import JobLog

GREEN_PAY, BROWN_PAY, PENALTY = 72_500, 60_000, 125_000
SERVER_MW, MOVE_MJ = 140_000, 12_600_000
STEPS = 20
# A search among more jobs has more steps.
STEPS_ALL = 40
UDOLLARS = 1_000_000
BEST_DAY = Said()
Found = TypeVar("Found")


@dataclass(frozen=True)
class Case:
    """penalty: for a slot, in millionths of a dollar. size: of the panels, 1 for 75 % of the peak
    of all servers. steps: of a search. seed: of the shares of green energy.
    """

    workload: str
    day: str
    policy: str
    penalty: int = PENALTY
    size: float = 1.0
    racks: int = RACKS
    said: Said = BEST_DAY
    steps: int = STEPS
    seed: int = SEED


@dataclass(frozen=True)
class Result:
    """What came of it.

    submitted, admitted, missed: jobs, the last those whose promise was broken by a slot or more.
    moves: servers' work moved. profit [$], green_kwh: of all days replayed. cpu_s: of this process
    for all planning, prices included; busiest_s: for one answer, at most.
    """

    submitted: int
    admitted: int
    missed: int
    moves: int
    profit: float
    green_kwh: float
    cpu_s: float
    busiest_s: float


def result_of(data: Path, case: Case) -> Result:
    """The same whenever and wherever it is asked for, times aside."""
    _warm_up()
    jobs = jobs_of(data, case.workload, case.racks, case.seed)
    window = window_of(data, jobs, case.day, case.size * case.racks / RACKS, case.said)
    terms = Terms(GREEN_PAY, BROWN_PAY, case.penalty)
    site = Site(case.racks, RACK_SERVERS, SERVER_MW, 0, MOVE_MJ, EPOCH_S, terms)
    begun_s = time.process_time()
    timed = Timed(planner_of(data, case, site, window))
    prepared_s = time.process_time() - begun_s
    found = replay_rigid(site, window.supply, window.expected, rigid_jobs_of(window), timed)
    return Result(
        found.submitted,
        len(found.settled),
        sum(one.is_missed for one in found.settled),
        sum(one.moved for one in found.settled),
        found.profit_udollars / UDOLLARS,
        ledger_of(found.entries).green_used_mj / MJ_PER_KWH,
        prepared_s + sum(timed.taken_s),
        max(timed.taken_s),
    )


def planner_of(data: Path, case: Case, site: Site, window: JobWindow) -> Planner:
    """The policy by its name."""
    simple: dict[str, Callable[[], Planner]] = {
        "FF": FirstFit,
        "SGP": SmartGreen,
        "LP": OnArrival,
        "SA": lambda: Annealing(AnnealingSchedule(steps=case.steps)),
        "SA-All": lambda: Annealing(AnnealingSchedule(steps=case.steps, most_jobs=None)),
    }
    if case.policy in simple:
        return simple[case.policy]()
    past = [submitted(one) for one in past_jobs_of(data, case.workload, case.racks, case.seed)]
    with Solver(Backend.HIGHS) as solver:
        plan = bid_prices(site, window.expected.ahead(0, EPOCHS), past, solver)
    if plan is None:
        raise RuntimeError("the solver gave no prices")
    return PriceAdmission(plan, lambda epoch: epoch % EPOCHS)


def submitted(jobs: JobLog) -> tuple[SubmittedJob, ...]:
    """The jobs as a replay takes them."""
    nothing = Supply(*np.zeros((3, 1), np.int64))
    return rigid_jobs_of(JobWindow(0, jobs, nothing, None))  # type: ignore[arg-type]


class Timed:
    """A planner, and what each of its answers took [s of this process]."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self.taken_s = [0.0]

    def admit(self, view: View, job: SubmittedJob) -> Whole | None:
        """As the planner says."""
        return self._tell(lambda: self._planner.admit(view, job))

    def revise(self, view: View) -> dict[int, Whole]:
        """As the planner says."""
        return self._tell(lambda: self._planner.revise(view))

    def _tell(self, ask: Callable[[], Found]) -> Found:
        begun_s = time.process_time()
        found = ask()
        self.taken_s.append(time.process_time() - begun_s)
        return found


@functools.cache
def _warm_up() -> None:
    """Load the compiled kernels, which takes seconds and is no part of planning."""
    site = Site(2, 2, SERVER_MW, 0, MOVE_MJ, EPOCH_S, Terms(GREEN_PAY, BROWN_PAY, PENALTY))
    sun = Supply(*(np.array(row, np.int64) for row in ([0, 280_000], [105_500] * 2, [0] * 2)))
    jobs = [SubmittedJob(number, 0, 1_800, 1, 500_000) for number in range(3)]
    replay_rigid(site, sun, _Same(sun), jobs, Annealing(AnnealingSchedule(steps=5)))


@dataclass(frozen=True)
class _Same:
    supply: Supply

    def ahead(self, epoch: int, epochs: int) -> Supply:  # noqa: ARG002
        return self.supply
