"""The rows of the master program, and those among many that are worth having.

With blocks of q = 1, 2, 4, .. servers, a block of a schedule being a whole one, floor(n_kt / q):

    sum_k floor(n_kt / q) l_k <= floor(C / q)                               each epoch
    sum_k e_kt l_k - b_st <= green_st                                       each epoch and forecast
    g_qst (sum_k floor(n_kt / q) l_k - f_qst) <= b_st                       likewise

The first holds because all blocks fit in whole numbers on C servers, and the last because blocks
are whole: where a busy server takes e_t at least, f_qst of them fit under the green energy and one
more takes g_qst too much. It is the envelope of the brown energy over whole blocks (mixed-integer
rounding: Nemhauser, Wolsey, Mathematical Programming 46, 1990). Without these rows mixed counts
fill servers and green energy to the brim. Rows of q > 1 are taken up once a point breaks them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.backends.linear import LinearProgram
from tailc_solvers.green.parallel.problem import (
    MJ_PER_WH,
    PPM,
    WH_PER_KWH,
    ParallelProblem,
    Whole,
)
from tailc_solvers.green.parallel.schedules import Column
from tailc_solvers.green.parallel.search import waiting_of

Vector = NDArray[np.float64]

BROKEN = 1e-4
"""Blocks by which a point breaks a row that is taken up."""


class Rows:
    """The rows of a problem, in order: jobs [J], servers, energy [S T] and its envelope.

    Attributes:
        blocks: q [Q].
        room: floor(C / q) [Q].
        fed: f [Q, S, T].
        lack_mj: g; 0 where servers need no energy [Q, S, T].
        with_room, with_envelope: rows that are there [Q, T] and [Q, S, T].
        brown_cost: micro-units for each Wh [S, T].
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
        self.brown_cost = problem.weight_ppm[:, None] / PPM * problem.brown_cost / WH_PER_KWH
        self.with_room = np.zeros((self.blocks.size, problem.epochs), dtype=np.bool_)
        self.with_envelope = np.zeros(self.fed.shape, dtype=np.bool_)
        self.with_room[0] = self.with_envelope[0] = True

    @property
    def fixed(self) -> int:
        """Variables before the schedules."""
        return self.problem.green_mj.size + len(self.problem.jobs)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many rows there are of each kind."""
        room, envelope = int(self.with_room.sum()), int(self.with_envelope.sum())
        return len(self.problem.jobs), room, self.problem.green_mj.size, envelope

    def used(self, servers: Whole, shares: Vector) -> Vector:
        """Blocks that a mixture of schedules of some servers [K, T] takes [Q, T]."""
        return np.stack([shares @ (servers // q) for q in self.blocks.tolist()])

    def take_up(self, used: Vector, brown_wh: Vector) -> int:
        """Take up rows that so many blocks [Q, T], with this brown energy [S, T], break."""
        over = used - self.room[:, None] > BROKEN
        lack = self.lack_mj / MJ_PER_WH
        short = lack * (used[:, None, :] - self.fed - BROKEN) > brown_wh
        before = sum(self.counts)
        self.with_room |= over
        self.with_envelope |= short
        return sum(self.counts) - before

    def program(
        self,
        columns: Sequence[Column],
        servers: Whole,
        energy_wh: Vector,
        penalty: float,
        *,
        is_whole: bool,
    ) -> LinearProgram:
        """The program of some schedules, with the servers and the energy of each [K, T].

        Its variables are brown energy in Wh [S T], then what jobs lack [J], then those.
        """
        problem = self.problem
        (S, T), J, K = problem.green_mj.shape, len(problem.jobs), len(columns)
        job = np.array([column.job for column in columns])
        _, rooms, _, envelopes = self.counts
        brown, lack, mix = np.arange(S * T), S * T + np.arange(J), self.fixed + np.arange(K)
        first_energy, first_envelope = J + rooms, J + rooms + S * T
        row, column = [np.arange(J), job, first_energy + brown], [lack, mix, brown]
        value = [np.ones(J), np.ones(K), -np.ones(S * T)]
        at_energy, epoch_energy = np.nonzero(energy_wh)
        for s in range(S):
            row.append(first_energy + s * T + epoch_energy)
            column.append(mix[at_energy])
            value.append(energy_wh[at_energy, epoch_energy])
        room_row = _numbered(self.with_room, J)
        envelope_row = _numbered(self.with_envelope, first_envelope)
        slope = self.lack_mj / MJ_PER_WH
        for k, q in enumerate(self.blocks.tolist()):
            taken = servers // q
            for at_row, weight in [
                (room_row[k], np.ones(T)),
                *((envelope_row[k, s], slope[k, s]) for s in range(S)),
            ]:
                at, epoch = np.nonzero(taken * (at_row >= 0))
                row.append(at_row[epoch])
                column.append(mix[at])
                value.append(weight[epoch] * taken[at, epoch])
        _, of_forecast, of_epoch = np.nonzero(self.with_envelope)
        row.append(first_envelope + np.arange(envelopes))
        column.append(of_forecast * T + of_epoch)
        value.append(-np.ones(envelopes))
        waiting = [waiting_of(problem, one) for one in columns]
        upper = [
            np.ones(J),
            np.broadcast_to(self.room[:, None], self.with_room.shape)[self.with_room],
            (problem.green_mj / MJ_PER_WH).ravel(),
            (slope * self.fed)[self.with_envelope],
        ]
        n = self.fixed + K
        return LinearProgram(
            cost=np.concatenate([self.brown_cost.ravel(), np.full(J, penalty), waiting]),
            lower=np.zeros(n),
            upper=np.concatenate([np.full(S * T, np.inf), np.ones(J + K)]),
            integer=np.arange(n) >= (S * T + J if is_whole else n),
            row=np.concatenate(row),
            column=np.concatenate(column),
            value=np.concatenate(value).astype(np.float64),
            row_lower=np.concatenate([np.ones(J), np.full(rooms + S * T + envelopes, -np.inf)]),
            row_upper=np.concatenate(upper).astype(np.float64),
        )


def _numbered(there: NDArray[np.bool_], first: int) -> Whole:
    """Numbers of rows from `first` on; -1 where there is none."""
    numbers = np.full(there.shape, -1, dtype=np.int64)
    numbers[there] = first + np.arange(int(there.sum()))
    return numbers
