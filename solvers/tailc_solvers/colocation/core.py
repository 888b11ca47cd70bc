"""The most efficient pair of frequencies of a core: one for requests, one for batch work.

At frequency f execution takes tau(f) = m + (f0 / f) (1 - m) times as long as at f0, m the share of
cycles that wait for memory there. Requests keep the core busy for u = u0 tau(f_l) of the time; in
the rest batch work of T = T0 / tau(f_b) is done (Bartolini, 2015, section 3.5):

    maximise over the grid   TPW = (1 - u) T / (u P_l(f_l) + (1 - u) P_b(f_b) + shared)

(eq. 3.3). A pair with u >= 1 keeps up with no requests, let alone batch work: its TPW is 0. The
dissertation uses hill climbing because it takes TPW to be concave. It is not for every m and P, and
the pairs of a grid are few, so `best_pair` enumerates them; `climbed_pair` is hill climbing.
`shared` is the core's part of the power that no frequency changes; without it the optimum moves to
low frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.status import Status

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SharedCore:
    """A core that serves requests and does batch work in between: power and speed by frequency.

    Attributes:
        freq_ghz: the F frequencies that the core can have, ascending [F].
        nominal_ghz: f0, the frequency at which `utilization` and `throughput` are measured.
        critical_power_w, batch_power_w: power of the core while it runs requests, and while it runs
            batch work, by frequency [F].
        critical_memory, batch_memory: share of cycles that wait for memory, 0 to 1, of requests and
            of batch work.
        utilization: u0, arrival rate times mean service time at f0, positive.
        throughput: T0, batch work per second at f0 on a core without requests, positive.
        shared_w: power that does not depend on the frequency.
    """

    freq_ghz: Floats
    nominal_ghz: float
    critical_power_w: Floats
    batch_power_w: Floats
    critical_memory: float
    batch_memory: float
    utilization: float
    throughput: float = 1.0
    shared_w: float = 0.0

    def __post_init__(self) -> None:
        _require(
            self.freq_ghz.ndim == 1 and self.freq_ghz.size > 0, "frequencies must not be empty"
        )
        _require(bool((np.diff(self.freq_ghz) > 0).all()), "frequencies must ascend")
        _require(self.freq_ghz[0] > 0 and self.nominal_ghz > 0, "frequencies must be positive")
        for power in (self.critical_power_w, self.batch_power_w):
            _require(power.shape == self.freq_ghz.shape, "power must be given by frequency")
            _require(bool((power > 0).all()), "power must be positive")
        for share in (self.critical_memory, self.batch_memory):
            _require(0 <= share <= 1, "shares of cycles must be from 0 to 1")
        _require(
            self.utilization > 0 and self.throughput > 0,
            "`utilization` and `throughput` must be positive",
        )
        _require(self.shared_w >= 0, "shared power must not be negative")

    def stretch(self, memory: float) -> Floats:
        """Factor tau by which execution takes longer at each frequency than at the nominal one [F].

        memory: share of cycles that wait for memory, 0 to 1; this time does not depend on the
        frequency.
        """
        return memory + self.nominal_ghz / self.freq_ghz * (1 - memory)

    def busy(self) -> Floats:
        """Fraction u of the time that requests keep the core busy, by their frequency [F].

        1 or more means that requests overload the core.
        """
        return self.utilization * self.stretch(self.critical_memory)

    def batch_work(self) -> Floats:
        """Batch work per second by request frequency and batch frequency [F, F].

        0 if requests overload the core.
        """
        idle = np.maximum(1 - self.busy(), 0.0)
        return idle[:, None] * self.throughput / self.stretch(self.batch_memory)

    def power_w(self) -> Floats:
        """Mean power by request and batch frequency, including shared power [F, F]."""
        busy = np.minimum(self.busy(), 1.0)[:, None]
        return (
            busy * self.critical_power_w[:, None] + (1 - busy) * self.batch_power_w + self.shared_w
        )

    def work_per_joule(self) -> Floats:
        """TPW, batch work per joule, by request frequency and batch frequency [F, F]."""
        return self.batch_work() / self.power_w()


@dataclass(frozen=True)
class FrequencyPair:
    """The most efficient pair of frequencies, or the pair at which hill climbing ends.

    Attributes:
        status: INFEASIBLE if requests overload the core at every allowed frequency; LOCAL for the
            end of a climb.
        critical, batch: frequency of requests and of batch work, as entries of the grid; None if
            infeasible.
        work_per_joule: batch work per joule of the pair, 0 if infeasible.
        best_batch: for each request frequency the most efficient batch frequency, or the one at
            which hill climbing ends; None if requests overload the core.
    """

    status: Status
    critical: int | None
    batch: int | None
    work_per_joule: float
    best_batch: tuple[int | None, ...]


def best_pair(core: SharedCore, least_critical: int = 0) -> FrequencyPair:
    """The pair of frequencies with the most batch work per joule (TPW), by enumeration.

    Requests run at entry `least_critical` of the grid or above. Ties go to the lowest request
    frequency, then to the lowest batch frequency.
    """
    tpw = core.work_per_joule()
    keeps_up = core.busy() < 1
    batch = tpw.argmax(axis=1)
    best_batch = tuple(int(b) if keeps else None for b, keeps in zip(batch, keeps_up, strict=True))
    best = tpw[np.arange(batch.size), batch]
    best[:least_critical] = 0.0
    critical = int(best.argmax())
    if not best[critical] > 0:
        return FrequencyPair(Status.INFEASIBLE, None, None, 0.0, best_batch)
    return FrequencyPair(
        Status.OPTIMAL, critical, int(batch[critical]), float(best[critical]), best_batch
    )


def climbed_pair(core: SharedCore, least_critical: int = 0) -> FrequencyPair:
    """The pair of frequencies at which hill climbing from the highest pair ends.

    Requests run at entry `least_critical` of the grid or above. At the highest frequency requests
    overload the core only if they do at every frequency. To fill `best_batch`, another climb starts
    for each feasible request frequency, at the batch frequency of the pair.
    """
    tpw, keeps_up = core.work_per_joule(), core.busy() < 1
    top = tpw.shape[0] - 1
    if not keeps_up[top]:
        return FrequencyPair(Status.INFEASIBLE, None, None, 0.0, (None,) * keeps_up.size)
    critical, batch = _climb(tpw, (top, top), range(least_critical, top + 1))
    best_batch = tuple(
        _climb(tpw, (at, batch), range(at, at + 1))[1] if keeps else None
        for at, keeps in enumerate(keeps_up)
    )
    return FrequencyPair(Status.LOCAL, critical, batch, float(tpw[critical, batch]), best_batch)


def climb(core: SharedCore, start: tuple[int, int]) -> tuple[int, int]:
    """Climb to a pair of frequencies at which batch work per joule is locally largest.

    A pair is (request frequency, batch frequency), as entries of the grid. Each step moves from
    `start` to the best of the four neighbours, until none is better.
    """
    return _climb(core.work_per_joule(), start, range(core.freq_ghz.size))


def _climb(tpw: Floats, start: tuple[int, int], critical: range) -> tuple[int, int]:
    """The same within the entries `critical` of f_l; ties go to the first neighbour."""
    here = start
    while True:
        around = [
            (here[0] + a, here[1] + b)
            for a, b in ((0, 0), (-1, 0), (0, -1), (0, 1), (1, 0))
            if here[0] + a in critical and 0 <= here[1] + b < tpw.shape[1]
        ]
        best = max(around, key=lambda pair: tpw[pair])
        if best == here:
            return here
        here = best


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)
