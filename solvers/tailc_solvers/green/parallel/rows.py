"""The rows of the master program, most of which are added only when a point violates them.

With blocks of q = 1, 2, 4, .. servers, a schedule has floor(n_kt / q) whole blocks:

    sum_k floor(n_kt / q) l_k <= floor(C / q)                               each epoch
    sum_k e_kt l_k - b_st <= green_st                                       each epoch and forecast
    g_qst (sum_k floor(n_kt / q) l_k - f_qst) <= b_st                       likewise

The first is valid because the number of blocks on C servers is an integer, and the last because
blocks are whole: if a busy server uses at least e_t, the green energy is enough for f_qst blocks,
and one more block exceeds it by g_qst. It is the envelope of the brown energy over whole blocks
(mixed-integer rounding: Nemhauser, Wolsey, Mathematical Programming 46, 1990). Without these rows,
mixed counts use all servers and all green energy. Rows with q > 1 are added once a point violates
them; epochs in which all jobs together cannot need too much have none.

A program has slightly more servers and energy than the problem, by another amount in each row. If
jobs use all servers, many multipliers are optimal: from the saving of one more server to the cost
of one less. With the added amounts, the multipliers of the program are unique: the saving of more
servers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import Basis, LinearProgram
from tailc_solvers.green.parallel.problem import (
    MJ_PER_KWH,
    MS_PER_S,
    PPM,
    ParallelJob,
    ParallelProblem,
    Whole,
)

Vector = NDArray[np.float64]

BROKEN = 1e-4
"""Violation [blocks] above which a row is added to the program."""

MORE = 1e-6
"""Slack [blocks] that is added to rows: negligible, and different for each row."""

GOLDEN = (math.sqrt(5) - 1) / 2
"""Golden ratio: the fractions of its multiples are all different."""

Allowed = NDArray[np.bool_]
"""Which schedules may be mixed [K]."""


class Entries(NamedTuple):
    """Coefficients of schedules in the rows of the program, ordered by variable and then by row."""

    row: Whole
    column: Whole
    value: Vector

    @classmethod
    def join(cls, parts: Sequence[Entries]) -> Entries:
        """Concatenate the entries of several sparse matrices."""
        none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0)
        return cls(*(np.concatenate(each) for each in zip(none, *parts, strict=True)))


class MasterRows:
    """The constraints of the master linear program, and which of them are in it.

    Constraints are in this order: jobs [J], servers, energy, and the envelope of energy over
    servers. Q counts blocks of servers, S forecasts, T epochs.

    Attributes:
        blocks: number of servers in each block, q [Q].
        room: number of blocks that fit on all servers, floor(C / q) [Q].
        fed: number of blocks that green energy feeds, f [Q, S, T].
        lack_mj: brown energy of one block more than `fed`, g; 0 if servers need no energy [Q, S,
            T].
        there: which of all possible rows are in the program.
        with_room, with_energy, with_envelope: which rows of servers [Q, T], of energy [S, T] and of
            the envelope [Q, S, T] are in the program.
        brown_cost: micro-units for each kWh of brown energy [S, T].
        unit_mj: unit of energy in programs: the energy of all servers in the longest epoch, so that
            coefficients are of similar size.
    """

    def __init__(self, problem: ParallelProblem) -> None:
        self.problem = problem
        largest = max(int(shape.servers[-1]) for job in problem.jobs for shape in job.shapes)
        self.blocks = 1 << np.arange(largest.bit_length(), dtype=np.int64)
        self.room = problem.servers // self.blocks
        count = np.arange(1, problem.servers + 1)
        least_mw = int((problem.power_mw[1:] // count).min())
        each = self.blocks[:, None, None] * (least_mw * problem.length_s)
        self.fed = problem.green_mj // np.maximum(each, 1)
        self.lack_mj = np.maximum((self.fed + 1) * each - problem.green_mj, 0)
        self.brown_cost = problem.weight_ppm[:, None] / PPM * problem.brown_cost
        self.unit_mj = float(max(int(problem.power_mw.max() * problem.length_s.max()), 1))
        self._lay_out()
        self._own = self._own_entries()
        servers, energy_mj = _most_wanted(problem)
        self.with_room[0] = servers > problem.servers
        self.with_energy[:] = energy_mj > problem.green_mj
        self.with_envelope[0] = self.with_energy
        all_brown = np.broadcast_to(energy_mj / self.unit_mj, problem.green_mj.shape)
        self._most_brown: Vector = all_brown.ravel()

    def _lay_out(self) -> None:
        """Number all possible rows, and set their upper limits."""
        (S, T), J, Q = self.problem.green_mj.shape, len(self.problem.jobs), self.blocks.size
        self._first = np.cumsum([J, Q * T, S * T, Q * S * T])
        self.there = np.arange(self._first[-1]) < J
        _, room, energy, envelope = np.split(self.there, self._first[:-1])
        self.with_room, self.with_energy = room.reshape(Q, T), energy.reshape(S, T)
        self.with_envelope = envelope.reshape(Q, S, T)
        self._slope = self.lack_mj / self.unit_mj
        more = MORE * (1 + GOLDEN * np.arange(Q * T) % 1)
        room_most = self.room[:, None] + more.reshape(Q, T)
        green = self.problem.green_mj / self.unit_mj
        most = (np.ones(J), room_most, green, self._slope * self.fed)
        self._most: Vector = np.concatenate([part.ravel() for part in most]).astype(np.float64)

    @property
    def fixed(self) -> int:
        """Number of variables of the master linear program that precede those of the schedules."""
        return self.problem.green_mj.size + len(self.problem.jobs)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Number of rows of each kind: jobs, servers, energy, envelope."""
        kinds = (self.with_room, self.with_energy, self.with_envelope)
        room, energy, envelope = (int(kind.sum()) for kind in kinds)
        return len(self.problem.jobs), room, energy, envelope

    def most_brown(self, variables: int) -> Vector:
        """Upper limit of each variable: the largest useful brown energy, else infinite [n]."""
        most = np.full(variables, np.inf)
        most[: self._most_brown.size] = self._most_brown
        return most

    def used_blocks(self, servers: Whole, shares: Vector) -> Vector:
        """Number of blocks of servers that a fractional plan uses, by block size and epoch [Q, T].

        servers: number of servers of each schedule [K, T]. shares: share of each schedule.
        """
        return np.stack([shares @ (servers >> bits) for bits in range(self.blocks.size)])

    def take_up(self, used: Vector, brown: Vector) -> int:
        """Add the constraints that servers in use [Q, T] and brown energy [S, T] violate.

        `used` counts whole blocks of 1, 2, 4, ... servers in each of T epochs; `brown` is in
        `unit_mj` for each of S forecasts. Returns the number of added constraints.
        """
        over = used - self.room[:, None] > BROKEN
        short = self._slope * (used[:, None, :] - self.fed - BROKEN) > brown
        before = int(self.there.sum())
        self.with_room |= over
        self.with_envelope |= short & self.with_energy
        return int(self.there.sum()) - before

    def entries(self, number: int, job: Whole, servers: Whole, energy_mj: Whole) -> Entries:
        """Coefficients of new schedules in the linear program.

        number: number of the first schedule. job: job of each [K]. servers, energy_mj: use of each
        schedule in each epoch [K, T].
        """
        K, S = job.size, self.problem.green_mj.shape[0]
        taken = servers[:, None] // self.blocks[:, None]
        energy = np.repeat(energy_mj[:, None] / self.unit_mj, S, axis=1)
        envelope = self._slope * taken[:, :, None]
        is_of = np.arange(len(self.problem.jobs)) == job[:, None]
        parts = (is_of, taken, energy, envelope)
        value = np.concatenate([part.reshape(K, -1) for part in parts], axis=1, dtype=np.float64)
        column, row = np.nonzero(value)
        return Entries(row, self.fixed + number + column, value[column, row])

    def program(
        self,
        schedules: Entries,
        waiting: Vector,
        penalty: float,
        *,
        allowed: Allowed,
        unit: float,
        start: Basis | None,
    ) -> LinearProgram:
        """The linear program of the given schedules; a job without a schedule costs `penalty`.

        Its variables are brown energy in `unit_mj` [S T], then the missing part of each job [J],
        then the schedules, fixed to 0 if not allowed. Its costs are in units of `unit` micro-units.
        """
        J, there = len(self.problem.jobs), self.there
        row, column, value = Entries.join([self._own, schedules])
        is_kept = there[row]
        lower = np.where(np.arange(there.size) < J, 1.0, -np.inf)
        brown = self.brown_cost.ravel() * (self.unit_mj / MJ_PER_KWH)
        cost = np.concatenate([brown, np.full(J, penalty), waiting])
        upper = np.where(np.arange(self.fixed) < brown.size, np.inf, 1.0)
        return LinearProgram(
            cost=cost / unit,
            lower=np.zeros(cost.size),
            upper=np.concatenate([upper, allowed.astype(np.float64)]),
            integer=np.zeros(cost.size, dtype=np.bool_),
            row=(np.cumsum(there) - 1)[row[is_kept]],
            column=column[is_kept],
            value=value[is_kept],
            row_lower=lower[there],
            row_upper=self._most[there],
            start=start,
        )

    def _own_entries(self) -> Entries:
        """Entries of brown energy, in its own row and in its envelopes, and of lacks."""
        size, J, Q = self.brown_cost.size, len(self.problem.jobs), self.blocks.size
        _, _, energy, envelope = np.split(np.arange(self.there.size), self._first[:-1])
        brown = np.concatenate([energy, envelope]).reshape(1 + Q, size).T.ravel()
        return Entries(
            row=np.concatenate([brown, np.arange(J)]),
            column=np.concatenate([np.repeat(np.arange(size), 1 + Q), size + np.arange(J)]),
            value=np.where(np.arange(brown.size + J) < brown.size, -1.0, 1.0),
        )


def _most_wanted(problem: ParallelProblem) -> tuple[Whole, Whole]:
    """Largest demand of all jobs together for servers and energy in each epoch [T], [T]."""
    servers, energy_mj = np.zeros((2, problem.epochs), dtype=np.int64)
    for job in problem.jobs:
        most = max(int(shape.servers[-1]) for shape in job.shapes)
        ever = max(most, job.present) + 1
        runs, moves = _reach(problem, job), int(problem.moves_mj[:ever, :ever].max())
        servers[runs] += most
        busy_mw = int(problem.power_mw[: most + 1].max())
        energy_mj[runs] += busy_mw * problem.length_s[runs] + moves
        # A job's move to none counts in the epoch after its last.
        energy_mj[runs.stop : runs.stop + 1] += moves
    return servers, energy_mj


def _reach(problem: ParallelProblem, job: ParallelJob) -> slice:
    """The epochs in which a job may run."""
    begin = MS_PER_S * (problem.begin_s[:-1] - problem.begin_s[job.latest])
    return slice(job.earliest, int(np.searchsorted(begin, job.deadline_ms)))
