"""Place one malleable job by prices of servers in each epoch, without a solver.

The dual prices of the master program are prices of servers and energy (`master`). With the energy
of a busy server they give one price for each epoch, in integer micro-units. A new job takes the
cheapest schedule at these prices that has enough free servers: one exact search over its own epochs
and levels, and no other job moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tailc_solvers.green.parallel.parts import NANO
from tailc_solvers.green.parallel.problem import MJ_PER_KWH, ParallelProblem, Whole, require
from tailc_solvers.green.parallel.schedules import (
    Column,
    Count,
    SchedulePrices,
    ScheduleRule,
    Schedules,
)


@dataclass(frozen=True, eq=False)
class BidPrices:
    """Price of using one server through each epoch, its energy included, in micro-units [T].

    Nonnegative integers.
    """

    server: Whole

    def __post_init__(self) -> None:
        require(bool((self.server >= 0).all()), "prices must not be negative")


def bid_prices(problem: ParallelProblem, prices: SchedulePrices) -> BidPrices:
    """Convert prices of servers and energy to one price for a busy server in each epoch.

    Rounded half to even. The price of a block of servers is divided among them. The energy is that
    of a server when all are busy.
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
    """The schedule of a job that costs least at the prices, on at most `free` servers [T].

    None if no schedule on these servers meets the job's deadline. Run time costs the same as in the
    problem.
    """
    spare = np.array(free, dtype=np.int64)
    require(spare.shape == prices.server.shape == (problem.epochs,), "all epochs need a number")
    room = ScheduleRule(counts=tuple(Count(t, 0, most) for t, most in enumerate(spare.tolist())))
    asked = SchedulePrices(NANO * prices.server, np.zeros_like(prices.server))
    return Schedules(problem, cells, only=(job,)).cheapest(asked, {job: room}, [job])[0].column
