"""Admit jobs by prices of servers alone, without a solver and without considering other jobs.

A price is the value of a server of a group in an epoch, to expected jobs and in energy. It comes
from `horizon`, with the jobs of a past log and the forecast. In each epoch of a job, let p be the
least price of any server and q that of a green one. The job takes the cheapest in every epoch; then
green ones instead, in order of q - p, of equals the earlier epoch, until its promise is met or the
next costs as much as the penalty. It is admitted if what it pays, less the penalty, is more than
its places are worth.

If p and q are known, this takes O(epochs of the job), without the sort. The job then gets free
servers in order of their price, the brownest first among equals, in O(epochs times groups)
(`admit`), or its best placement (`admit_and_place`), which has fewer moves. Prices from one past
log are overfitted to its jobs; the mean over several logs is better.

Source: bid prices as in Talluri and van Ryzin, Management Science 44, 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tailc_solvers.green.sla.flow import place_job, turned_away
from tailc_solvers.green.sla.problem import Groups, Job, Placement, Whole, check_jobs
from tailc_solvers.green.sla.solution import PlacementSolution, no_room, solution_of_plan

NONE = np.int64(2**62)
"""The price of a green server where no group is green."""


@dataclass(frozen=True, eq=False)
class PriceList:
    """Prices of all servers in a horizon, and the lowest price of each epoch.

    Attributes:
        price: price of a server [micro-dollars; groups, epochs].
        cheapest: lowest price over all groups [epochs].
        cheapest_green: lowest price over the groups on the green bus; NONE without one [epochs].
    """

    price: Whole
    cheapest: Whole
    cheapest_green: Whole

    @classmethod
    def build(cls, groups: Groups, price: Whole) -> PriceList:
        """Make the price list of servers by group and epoch, with the lowest price on each bus.

        Raises ValueError for prices of another shape.
        """
        if price.shape != groups.is_green.shape:
            raise ValueError("prices must be by group and epoch")
        green = np.where(groups.is_green, price, NONE).min(axis=0)
        return cls(price, price.min(axis=0), green)


def mean_price(prices: Sequence[Whole]) -> Whole:
    """Mean of the prices from several job logs, rounded down [micro-dollars; groups, epochs]."""
    return np.stack(prices).sum(axis=0) // len(prices)


class PriceQuote(NamedTuple):
    """What a job would pay, and what its servers are worth at the prices.

    pays: revenue less penalty [micro-dollars]. worth: price of its servers [micro-dollars]. green:
    number of servers on the green bus [epochs of the job].
    """

    pays: int
    worth: int
    green: Whole

    @property
    def is_admitted(self) -> bool:
        """Whether the job pays more than its servers cost at the prices."""
        return self.pays > self.worth


def quote(prices: PriceList, job: Job) -> PriceQuote:
    """What a job pays and what its servers cost at the prices, if it starts in its first epoch."""
    within = slice(job.first_epoch, job.first_epoch + job.epochs)
    cheapest, dearer = prices.cheapest[within], prices.cheapest_green[within]
    extra = dearer - cheapest
    worth = job.width * int(cheapest.sum())
    green = np.zeros(job.epochs, dtype=np.int64)
    left = job.green_slots
    for t in np.argsort(extra, kind="stable").tolist():
        # Green servers that cost no more are also taken beyond the promise.
        if extra[t] > 0 and (left <= 0 or extra[t] >= job.penalty):
            break
        green[t] = job.width if extra[t] <= 0 else min(left, job.width)
        left -= int(green[t])
        worth += int(green[t]) * int(extra[t])
    return PriceQuote(job.revenue - job.penalty * max(left, 0), worth, green)


def admit(groups: Groups, prices: PriceList, job: Job) -> PlacementSolution:
    """Admit a job by prices and place it on the free servers, or refuse it.

    Green servers that are not free are replaced by others, which the prices do not take into
    account.
    """
    check_jobs([job], groups.groups, groups.epochs)
    within = slice(job.first_epoch, job.first_epoch + job.epochs)
    room = groups.free[:, within]
    quoted = quote(prices, job)
    is_wanted = quoted.is_admitted or job.must_run
    if not is_wanted or (room.sum(axis=0) < job.width).any():
        return _refusal(groups, job)
    servers = np.zeros((groups.groups, job.epochs), dtype=np.int64)
    for t in range(job.epochs):
        epoch = job.first_epoch + t
        order = np.argsort(prices.price[:, epoch], kind="stable")
        on = order[groups.is_green[order, epoch]]
        _take(servers[:, t], room[:, t], on, int(quoted.green[t]))
        _take(servers[:, t], room[:, t], order, job.width - int(servers[:, t].sum()))
    found = solution_of_plan(groups, [job], (Placement(job.first_epoch, servers),))
    return _refusal(groups, job) if found.plan is None else found


def admit_and_place(groups: Groups, prices: PriceList, job: Job) -> PlacementSolution:
    """Place a job where its value is highest, if the prices admit the job or it is running."""
    check_jobs([job], groups.groups, groups.epochs)
    if quote(prices, job).is_admitted or job.must_run:
        return place_job(groups, job)
    return _refusal(groups, job)


def _take(servers: Whole, room: Whole, order: Whole, count: int) -> None:
    """Take `count` more servers in this order, as far as there is room."""
    for g in order.tolist():
        more = min(count, int(room[g] - servers[g]))
        servers[g] += more
        count -= more


def _refusal(groups: Groups, job: Job) -> PlacementSolution:
    return no_room(groups) if job.must_run else turned_away(groups, [job])
