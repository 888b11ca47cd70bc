"""One replay of a day of malleable jobs under a policy, and what it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from tailc_solvers.backends.adapters import Backend, Solver
from tailc_solvers.green.parallel.columns import ColumnsSolution
from tailc_solvers.green.parallel.problem import run_cost_of

from bench.parallel_days import (
    CLUSTER,
    PRICE_UDOLLARS,
    Forecast,
    Sun,
    day_of_log,
    jobs_of,
    sun_of,
)
from bench.parallel_jobs import BETA, REFERENCE_MW
from tailc.forms.plan.ledger import MJ_PER_KWH, ledger_of
from tailc.models.malleable_jobs.allocator import Allocator
from tailc.models.malleable_jobs.baselines.constant import ConstantAllocator
from tailc.models.malleable_jobs.baselines.nebulous import NebulousAllocator
from tailc.models.malleable_jobs.baselines.reactive import ReactiveAllocator
from tailc.models.malleable_jobs.engine import replay_malleable
from tailc.models.malleable_jobs.hints import Hint, JobDescription
from tailc.models.malleable_jobs.jobs import MalleableJob
from tailc.models.malleable_jobs.outcome import ClusterOutcome
from tailc.pipeline.allocators.aggressive import Aggressive, true_work_s
from tailc.pipeline.allocators.baselines import AHEAD, ONLINE
from tailc.pipeline.allocators.offline import Offline
from tailc.pipeline.allocators.problem import Aims
from tailc.pipeline.allocators.solving import Solve, column_generation
from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR
from tailc.traces.split_keys import hash_key

HINTS = {
    "EP": Hint.EXCELLENT,
    "LU": Hint.GOOD,
    "SP": Hint.GOOD,
    "FT": Hint.FAIR,
    "MG": Hint.FAIR,
    "CG": Hint.POOR,
    "IS": Hint.POOR,
}
"""Right ones, by how far the speed-ups of `SPEEDUP_SHAPES` go."""


PLANNED = ("Aggressive", "Offline")


@dataclass(frozen=True)
class Case:
    """A day of a log under one policy.

    seed: deals the applications, all being `only` where that is stated. solar: percent of the
    panels. error: each job is expected to run so many percent longer, or shorter, than it does.
    times: copies of each job. is_of_active: run time is the mean over the jobs of each plan, as
    printed, not over those of the day. forecast: of the sun.
    """

    machine: str
    jobs: int
    sun: str
    policy: str
    seed: int = 0
    slowdown_ppm: int = 1_100_000
    solar: int = 100
    only: str | None = None
    error: int = 0
    times: int = 1
    beta: Fraction = BETA
    is_of_active: bool = False
    forecast: Forecast = Forecast.CLOUDS

    @property
    def baseline(self) -> Case:
        """What this one is measured by."""
        return Case(
            self.machine,
            self.jobs,
            self.sun,
            "Baseline",
            self.seed,
            solar=self.solar,
            only=self.only,
            times=self.times,
        )


@dataclass(frozen=True)
class Result:
    """Of all jobs, which are replayed to their end within two days.

    run_h, wait_h: means of time from start to end, and before the start. in_day: jobs done within
    the first day. late, below: jobs that ran for longer than promised, or on fewer servers in the
    mean. gap: of Offline's plan. solve_s: the longest search of Aggressive.
    """

    brown_kwh: float
    green_kwh: float
    vms: int
    run_h: float
    wait_h: float
    in_day: int
    late: int
    below: int
    unfinished: int
    done: int
    gap: float | None = None
    solves: int = 0
    solve_s: float = 0.0


def result_of(data: Path, case: Case) -> Result:
    """What a case comes to; the same for the same case, the time of a search aside."""
    day = day_of_log(data, case.machine, case.jobs)
    dealt = jobs_of(
        day, case.seed, slowdown_ppm=case.slowdown_ppm, only=case.only, times=case.times
    )
    sun = sun_of(data, case.sun, case.forecast).scaled(case.solar)
    return replayed(case, dealt, sun)


def replayed(case: Case, dealt: list[tuple[MalleableJob, str]], sun: Sun) -> Result:
    """Replay jobs, each with its application, under the policy of a case."""
    jobs = [job for job, _ in dealt]
    if case.policy in PLANNED:
        with Solver(Backend.HIGHS) as solver:
            return _planned(case, jobs, sun, solver)
    words = {job.number: JobDescription(name, HINTS[name]) for job, name in dealt}
    blind: dict[str, Allocator] = {
        "Baseline": ConstantAllocator(),
        "Reactive": ReactiveAllocator(),
        "Nebulous": NebulousAllocator(words),
    }
    found = replay_malleable(CLUSTER, sun.supply, sun, jobs, blind[case.policy])
    return _result(found, jobs)


def _planned(case: Case, jobs: list[MalleableJob], sun: Sun, solver: Solver) -> Result:
    run_cost = run_cost_of(case.beta, REFERENCE_MW, PRICE_UDOLLARS)
    aims = Aims(run_cost, mean_over=None if case.is_of_active else len(jobs))
    if case.policy == "Offline":
        offline = Offline(CLUSTER, sun.supply, jobs, column_generation(solver, AHEAD), aims)
        found = replay_malleable(CLUSTER, sun.supply, sun, jobs, offline)
        return replace(_result(found, jobs), gap=offline.found.solution.gap)
    timed = Timed(column_generation(solver, ONLINE))
    aggressive = Aggressive(timed, aims, expected_work_s=_expected(case))
    found = replay_malleable(CLUSTER, sun.supply, sun, jobs, aggressive)
    return replace(_result(found, jobs), solves=len(timed.took_s), solve_s=max(timed.took_s))


def _expected(case: Case) -> Callable[[MalleableJob], int]:
    if not case.error:
        return true_work_s

    def expected_work_s(job: MalleableJob) -> int:
        is_more = hash_key(f"{case.seed} {job.number}") % 2
        return max(job.work_s * (100 + (case.error if is_more else -case.error)) // 100, 1)

    return expected_work_s


@dataclass
class Timed:
    """Times every search of another."""

    solve: Solve
    took_s: list[float] = field(default_factory=list)

    def __call__(self, problem, warm) -> ColumnsSolution:
        begun = time.perf_counter()
        found = self.solve(problem, warm)
        self.took_s.append(time.perf_counter() - begun)
        return found


def _result(found: ClusterOutcome, jobs: list[MalleableJob]) -> Result:
    books = ledger_of(found.entries)
    asked = {job.number: job for job in jobs}
    done = found.done
    below = sum(
        one.server_s * asked[one.number].slowdown_ppm
        < asked[one.number].requested * one.ran_s * 1_000_000
        for one in done
    )
    return Result(
        brown_kwh=books.brown_mj / MJ_PER_KWH,
        green_kwh=books.green_used_mj / MJ_PER_KWH,
        vms=sum(one.vms for one in done),
        run_h=sum(one.ran_s for one in done) / len(done) / SECONDS_PER_HOUR,
        wait_h=sum(one.started_s - one.submit_s for one in done) / len(done) / SECONDS_PER_HOUR,
        in_day=sum(one.ended_s <= SECONDS_PER_DAY for one in done),
        late=sum(one.is_late for one in done),
        below=below,
        unfinished=found.unfinished,
        done=len(done),
    )
