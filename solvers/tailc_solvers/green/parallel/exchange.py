"""Choose one of the known schedules for each job, by swaps of up to three jobs at once.

    minimise  sum_st w_s p_t (sum_j e_t(k_j) - green_st)^+  +  sum_j r(k_j)
                  + lacking sum_t (sum_j n_t(k_j) - C)^+
    over      k_j, one of the schedules of job j

There are several starts, each sampled with the shares of a mixture of schedules. From each, the
best swap of one job is made until no swap is better; from the best result also swaps of two jobs,
and then of three. Starts are sampled with a seed, so the same schedules have the same answer.
Schedules that are too expensive at the prices of a bound are skipped: no choice with them can be
better.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.green.parallel.kernels_exchange import descend
from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import ParallelProblem
from tailc_solvers.green.parallel.schedules import Column
from tailc_solvers.green.parallel.search import brown_cost_of, energy_of, lacking_of, waiting_of

MOST_FOR_TRIPLES = 300
"""Most schedules for which triples of jobs are exchanged."""

PAIRED, FINALISTS = 10, 2
"""Number of best choices in which pairs of jobs are exchanged, and then triples."""

Vector = NDArray[np.float64]

LEAST_SHARE = 0.02
"""Least weight of each schedule in a draw, where a whole job has weight 1."""


class SchedulePool(NamedTuple):
    """Known schedules of all jobs as arrays, sorted by job.

    Attributes:
        first: number of each job's first schedule; the last entry is K, their number [J + 1].
        span: first epoch of each schedule, and the epoch after its last [K, 2].
        servers, energy_mj: servers and energy of each schedule in each epoch [K, T].
        own: cost of each schedule's run time, and its excess cost over the cheapest schedule of its
            job at the prices of a bound, in billionths [K, 2].
    """

    first: NDArray[np.int64]
    span: NDArray[np.int64]
    servers: Vector
    energy_mj: Vector
    own: Vector


class ExchangeLimits(NamedTuple):
    """Limits of the choice of schedules: servers and green energy, and the cost of exceeding them.

    Attributes:
        bound: lower bound in billionths; every choice costs at least this plus the excess costs of
            its schedules.
        room: number of available servers.
        green_mj: green energy by forecast and epoch [S, T].
        lacking: cost of a missing server in an epoch, in billionths.
        cost: cost of a mJ of brown (grid) energy by forecast and epoch [S, T].
    """

    bound: float
    room: float
    green_mj: Vector
    lacking: float
    cost: Vector


class ExchangeSums(NamedTuple):
    """Working memory of the exchange search: sums over the chosen schedules, and the best exchange.

    An exchange replaces the schedules of up to D jobs. Along the axis of D + 1, entry d is the
    state after d replacements. Along the first axis, entry 0 sums over all jobs, and entry 1 leaves
    out the job whose schedule is replaced next.

    Attributes:
        rest: servers and energy in each epoch [2, D + 1, 2, T].
        cost: cost in each epoch [2, D + 1, T].
        base: total cost including run time, and total excess cost [2, D + 1, 2].
        jobs, new: replaced jobs and their new schedules in the exchange under test [D].
        best_jobs, best_new: the same of the best exchange [D].
    """

    rest: Vector
    cost: Vector
    base: Vector
    jobs: NDArray[np.int64]
    new: NDArray[np.int64]
    best_jobs: NDArray[np.int64]
    best_new: NDArray[np.int64]

    @classmethod
    def zeros(cls, at_once: int, epochs: int) -> ExchangeSums:
        def sums(*shape: int) -> Vector:
            return np.zeros((2, at_once + 1, *shape))

        return cls(sums(2, epochs), sums(epochs), sums(2), *np.full((4, at_once), -1))


class Exchange:
    """Local search for the cheapest choice of one known schedule for each job.

    Args:
        problem: the jobs.
        excess: the known schedules, at least one for each job, with their excess cost over the
            cheapest schedule of their job at the prices of the bound.
        bound: lower bound on the cost of every plan, in billionths.
    """

    def __init__(
        self, problem: ParallelProblem, excess: Mapping[Column, float], bound: float
    ) -> None:
        self._columns = sorted(excess, key=lambda one: (one.job, one.shape, one.start, one.servers))
        job = np.array([column.job for column in self._columns])
        self._first = np.searchsorted(job, np.arange(len(problem.jobs) + 1))
        energy_mj = np.stack([energy_of(problem, column) for column in self._columns])
        servers = np.stack([column.row(problem.epochs) for column in self._columns])
        is_taken = (servers > 0) | (energy_mj > 0)
        here = is_taken.any(axis=0)
        span = _span(is_taken[:, here])
        waiting = [NANO * waiting_of(problem, column) for column in self._columns]
        own = np.stack([waiting, [excess[column] for column in self._columns]], axis=1)
        taken = _real(servers[:, here]), _real(energy_mj[:, here])
        self._pool = SchedulePool(self._first, span, *taken, own)
        green_mj, cost = problem.green_mj[:, here], brown_cost_of(problem)[:, here].copy()
        room, lacking = float(problem.servers), lacking_of(problem)
        self._bounds = ExchangeLimits(float(bound), room, _real(green_mj), lacking, cost)

    def best(self, shares: Mapping[Column, float], starts: int) -> list[Column]:
        """Find the cheapest choice of schedules by local search from several random choices.

        shares: probability of each schedule in a random choice. starts: number of random choices.
        """
        at_once = 3 if len(self._columns) <= MOST_FOR_TRIPLES else 2
        choices = {tuple(chosen): math.inf for chosen in self._draw(shares, starts).tolist()}
        for depth, kept in ((1, starts), (2, PAIRED), (at_once, FINALISTS)):
            least = sorted((cost, chosen) for chosen, cost in choices.items())[:kept]
            choices = dict(self._exchange(chosen, depth) for _, chosen in least)
        _, best = min((cost, chosen) for chosen, cost in choices.items())
        return [self._columns[k] for k in best]

    def _draw(self, shares: Mapping[Column, float], starts: int) -> NDArray[np.int64]:
        """A random schedule of each job for each start, by the shares [N, J]."""
        weights = np.array([shares.get(column, 0.0) + LEAST_SHARE for column in self._columns])
        parts = np.split(weights, self._first[1:-1])
        uniform = np.random.default_rng(0).random((starts, len(parts)))
        below = [np.cumsum(part / part.sum()) for part in parts]
        chosen = [
            np.searchsorted(b / b[-1], u, "right") for b, u in zip(below, uniform.T, strict=True)
        ]
        return self._first[:-1] + np.stack(chosen, axis=1)

    def _exchange(self, start: tuple[int, ...], at_once: int) -> tuple[tuple[int, ...], float]:
        """The result of exchanges of up to `at_once` jobs, and its cost."""
        work = ExchangeSums.zeros(at_once, self._pool.servers.shape[1])
        chosen = np.array(start)
        cost = descend(self._pool, self._bounds, chosen, work)
        return tuple(chosen.tolist()), cost


def _span(is_taken: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The first epoch with servers in each row, and the epoch after its last [K, 2]."""
    after_last = is_taken.shape[1] - np.argmax(is_taken[:, ::-1], axis=1)
    return np.stack([np.argmax(is_taken, axis=1), after_last], axis=1)


def _real(whole: NDArray[np.int64]) -> Vector:
    return np.ascontiguousarray(whole, dtype=np.float64)
