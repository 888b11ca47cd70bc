"""Plan malleable jobs on servers that are partly powered by green energy, in integers.

Job j starts in epoch A_j of its window with one of its shapes, runs without a break on n_jt servers
and ends in the epoch E_j in which its work is done; n_jt = 0 outside. With L_t the length of an
epoch, v_j(n) the speed on n servers and s one of several forecasts of green energy, of weight w_s:

    minimise    sum_t p_t sum_s w_s brown_st  +  r (mean over jobs of sum_(A..E) L_t)
    subject to  brown_st >= sum_j (Pow(n_jt) L_t + M(n_j(t-1), n_jt)) - green_st,  brown_st >= 0
                sum_j n_jt <= C
                sum_t v_j(n_jt) L_t                       >= work left        done by the end, and
                sum_t v_j(n_jt) min(L_t, D_j - begin_t)^+ >= work left        by the deadline
    variables   A_j and the shape; n_jt from the shape's server counts; all whole

D_j is F times the run time on the requested servers, less the time that the job has run. begin_t is
counted from the job's start or, if it runs, from now. It is equivalent to require an average
speed-up, from the job's start to its end, of at least the requested speed-up / F. Haque (2016,
eq. B.9) averages to the end of the last epoch instead.

Source: Haque, PhD dissertation (Rutgers 2016), Appendix B, eq. B.1-B.9, Table B.1; the constraints
follow its text. Additions: M is a table, several forecasts, starts in a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Whole = NDArray[np.int64]

PPT = 1_000
PPM = 1_000_000
MS_PER_S = 1_000
S_PER_H = 3_600
MJ_PER_KWH = 3_600_000_000
"""Millijoules."""

WH_PER_KWH = 1_000
MJ_PER_WH = MJ_PER_KWH // WH_PER_KWH


@dataclass(frozen=True, eq=False)
class Shape:
    """A number of VMs with which a job may start, and its speed by number of servers.

    Attributes:
        vms: number of VMs.
        servers: allowed numbers of servers, ascending, positive [L].
        speed_ppt: work done per unit of time on each, in thousandths of one server's [L].
    """

    vms: int
    servers: Whole
    speed_ppt: Whole

    def __post_init__(self) -> None:
        require(self.servers.size > 0, "a shape needs a server count")
        require(self.servers.shape == self.speed_ppt.shape, "a speed is needed for each count")
        require(self.servers[0] > 0 and bool((np.diff(self.servers) > 0).all()), "counts ascend")
        require(bool((self.speed_ppt > 0).all()), "speeds must be positive")
        require(int(self.servers[-1]) <= self.vms, "a server must have a VM")

    @classmethod
    def from_counts(cls, vms: int, servers: ArrayLike, speed_ppt: ArrayLike) -> Shape:
        """Make the shape of a job from any sequences of whole numbers.

        servers: allowed numbers of servers. speed_ppt: speed on each, in thousandths of one
        server's.
        """
        return cls(int(vms), whole(servers), whole(speed_ppt))


@dataclass(frozen=True, eq=False)
class ParallelJob:
    """A new or a running job; 1,000 units of work are what one server does in a millisecond.

    Attributes:
        shapes: possible shapes at its start; a running job has one.
        work_left: remaining work.
        requested: requested number of servers, constant from its start to its end.
        requested_speed_ppt: speed on those, with the VMs of a job of that size.
        slack_ppt: F in thousandths, at least 1,000: allowed run time relative to the requested.
        earliest, latest: range of epochs in which it may start; both 0 if it is running.
        work_done, run_ms: work done, and run time so far.
        present: current number of servers; 0 if it is not running.
    """

    shapes: tuple[Shape, ...]
    work_left: int
    requested: int
    requested_speed_ppt: int
    slack_ppt: int = PPT
    earliest: int = 0
    latest: int = 0
    work_done: int = 0
    run_ms: int = 0
    present: int = 0

    def __post_init__(self) -> None:
        require(len(self.shapes) > 0, "a job needs a shape")
        require(self.work_left > 0, "a job needs work")
        require(self.requested > 0 and self.requested_speed_ppt > 0, "requests must be positive")
        require(self.slack_ppt >= PPT, "slack_ppt must be at least 1,000")
        require(0 <= self.earliest <= self.latest, "the window of starts must be in order")
        require(min(self.work_done, self.run_ms, self.present) >= 0, "the past is not negative")
        if self.present:
            require(self.latest == 0 and len(self.shapes) == 1, "a running job has begun")
        else:
            require(self.work_done == self.run_ms == 0, "a new job has no past")

    @property
    def deadline_ms(self) -> int:
        """Longest allowed run time of the job, from its start or, if it is running, from now [ms].

        This is D. Rounded up: with no slack the run on the requested servers must be within it.
        """
        most = self.slack_ppt * (self.work_done + self.work_left)
        return -(-most // (PPT * self.requested_speed_ppt)) - self.run_ms


@dataclass(frozen=True, eq=False)
class ParallelProblem:
    """The problem of planning malleable jobs on one cluster under uncertain green energy.

    Costs are in micro-units of money, of kWh or of grams of CO2. S counts forecasts, T epochs, C
    servers.

    Attributes:
        length_s: length of each epoch [T].
        servers: number of servers, C.
        power_mw: Pow, power of 0 to C busy servers of one job, 0 for none [C + 1].
        moves_mj: M, energy of changing from one count to another, 0 being before the start and
            after the end; it counts in the epoch of the second [C + 1, C + 1].
        green_mj: green energy of each epoch, by forecast [S, T].
        weight_ppm: weight of each forecast, with a sum of one million [S].
        brown_cost: p, micro-units for each kWh of brown energy [T].
        run_cost: r, micro-units for each hour of mean run time.
        jobs: the jobs, at least one.
        most_vms_a_server: largest number of VMs on a server.
    """

    length_s: Whole
    servers: int
    power_mw: Whole
    moves_mj: Whole
    green_mj: Whole
    weight_ppm: Whole
    brown_cost: Whole
    run_cost: int
    jobs: tuple[ParallelJob, ...]
    most_vms_a_server: int = 4

    def __post_init__(self) -> None:
        T, C = self.length_s.size, self.servers
        require(T > 0 and bool((self.length_s > 0).all()), "epochs must have a length")
        require(C > 0 and len(self.jobs) > 0, "servers and jobs are needed")
        require(self.power_mw.shape == (C + 1,), "power_mw must be of 0 to C servers")
        require(int(self.power_mw[0]) == 0, "no servers use no power")
        require(self.moves_mj.shape == (C + 1, C + 1), "moves_mj must be of 0 to C servers")
        require(self.green_mj.ndim == 2 and self.green_mj.shape[1] == T, "green_mj must be [S, T]")
        require(self.weight_ppm.shape == self.green_mj.shape[:1], "each forecast has a weight")
        require(int(self.weight_ppm.sum()) == PPM, "the weights must be a million together")
        require(self.brown_cost.shape == (T,), "brown_cost must be as long as the epochs")
        for array in (self.power_mw, self.moves_mj, self.green_mj, self.weight_ppm):
            require(bool((array >= 0).all()), "power, energy and weights must not be negative")
        require(bool((self.brown_cost >= 0).all()) and self.run_cost >= 0, "costs not negative")
        for job in self.jobs:
            self._require_job(job)

    def _require_job(self, job: ParallelJob) -> None:
        require(job.latest < self.length_s.size, "a job must start within the epochs")
        require(job.present <= self.servers, "a job is on more servers than there are")
        for shape in job.shapes:
            require(int(shape.servers[-1]) <= self.servers, "a job is wider than the servers")
            most = self.most_vms_a_server * int(shape.servers[0])
            require(shape.vms <= most, "a server takes no more VMs")

    @cached_property
    def begin_s(self) -> Whole:
        """Start of each epoch, and end of the last [T + 1]."""
        return np.concatenate([[0], np.cumsum(self.length_s)]).astype(np.int64)

    @property
    def epochs(self) -> int:
        return self.length_s.size

    def busy_mj(self, epoch: int) -> Whole:
        """Energy of one job on 0 to C servers, if it runs for a whole epoch [mJ; C + 1]."""
        return self.power_mw * self.length_s[epoch]


def moves_of(migration_mj: ArrayLike, *, at_the_ends: bool) -> Whole:
    """Table of the energy of a change from one number of servers to another, 0 to C each [mJ].

    migration_mj: energy of a change by 0 to C servers. at_the_ends: whether a job's start and end
    count as changes, as they do in the published equation (B.5), although no VM moves.
    """
    table = whole(migration_mj)
    count = np.arange(table.size)
    moves = table[np.abs(count[:, None] - count)]
    if not at_the_ends:
        moves[0, :] = moves[:, 0] = 0
    return moves


def weighed_cost(
    money: ArrayLike, carbon_g: ArrayLike, *, of_money: int, of_energy: int, of_carbon: int
) -> Whole:
    """Weighted cost of brown energy in micro-units per kWh, from its price and its CO2 [T].

    money: price in micro-dollars per kWh. carbon_g: grams of CO2 per kWh. The weights are
    micro-units for a micro-dollar, a kWh and a gram.
    """
    price, carbon = whole(money), whole(carbon_g)
    return of_money * price + of_energy + of_carbon * carbon


def run_cost_of(beta: Fraction, reference_mw: int, price: int) -> int:
    """Cost of an hour of run time [micro-units]: beta times a machine's hourly energy cost.

    The published objective adds money and hours (Haque 2016, eq. B.1 and section B.4).

    Args:
        beta: rent of a machine divided by the cost of its energy.
        reference_mw: power of the reference machine.
        price: micro-dollars for each kWh.
    """
    per_hour = Fraction(reference_mw * S_PER_H * price, MJ_PER_KWH)
    return round(beta * per_hour)


def whole(values: ArrayLike) -> Whole:
    """Convert whole numbers to an int64 array; ValueError if a value is not whole."""
    array = np.array(values)
    require(array.size == 0 or np.issubdtype(array.dtype, np.integer), "numbers must be whole")
    return array.astype(np.int64)


def thousandths(ppm: int) -> int:
    """Convert a speed-up from millionths to thousandths; ValueError if the result is not whole."""
    require(ppm % PPT == 0, "a plan takes speed-ups of whole thousandths")
    return ppm // PPT


def require(holds: bool, sentence: str) -> None:
    """Raise ValueError with the sentence unless the condition holds."""
    if not holds:
        raise ValueError(sentence)
