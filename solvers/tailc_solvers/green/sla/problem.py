"""The placement problem: servers of each rigid job in every epoch, and the jobs to refuse.

Time is cut into epochs; a slot is one server for one epoch. Racks are ordered from the brownest to
the greenest. In each epoch, the racks from one rack on are on the green bus, which has only the
forecast green energy; the others are on the mixed bus, with grid energy and the rest of the green
energy. Racks on the same bus in every epoch are interchangeable: they form a group.

A job runs all its VMs, one per server, in each of its epochs, or is refused. It pays its revenue;
each promised green slot that is not green costs a penalty. With x_jgt servers of group g for job j
in epoch t, k_gt = 1 where g is green, and [z]+ = max(0, z):

    moves_jgt   = [x_jgt - x_jg(t-1)]+,  zero in a job's first epoch
    missing_j   = [G_j - sum_gt k_gt x_jgt]+
    brown_t     = [EV sum_jg x_jgt + EM sum_jg moves_jgt - GP_t]+
    profit      = sum_j (revenue_j - penalty_j missing_j) - sum_t ceil(c_t brown_t / EV)
    value       = profit - sum_jgt (o_g x_jgt + m moves_jgt)

The objective is the value. Its last sum is not billed: the opportunity cost o_g, which increases
towards the greenest group, reserves green servers for later jobs, and m prevents useless moves.
Money is in whole micro-dollars and energy in whole millijoules.

Source: Haque 2016, appendix A, eq. A.1 to A.11. Differences: the green racks are contiguous (A.12
and A.13 allow two brown racks in a gap); an idle rack is as green as its bus; a job has no moves in
its first epoch; the energy bill of each epoch is rounded up to a micro-dollar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

PPM = 1_000_000


@dataclass(frozen=True, eq=False)
class EnergySupply:
    """Energy of a datacentre: green energy by epoch, energy of servers and moves, and its price.

    Attributes:
        green: forecast for the green bus, GP [mJ; epochs].
        server: energy of a busy server in an epoch, EV [mJ].
        move: energy of moving a VM, charged at its destination, EM [mJ].
        brown_cost: cost of a busy server's energy in an epoch from the grid, c
            [micro-dollars; epochs].
    """

    green: Whole
    server: int
    move: int
    brown_cost: Whole

    def __post_init__(self) -> None:
        object.__setattr__(self, "green", _whole(self.green, "green energy"))
        object.__setattr__(self, "brown_cost", _whole(self.brown_cost, "the brown cost"))
        _require(
            self.green.ndim == 1 and self.green.size > 0,
            "`green` must be a vector that is not empty",
        )
        _require(
            self.brown_cost.shape == self.green.shape,
            "`brown_cost` must have an entry for each epoch",
        )
        _require(self.server > 0, "`server` must be positive")
        _require(self.move >= 0, "`move` must not be negative")

    @property
    def epochs(self) -> int:
        return self.green.size

    def brown(self, slots: Whole, moves: Whole) -> Whole:
        """Energy from the grid for a number of busy servers and of moves [mJ; epochs].

        slots: busy servers. moves: moved servers.
        """
        return np.maximum(self.server * slots + self.move * moves - self.green, 0)

    def bill(self, brown: Whole) -> Whole:
        """Cost of energy from the grid, rounded up in each epoch [micro-dollars; epochs].

        brown: that energy [mJ; epochs].
        """
        pairs = zip(brown.tolist(), self.brown_cost.tolist(), strict=True)
        return np.array([-(-mj * cost // self.server) for mj, cost in pairs], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Charges:
    """Unbilled costs of a plan, which only affect decisions [micro-dollars].

    Attributes:
        slot: o, for a server of a group or rack in an epoch; not decreasing towards the greenest.
        move: m, for a move of a VM.
    """

    slot: Whole
    move: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "slot", _whole(self.slot, "the charge for a slot"))
        _require(bool((np.diff(self.slot) >= 0).all()), "`slot` must not fall towards the greenest")
        _require(self.move >= 0, "`move` must not be negative")


@dataclass(frozen=True, eq=False)
class Racks:
    """The racks of a datacentre, from the brownest to the greenest, before green ones are chosen.

    Attributes:
        racks: number of racks, RA.
        servers: number of servers in each rack, RC.
        energy: green energy, and energy of servers and moves.
        charges: charges for decisions; the charge for a slot is by rack.
    """

    racks: int
    servers: int
    energy: EnergySupply
    charges: Charges

    def __post_init__(self) -> None:
        _require(self.racks > 0 and self.servers > 0, "`racks` and `servers` must be positive")
        _require(
            self.charges.slot.shape == (self.racks,),
            "`charges.slot` must have an entry for each rack",
        )

    @property
    def green_racks(self) -> Whole:
        """Number of racks that green energy can feed with all servers busy [epochs]."""
        return np.minimum(self.energy.green // (self.servers * self.energy.server), self.racks)


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of racks, from the brownest to the greenest; racks of a group are on the same bus.

    Attributes:
        servers: number of servers of each group [groups].
        is_green: whether the group is on the green bus [groups, epochs].
        energy, charges: energy supply and unbilled costs; the charge for a slot is by group.
        busy: servers of existing jobs, which do not change [groups, epochs].
        moves: VMs of existing jobs that move to each group [groups, epochs].
    """

    servers: Whole
    is_green: Flags
    energy: EnergySupply
    charges: Charges
    busy: Whole
    moves: Whole

    def __post_init__(self) -> None:
        for name in ("servers", "busy", "moves"):
            object.__setattr__(self, name, _whole(getattr(self, name), name))
        shape = (self.servers.size, self.energy.epochs)
        for table in (self.is_green, self.busy, self.moves):
            _require(table.shape == shape, "tables must be by group and epoch")
        _require(
            self.charges.slot.shape == shape[:1], "`charges.slot` must have an entry for each group"
        )
        _require(bool((self.servers > 0).all()), "`servers` must be positive")
        _require(is_contiguous(self.is_green), "the green groups must be the last ones")
        _require(
            bool((self.free >= 0).all()), "the jobs of a group have more servers than the group"
        )

    @classmethod
    def build(cls, racks: Racks) -> Groups:
        """Groups without jobs for the racks of a datacentre, from the forecast of green energy.

        In each epoch, as many racks are on the green bus as the forecast can power with all servers
        busy.
        """
        first_green = racks.racks - racks.green_racks
        is_green = np.arange(racks.racks)[:, None] >= first_green
        first = first_of_groups(is_green, racks.charges.slot)
        sizes = np.diff([*first, racks.racks])
        idle = np.zeros((len(first), racks.energy.epochs), dtype=np.int64)
        charges = Charges(racks.charges.slot[first], racks.charges.move)
        return cls(racks.servers * sizes, is_green[first], racks.energy, charges, idle, idle)

    @property
    def groups(self) -> int:
        return self.servers.size

    @property
    def epochs(self) -> int:
        return self.energy.epochs

    @cached_property
    def free(self) -> Whole:
        """Number of servers without a job in each group of racks and epoch [groups, epochs]."""
        return self.servers[:, None] - self.busy

    @cached_property
    def green_left(self) -> Whole:
        """Unused energy of the green bus, negative if more is used than produced [mJ; epochs]."""
        return self.energy.green - self.green_drawn(self.busy, self.moves)

    @cached_property
    def bill_before(self) -> Whole:
        """Bill for the energy of the existing jobs alone [micro-dollars; epochs]."""
        slots, moves = self.busy.sum(axis=0), self.moves.sum(axis=0)
        return self.energy.bill(self.energy.brown(slots, moves))

    def green_drawn(self, slots: Whole, moves: Whole) -> Whole:
        """Energy that servers and moves draw in green groups [mJ; epochs].

        slots: number of busy servers, moves: number of moved servers; both [groups, epochs].
        """
        drawn = self.energy.server * slots + self.energy.move * moves
        return np.where(self.is_green, drawn, 0).sum(axis=0)

    def with_load(self, slots: Whole, moves: Whole) -> Groups:
        """The same groups of racks with additional existing jobs.

        slots: servers of these jobs. moves: servers that they move to; both [groups, epochs].
        """
        return Groups(
            self.servers,
            self.is_green,
            self.energy,
            self.charges,
            self.busy + slots,
            self.moves + moves,
        )


