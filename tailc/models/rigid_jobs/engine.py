"""Replay rigid jobs on racks with a green and a brown power bus (Haque, 2016, appendix A).

At the start of each epoch a planner places or refuses the jobs submitted since the last epoch, and
may then move running jobs, all at once. During the epoch, as many racks as the actual green energy
can feed are on the green bus, from the greenest rack on. Each server-epoch on them is a green slot.
A job's payment, and its refund for promised slots that were not green, are settled for the slots
within the replay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tailc.models.datacentre.forecasts import SupplyForecasts
from tailc.models.datacentre.storage import Books
from tailc.models.datacentre.supply import PPM, S_PER_HOUR, Supply, Whole
from tailc.models.rigid_jobs.jobs import RunningJob, SettledJob, SubmittedJob
from tailc.models.rigid_jobs.outcome import RigidOutcome
from tailc.models.rigid_jobs.planner import Planner, View
from tailc.models.rigid_jobs.site import Site
from tailc.models.streams import stream, uniform


@dataclass(eq=False)
class _RackState:
    site: Site
    supply: Supply
    longest: int
    seed: int
    running: list[RunningJob] = field(default_factory=list)
    settled: list[SettledJob] = field(default_factory=list)
    busy: Whole = field(init=False)
    books: Books = field(init=False)

    def __post_init__(self) -> None:
        self.busy = np.zeros((self.site.racks, self.supply.epochs + self.longest), np.int64)
        self.books = Books(self.site.storage, self.site.grid_mw)


def replay_rigid(
    site: Site,
    supply: Supply,
    forecasts: SupplyForecasts,
    jobs: Sequence[SubmittedJob],
    planner: Planner,
    seed: int = 0,
) -> RigidOutcome:
    """Replay the jobs, which are in order of submission, under the planner.

    `supply` is the actual supply of each epoch. The replay ends with it, and jobs submitted in its
    last epoch or later are never placed. Raises ValueError if a planner breaks a rule: places on
    servers that are not free, or another number of servers than the job requests.
    """
    longest = max((job.epochs(site.epoch_s) for job in jobs), default=1)
    state = _RackState(site, supply, longest, seed)
    green_racks, busy = [], []
    waiting = list(reversed(jobs))
    submitted = 0
    for epoch in range(supply.epochs):
        _end(state, epoch)
        arrived = []
        while waiting and waiting[-1].submit_s <= epoch * site.epoch_s:
            arrived.append(waiting.pop())
        submitted += len(arrived)
        _fail(state, epoch)
        if arrived or state.running:
            _plan(state, forecasts, epoch, arrived, planner)
        green_racks.append(_simulate_epoch(state, epoch))
        busy.append(sum(one.width for one in state.running))
    _end(state, None)
    settled = tuple(sorted(state.settled, key=lambda one: one.number))
    listed = np.array(green_racks, np.int64), np.array(busy, np.int64)
    return RigidOutcome(submitted, settled, tuple(state.books.entries), *listed)


def _plan(
    state: _RackState,
    forecasts: SupplyForecasts,
    epoch: int,
    arrived: Sequence[SubmittedJob],
    planner: Planner,
) -> None:
    ahead = forecasts.ahead(epoch, state.longest)

    def view() -> View:
        return View(state.site, epoch, ahead, state.busy, tuple(state.running))

    for job in arrived:
        places = planner.admit(view(), job)
        if places is not None:
            epochs = job.epochs(state.site.epoch_s)
            _check(state.site, view().free(epochs), places, job.width, epochs)
            state.running.append(RunningJob(job, epoch, epochs, job.width, places))
            state.busy[:, epoch : epoch + epochs] += places
    _move(state, epoch, planner.revise(view()))


def _move(state: _RackState, epoch: int, revised: Mapping[int, Whole]) -> None:
    """Move jobs all at once, so that jobs may exchange places."""
    by_number = {one.job.number: one for one in state.running}
    for number in revised:
        one = by_number[number]
        state.busy[:, epoch : one.past_epoch] -= one.places[:, epoch - one.first_epoch :]
    for number, places in revised.items():
        one = by_number[number]
        left = slice(epoch, one.past_epoch)
        free = state.site.rack_servers - state.busy[:, left]
        _check(state.site, free, places, one.width, one.past_epoch - epoch)
        state.busy[:, left] += places
        one.places = np.hstack((one.places[:, : epoch - one.first_epoch], places))


def _check(site: Site, free: Whole, places: Whole, width: int, epochs: int) -> None:
    if places.shape != (site.racks, epochs) or places.dtype != np.int64:
        raise ValueError("places must be int64 with the shape (racks, epochs of the job)")
    if int(places.min()) < 0 or (places > free).any():
        raise ValueError("a planner placed a job on servers that are not free")
    if (places.sum(axis=0) != width).any():
        raise ValueError("a job must run on all its servers in each of its epochs")


def _end(state: _RackState, epoch: int | None) -> None:
    """Settle the jobs that have ended, or all jobs if `epoch` is None."""
    ended = [one for one in state.running if epoch is None or one.past_epoch <= epoch]
    for one in ended:
        state.running.remove(one)
        state.settled.append(_settle(state.site, one))


def _settle(site: Site, one: RunningJob) -> SettledJob:
    terms = site.terms
    promised = one.promised_slots(one.slots)
    pays = promised * terms.green_udollars + (one.slots - promised) * terms.brown_udollars
    pays -= max(0, promised - one.green_slots) * terms.penalty_udollars
    return SettledJob(one.job.number, one.slots, promised, one.green_slots, one.moved, pays)


def _fail(state: _RackState, epoch: int) -> None:
    """Let servers of jobs fail at random, each job's in its own random stream."""
    if not state.site.failures_ppm:
        return
    each = state.site.failures_ppm / PPM * state.site.epoch_s / S_PER_HOUR
    for one in list(state.running):
        draws = stream(state.seed, one.job.number, epoch)
        lost = sum(uniform(draws) < each for _ in range(one.width))
        if lost == one.width:
            state.busy[:, epoch : one.past_epoch] -= one.places[:, epoch - one.first_epoch :]
            state.running.remove(one)
            state.settled.append(_settle(state.site, one))
        elif lost:
            _shrink(state, epoch, one, lost)


