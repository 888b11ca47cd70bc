"""Simulated annealing: remove some jobs from a plan and place them again; keep the best plan.

Each step removes a few random jobs of three sets, and places them again on free servers (`flow`),
in random order:

* unmet: jobs with promised slots that are not green, and refused jobs;
* extra: jobs with more green slots than promised;
* moving: jobs whose servers move more than `moves_a_server` times on average.

A plan that loses `loss` of the value is accepted with probability T / (T + loss), where the
temperature T falls from `warmth` of the start's revenue by `cooling` a step. (Metropolis' exp(-loss
/ T) would let the last digit of a machine's exp decide.) Jobs of the initial plan are never
refused. Only `most_jobs` jobs can be removed; they are selected at random before the first step.

Source: Haque 2016, appendix A.4.4, which gives the sets and the 30 jobs; we chose the temperature,
the steps, the sizes of the subsets and the threshold of moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tailc_solvers.course import SearchProgress
from tailc_solvers.green.sla.check import faults_of, figures_of, load_of
from tailc_solvers.green.sla.flow import place_job
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Placement, Plan
from tailc_solvers.green.sla.solution import PlacementSolution, solution_of_plan


@dataclass(frozen=True)
class AnnealingSchedule:
    """Parameters of the annealing; the same parameters give the same plan on any machine.

    Attributes:
        steps: number of plans tried.
        subset: largest number of jobs removed from each set in a step.
        warmth_ppm: initial temperature, as a share of the start's revenue.
        cooling_ppm: ratio of successive temperatures.
        moves_a_server: moves per server above which a job is `moving`.
        most_jobs: largest number of jobs that can be removed in all steps; None: all.
        seed: of the random choices.
    """

    steps: int = 200
    subset: int = 2
    warmth_ppm: int = 1_000
    cooling_ppm: int = 970_000
    moves_a_server: int = 1
    most_jobs: int | None = 30
    seed: int = 1

    def __post_init__(self) -> None:
        if self.steps < 0 or self.subset < 1:
            raise ValueError("`steps` must not be negative, and `subset` at least 1")
        if not 0 <= self.cooling_ppm <= PPM or self.warmth_ppm < 0:
            raise ValueError(
                "`warmth_ppm` must not be negative, and `cooling_ppm` from 0 to 1,000,000"
            )
        if self.moves_a_server < 0 or (self.most_jobs is not None and self.most_jobs < 0):
            raise ValueError("`moves_a_server` and `most_jobs` must not be negative")


def anneal(
    groups: Groups,
    jobs: Sequence[Job],
    start: Plan,
    schedule: AnnealingSchedule | None = None,
    bound: float = np.inf,
) -> PlacementSolution:
    """Improve the plan `start`; the result is never worse. REFUTED if `start` violates a rule.

    `bound` is an upper bound on every plan's value; inf if unknown.
    """
    begin = solution_of_plan(groups, jobs, start, bound)
    if begin.plan is None or begin.figures is None:
        return begin
    search = _Annealing(groups, jobs, begin.plan, schedule or AnnealingSchedule())
    best = search.best(begin.figures.value, begin.figures.revenue)
    course = tuple(SearchProgress(step, -bound, -value) for step, value in search.values)
    return replace(solution_of_plan(groups, jobs, best, bound), course=course)


@dataclass(frozen=True, eq=False)
class _Annealing:
    groups: Groups
    jobs: Sequence[Job]
    start: Plan
    schedule: AnnealingSchedule
    rng: np.random.Generator = field(init=False)
    movable: frozenset[int] = field(init=False)
    values: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rng = np.random.Generator(np.random.PCG64(self.schedule.seed))
        most = self.schedule.most_jobs
        order = rng.permutation(len(self.jobs)).tolist()
        object.__setattr__(self, "rng", rng)
        object.__setattr__(self, "movable", frozenset(order[:most]))

    def best(self, value: int, revenue: int) -> Plan:
        """The best plan of all steps; `values` records each improvement."""
        now, best, best_value = self.start, self.start, value
        heat = revenue * self.schedule.warmth_ppm / PPM
        self.values.append((0, value))
        for step in range(self.schedule.steps):
            found = self._next(now)
            chance = float(self.rng.random())
            if found is not None:
                loss = value - figures_of(self.groups, self.jobs, found).value
                if loss <= 0 or chance * (heat + loss) < heat:
                    now, value = found, value - loss
                if value > best_value:
                    best, best_value = now, value
                    self.values.append((step + 1, value))
            heat *= self.schedule.cooling_ppm / PPM
        return best

    def _next(self, plan: Plan) -> Plan | None:
        """The plan with a few jobs placed again; None if none is chosen or one finds no room."""
        chosen = self._choose_jobs(plan)
        if not chosen:
            return None
        found: list[Placement | None] = [None if k in chosen else p for k, p in enumerate(plan)]
        groups = self.groups.with_load(*load_of(self.groups, self.jobs, tuple(found)))
        for at in chosen:
            again = place_job(groups, self.jobs[at])
            if again.plan is None or (again.plan[0] is None and self.start[at] is not None):
                return None
            found[at] = again.plan[0]
            groups = groups.with_load(*load_of(groups, [self.jobs[at]], again.plan))
        # Energy that one job leaves and another takes has been counted for each alone so far.
        return None if faults_of(self.groups, self.jobs, tuple(found)) else tuple(found)

    def _choose_jobs(self, plan: Plan) -> list[int]:
        """Jobs to place again, in order."""
        chosen: set[int] = set()
        for candidates in self._sets(plan):
            left = sorted(set(candidates) - chosen)
            count = min(len(left), int(self.rng.integers(1, self.schedule.subset + 1)))
            if count:
                chosen.update(self.rng.choice(left, count, replace=False).tolist())
        return self.rng.permutation(sorted(chosen)).tolist()

    def _sets(self, plan: Plan) -> tuple[list[int], list[int], list[int]]:
        """The sets unmet, extra and moving."""
        unmet, extra, moving = [], [], []
        for at in sorted(self.movable):
            job, one = self.jobs[at], plan[at]
            if one is None:
                unmet.append(at)
                continue
            green = int(one.servers[self.groups.is_green[:, one.epoch_slice]].sum())
            if green < job.green_slots:
                unmet.append(at)
            if green > job.green_slots:
                extra.append(at)
            if int(one.moves(job.placed).sum()) > self.schedule.moves_a_server * job.width:
                moving.append(at)
        return unmet, extra, moving
