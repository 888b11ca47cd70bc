"""Which jobs to admit, and an upper bound, by Benders cuts; moves are assumed to be free.

The multipliers of the horizon's program bound the value of every plan by a sum over jobs: with one
set i of them, no plan that starts job j in epoch k where s_jk = 1 is worth more than

    c_i + sum_jk d_ijk s_jk                      d: less the reduced costs of the starts

for any multipliers. So the best of the admissions that fit,

    maximise    min over i of (c_i + sum_jk d_ijk s_jk)
    subject to  sum_k s_jk <= 1 (= 1 where a job must run),   sum_jk V_j s_jk <= room_t while k runs

bounds every plan. The program with the starts of that admission fixed gives the next multipliers,
and so on until an admission attains the bound. c and d are whole micro-dollars, rounded up.
Admissions are examined from the highest bound down. If the search is cut short, the highest bound
of those not examined is valid.

Source: Benders, Numerische Mathematik 4 (1962).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tailc_solvers.backends.adapters import Solver
from tailc_solvers.backends.check import AnswerTrust, optimum, proved_bound, reduced_costs
from tailc_solvers.backends.linear import BackendLimits, LinearProgram, SolverOutcome, Vector
from tailc_solvers.green.sla.horizon import HorizonProgram, fed_servers
from tailc_solvers.green.sla.problem import PPM, Groups, Job, Whole, check_jobs

TURNED_AWAY = -1
"""Value in a `Choice` of a job that is refused."""

ENOUGH_PPM = 10
"""Gap to the bound at which the search for an admission ends [1e-6 of the bound]."""

WHOLE = 1e-6
"""Distance from an integer within which a share of a start counts as that integer."""

SENSIBLE = 1e15
"""Largest value of a job [1e-6 dollars] with which multipliers are accepted."""

Choice = tuple[int, ...]
"""Number of the chosen start of each of the first jobs, or TURNED_AWAY."""


@dataclass(frozen=True)
class AdmissionEffort:
    """Limits of the search for the best admission.

    programs: number of linear programs to solve. looked_at: number of candidate admissions to
    examine after each linear program.
    """

    programs: int = 12
    looked_at: int = 20_000


@dataclass(frozen=True, eq=False)
class ProvedAdmission:
    """The best set of jobs to admit that was found, assuming that moves of servers cost nothing.

    Attributes:
        outcome: status of the solver for the last program.
        trust: whether its answer is proved; REFUTED if the multipliers do not prove its optimum.
        admitted: whether each job is admitted; None without an answer.
        bound: upper bound on the value of every plan, or inf [micro-dollars].
        message: a sentence on a failure of the solver.
    """

    outcome: SolverOutcome
    trust: AnswerTrust
    admitted: tuple[bool, ...] | None
    bound: float
    message: str = ""


def prove_admission(
    groups: Groups,
    jobs: Sequence[Job],
    solver: Solver,
    limits: BackendLimits | None = None,
    effort: AdmissionEffort | None = None,
) -> ProvedAdmission:
    """Find the best set of jobs to admit by Benders cuts, and bound the value of every plan.

    If the solver fails, the result has the best bound until then.
    """
    check_jobs(jobs, groups.groups, groups.epochs)
    effort, cuts = effort or AdmissionEffort(), _Cuts.build(groups, jobs)
    choice, best, worth, bound, outcome = None, None, -math.inf, math.inf, SolverOutcome.LIMIT
    trust, message = AnswerTrust.CLAIMED, ""
    for _ in range(effort.programs):
        program = cuts.fix_starts(choice)
        answer = solver.answer(program, limits)
        found = optimum(program, answer)
        outcome, trust, message = answer.outcome, found.trust, found.reason(answer)
        if (
            answer.duals is None
            or trust is not AnswerTrust.PROVED
            or not cuts.add(answer.duals.rows)
        ):
            break
        tried = cuts.choice_of(answer.point.x if answer.point else None)
        if tried is not None and cuts.most(tried) > worth:
            best, worth = tried, cuts.most(tried)
        choice, most = cuts.best(effort.looked_at)
        bound = min(bound, most)
        if choice is None or bound - worth <= ENOUGH_PPM * abs(bound) / PPM:
            break
    best = choice if best is None else best
    admitted = None if best is None else tuple(start != TURNED_AWAY for start in best)
    return ProvedAdmission(outcome, trust, admitted, bound, message)


@dataclass(frozen=True, eq=False)
class _Cuts:
    """The cuts so far, in integer micro-dollars.

    Attributes:
        room: servers for all jobs together [epochs].
        program: of the horizon, relaxed; starts: indices of each job's starts.
        constant: c, for each cut. worth: d, by job [starts], for each cut.
    """

    room: Whole
    jobs: Sequence[Job]
    program: LinearProgram
    starts: Sequence[Whole]
    constant: list[int] = field(default_factory=list)
    worth: list[list[Whole]] = field(default_factory=list)

    @classmethod
    def build(cls, groups: Groups, jobs: Sequence[Job]) -> _Cuts:
        model = HorizonProgram.build(groups, jobs)
        return cls(room_of(groups), jobs, model.assembly.program(relaxed=True), model.starts)

    def fix_starts(self, choice: Choice | None) -> LinearProgram:
        """The program with the starts of a choice fixed; None: not fixed."""
        if choice is None:
            return self.program
        return self._with_starts(
            [np.arange(at.size) == start for at, start in zip(self.starts, choice, strict=True)]
        )

    def choice_of(self, x: Vector | None) -> Choice | None:
        """The choice of a point with integer starts; None if they are not integers."""
        if x is None or x.shape != self.program.cost.shape:
            return None
        parts = [x[at] for at in self.starts]
        if any(np.abs(part - np.rint(part)).max() > WHOLE for part in parts):
            return None
        return tuple(int(part.argmax()) if part.max() > WHOLE else TURNED_AWAY for part in parts)

    def add(self, dual: Vector) -> bool:
        """Add the cut of some multipliers; return whether they prove anything useful."""
        none = [np.zeros(at.size) for at in self.starts]
        idle = -proved_bound(self._with_starts(none), dual)
        reduced = reduced_costs(self.program, dual)
        if not max(abs(idle), np.abs(reduced).max()) < SENSIBLE:
            return False
        self.constant.append(math.floor(idle) + 1)
        self.worth.append([np.floor(-reduced[at]).astype(np.int64) + 1 for at in self.starts])
        return True

    def most(self, choice: Choice) -> int:
        """Upper bound on the value of a choice."""
        return int(self._partly(choice).min())

    def best(self, looked_at: int) -> tuple[Choice | None, float]:
        """The choice with the greatest possible value, and that value.

        None if the search was cut short; None with minus infinity if no choice fits.
        """
        rest, count = self._rest(), 0
        heap: list[tuple[int, Choice]] = [(-int((self._partly(()) + rest[0]).min()), ())]
        while heap:
            most, choice = heapq.heappop(heap)
            count += 1
            if len(choice) == len(self.jobs) or count > looked_at:
                return (choice if len(choice) == len(self.jobs) else None), float(-most)
            for start in self._options(choice):
                longer = (*choice, start)
                most = int((self._partly(longer) + rest[len(longer)]).min())
                heapq.heappush(heap, (-most, longer))
        return None, -math.inf

    def _with_starts(self, values: Sequence[Vector]) -> LinearProgram:
        lower, upper = self.program.lower.copy(), self.program.upper.copy()
        for at, value in zip(self.starts, values, strict=True):
            lower[at] = upper[at] = value
        return replace(self.program, lower=lower, upper=upper)

    def _partly(self, choice: Choice) -> Whole:
        """Value of the first jobs with a choice, by each cut [cuts]."""
        return np.array(
            [
                constant + sum(int(d[start]) for d, start in zip(worth, choice) if start >= 0)  # noqa: B905
                for constant, worth in zip(self.constant, self.worth, strict=True)
            ]
        )

    def _rest(self) -> list[Whole]:
        """Largest additional value of the jobs from one on, by each cut [jobs + 1] of [cuts]."""
        rest = [np.zeros(len(self.constant), dtype=np.int64)]
        for at in range(len(self.jobs) - 1, -1, -1):
            best = np.array([int(worth[at].max()) for worth in self.worth])
            rest.append(rest[-1] + (best if self.jobs[at].must_run else np.maximum(best, 0)))
        return rest[::-1]

    def _options(self, choice: Choice) -> list[int]:
        """Feasible starts of the next job, and refusing it if that is allowed."""
        job, used = self.jobs[len(choice)], np.zeros_like(self.room)
        for one, start in zip(self.jobs, choice):  # noqa: B905
            if start != TURNED_AWAY:
                used[_epochs(one, start)] += one.width
        left = self.room - used
        fits = [k for k in range(job.starts.size) if (left[_epochs(job, k)] >= job.width).all()]
        return fits if job.must_run else [*fits, TURNED_AWAY]


def room_of(groups: Groups) -> Whole:
    """Number of servers that jobs can use in each epoch [epochs].

    These are all free servers of groups on the brown bus, and of groups on the green bus as many as
    green energy feeds.
    """
    green = np.where(groups.is_green, groups.free, 0).sum(axis=0)
    return groups.free.sum(axis=0) - green + np.minimum(green, fed_servers(groups))


def _epochs(job: Job, start: int) -> slice:
    first = int(job.starts[start])
    return slice(first, first + job.epochs)