def _shrink(state: _RackState, epoch: int, one: RunningJob, lost: int) -> None:
    """Take servers away from a job, from the brownest rack on."""
    left = one.places[:, epoch - one.first_epoch :]
    before = np.cumsum(left, axis=0) - left
    removed = np.clip(lost - before, 0, left)
    left -= removed
    state.busy[:, epoch : one.past_epoch] -= removed
    one.width -= lost


def _simulate_epoch(state: _RackState, epoch: int) -> int:
    """Simulate an epoch and add it to the ledger; return the number of green racks."""
    site, supply = state.site, state.supply
    busy_s = np.zeros(site.racks, np.int64)
    arriving = np.zeros(site.racks, np.int64)
    for one in state.running:
        here = one.places_at(epoch)
        in_last = one.job.run_s - (one.epochs - 1) * site.epoch_s
        busy_s += here * (in_last if epoch == one.past_epoch - 1 else site.epoch_s)
        if epoch > one.first_epoch:
            moved = _arrivals(one, epoch)
            arriving += moved
            one.moved += int(moved.sum())
    asleep_s = site.rack_servers * site.epoch_s - busy_s
    rack_mj = busy_s * site.busy_mw + asleep_s * site.asleep_mw + arriving * site.migration_mj
    green_mj = int(supply.green_mw[epoch]) * site.epoch_s
    green = int(np.count_nonzero(np.cumsum(rack_mj[::-1]) <= green_mj))
    for one in state.running:
        one.slots += one.width
        one.green_slots += int(one.places_at(epoch)[site.racks - green :].sum())
    per_kwh = int(supply.brown_udollars_per_kwh[epoch]), int(supply.brown_mg_per_kwh[epoch])
    state.books.add(int(rack_mj.sum()), green_mj, *per_kwh, site.epoch_s)
    return green


def _arrivals(one: RunningJob, epoch: int) -> Whole:
    """Servers of a job on each rack that it did not have in the epoch before."""
    return np.maximum(one.places_at(epoch) - one.places_at(epoch - 1), 0)