@dataclass(frozen=True, eq=False)
class Job:
    """A rigid job to be placed: its servers, length, promised green slots and money.

    Attributes:
        width: number of servers in each epoch, V.
        epochs: number of epochs to run within the horizon, T.
        green_slots: promised green slots that it has not yet had, G.
        revenue: payment if it runs [micro-dollars].
        penalty: cost of each promised slot that is not green [micro-dollars].
        first_epoch: earliest epoch of its start.
        latest_start: latest epoch of its start; None: it starts at once.
        placed: its current servers, in the epoch before `first_epoch` [groups]; None for a new job,
            or if unknown.
        must_run: whether it may not be refused; a placed job never is.
    """

    width: int
    epochs: int
    green_slots: int
    revenue: int
    penalty: int
    first_epoch: int = 0
    latest_start: int | None = None
    placed: Whole | None = None
    must_run: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "must_run", self.must_run or self.placed is not None)
        _require(self.width > 0 and self.epochs > 0, "`width` and `epochs` must be positive")
        within = 0 <= self.green_slots <= self.slots
        _require(within, "`green_slots` must be from 0 to `width` times `epochs`")
        _require(
            self.revenue >= 0 and self.penalty >= 0, "`revenue` and `penalty` must not be negative"
        )
        _require(self.first_epoch >= 0, "`first_epoch` must not be negative")
        _require(self.starts.size > 0, "`latest_start` must not be before `first_epoch`")
        late = self.must_run and self.starts.size > 1
        _require(not late, "a running job must start at `first_epoch`")
        if self.placed is not None:
            object.__setattr__(self, "placed", _whole(self.placed, "placed"))
            _require(int(self.placed.sum()) == self.width, "the sum of `placed` must be `width`")

    @property
    def slots(self) -> int:
        return self.width * self.epochs

    @property
    def is_running(self) -> bool:
        return self.placed is not None

    @property
    def starts(self) -> Whole:
        """Epochs in which a rigid job may start."""
        latest = self.first_epoch if self.latest_start is None else self.latest_start
        return np.arange(self.first_epoch, latest + 1)

    @property
    def end(self) -> int:
        """The epoch after the last one in which a rigid job may run."""
        return int(self.starts[-1]) + self.epochs


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a job runs: its first epoch, and its servers [groups or racks, epochs of the job]."""

    start: int
    servers: Whole

    @property
    def epoch_slice(self) -> slice:
        """Range of epochs in which the placed job runs."""
        return slice(self.start, self.start + self.servers.shape[1])

    def moves(self, placed: Whole | None = None) -> Whole:
        """Number of servers to which a VM of the job moves, in each epoch of the job.

        Shape [groups or racks, epochs of the job]. placed: current servers of a running job; None:
        the job starts without a move.
        """
        before = self.servers[:, :1] if placed is None else placed[:, None]
        return np.maximum(np.diff(self.servers, axis=1, prepend=before), 0)


Plan = tuple[Placement | None, ...]
"""For each job where it runs; None: it is turned away."""


def green_slots_of(share_ppm: int, width: int, epochs: int) -> int:
    """Number of green slots for a promised share of green energy, rounded up."""
    return -(-share_ppm * width * epochs // PPM)


def first_of_groups(is_green: Flags, charge: ArrayLike) -> list[int]:
    """First rack of each group: racks that have the same bus in every epoch and one charge.

    `is_green` is [racks, epochs] and `charge` [racks].
    """
    marks = np.column_stack([is_green, np.array(charge)])
    changes = (marks[1:] != marks[:-1]).any(axis=1)
    return [0, *(1 + np.flatnonzero(changes)).tolist()]


def rising_charges(green_racks: Whole, racks: int, step: int) -> Whole:
    """Charge of each rack: 0 for the brownest group, `step` more for each greener one [racks]."""
    is_green = np.arange(racks)[:, None] >= racks - np.array(green_racks)
    starts = first_of_groups(is_green, np.zeros(racks))
    return step * (np.searchsorted(starts, np.arange(racks), side="right") - 1)


def is_contiguous(is_green: Flags) -> bool:
    """Whether in each epoch the green racks are the last ones, without a gap."""
    return not bool((is_green[:-1] & ~is_green[1:]).any())


def check_jobs(jobs: Sequence[Job], groups: int, epochs: int) -> None:
    """Raise ValueError for a job that does not fit this number of groups or epochs."""
    for at, job in enumerate(jobs):
        _require(job.end <= epochs, f"job {at} runs beyond the horizon")
        if job.placed is not None:
            _require(job.placed.shape == (groups,), f"job {at} is placed in other groups")


def _whole(values: ArrayLike, what: str) -> Whole:
    array = np.array(values)
    _require(np.issubdtype(array.dtype, np.integer), f"{what} must be whole")
    array = array.astype(np.int64)
    _require(bool((array >= 0).all()), f"{what} must not be negative")
    array.setflags(write=False)
    return array


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)
