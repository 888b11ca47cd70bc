"""Bid prices: what a server costs in each epoch, so that a job can be placed without a solver.

The master program's multipliers are prices of servers and energy (`master`). With the energy of a
busy server they make one price for each epoch, in whole micro-units. A job that arrives takes the
schedule that is least at these prices and has enough free servers: one exact search over its own
epochs and levels, and no other job moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import MJ_PER_KWH, ParallelProblem, Whole, require
from tailc_solvers.green.parallel.schedules import Column, Count, Prices, Rule, Schedules


@dataclass(frozen=True, eq=False)
class BidPrices:
    """Micro-units for a busy server through each epoch, whole and not negative [T]."""

    server: Whole

    def __post_init__(self) -> None:
        require(bool((self.server >= 0).all()), "prices must not be negative")


def bid_prices(problem: ParallelProblem, prices: Prices) -> BidPrices:
    """Prices of server-epochs: the server's own and its energy's, rounded half to even.

    Of a block each server has its part. The energy is that of a server when all are busy.
    """
    each = int(problem.power_mw[-1]) * problem.length_s / problem.servers
    energy = prices.energy * each / MJ_PER_KWH
    blocks = sum(price / size for size, price in prices.blocks)
    return BidPrices(np.rint((prices.server + blocks + energy) / NANO).astype(np.int64))


def cheapest(
    problem: ParallelProblem,
    job: int,
    prices: BidPrices,
    free: Sequence[int],
    *,
    cells: int = 2_000,
) -> Column | None:
    """The schedule of a job that is least at the prices, on at most `free` servers [T].

    None where no schedule keeps the job's deadline on those. Running still costs what it costs.
    """
    spare = np.array(free, dtype=np.int64)
    require(spare.shape == prices.server.shape == (problem.epochs,), "all epochs need a number")
    room = Rule(counts=tuple(Count(t, 0, most) for t, most in enumerate(spare.tolist())))
    asked = Prices(NANO * prices.server, np.zeros_like(prices.server))
    return Schedules(problem, cells, only=(job,)).priced(asked, {job: room}, [job])[0].column
