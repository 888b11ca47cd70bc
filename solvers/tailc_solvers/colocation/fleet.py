"""Divide batch work between servers that also serve requests and dedicated batch servers.

Each of N servers with requests does an amount th of batch work. Dedicated servers do the rest of
the demand Theta. The unit of work is what one dedicated server does. Following Bartolini, 2015,
section 3.6, which prints no equation:

    minimise over th   N P(th) + max(0, Theta - N th) P_batch

P(th), the supply curve, is the least power of a server that does th or more, f_l no lower than the
tail allows. A server may alternate between two pairs of frequencies, or do batch work for a part of
the time only, so P is the lower convex hull of the points of all pairs and of the point without
batch work. Beyond the knee, where th P_batch - P(th) is largest, more work needs more power than on
a dedicated server. P is convex, so th = min(knee, Theta / N).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.colocation.core import SharedCore

WHOLE = 1e-9
"""Fraction of a server that is ignored when servers are rounded up."""

NO_BATCH = -1
"""Value in `batch` of a core that sleeps while it has no requests."""


@dataclass(frozen=True, eq=False)
class SupplyCurve:
    """Least power of a server by the batch work that it does, as the corners of a convex curve.

    Attributes:
        work: batch work at each corner, in units of what a dedicated server does, ascending
            [corners].
        power_w: power of the whole server at each corner, convex and ascending [corners].
        critical, batch: frequency of requests and of batch work at each corner, as entries of the
            grid; `batch` is NO_BATCH where there is no batch work [corners].
    """

    work: NDArray[np.float64]
    power_w: NDArray[np.float64]
    critical: NDArray[np.int64]
    batch: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not (self.work.size and self.work[0] >= 0 and (np.diff(self.work) > 0).all()):
            raise ValueError("work must ascend, and not be negative")
        if self.power_w.shape != self.work.shape or not (np.diff(self.power_w) > 0).all():
            raise ValueError("more work must take more power")

    def knee(self, batch_server_w: float) -> int:
        """The corner beyond which dedicated batch servers need less power for the same work.

        Ties go to the first corner.
        """
        return int(np.argmax(self.work * batch_server_w - self.power_w))


@dataclass(frozen=True)
class Provision:
    """Configuration of a fleet with the least power for requests and an amount of batch work.

    Attributes:
        work: th, batch work of each server with requests, in units of a dedicated one.
        low, high: corners of the supply curve between which each server alternates.
        high_share: share of the time at `high`; 0 if both are the same.
        dedicated: number of dedicated servers for batch work, possibly fractional.
        servers: number of all servers, dedicated ones rounded up.
        power_w: of the fleet, with fractional dedicated servers.
    """

    work: float
    low: int
    high: int
    high_share: float
    dedicated: float
    servers: int
    power_w: float


def supply_curve(
    core: SharedCore,
    cores: int,
    *,
    idle_core_w: float,
    server_w: float,
    unit: float,
    least_critical: int = 0,
) -> SupplyCurve | None:
    """The least power of a server with `cores` such cores, by the batch work that it does.

    None if requests overload the core at every allowed frequency. idle_core_w: power of a core
    without requests and batch work. server_w: power of the server outside its cores, which replaces
    `shared_w` of the core. unit: batch work per second of a dedicated server.
    """
    busy = core.busy()[least_critical:]
    keeps_up = np.flatnonzero(busy < 1) + least_critical
    if keeps_up.size == 0:
        return None
    busy = core.busy()[keeps_up]
    without = busy * core.critical_power_w[keeps_up] + (1 - busy) * idle_core_w
    pairs = np.ix_(keeps_up, np.arange(core.freq_ghz.size))
    with_batch = core.power_w()[pairs] - core.shared_w
    critical, batch = (index.ravel() for index in np.indices(with_batch.shape))
    work = np.append(np.zeros(keeps_up.size), core.batch_work()[pairs].ravel() * cores / unit)
    power = server_w + cores * np.append(without, with_batch.ravel())
    critical = np.append(keeps_up, keeps_up[critical])
    batch = np.append(np.full(keeps_up.size, NO_BATCH), batch)
    return curve_through(work, power, critical, batch)


def curve_through(
    work: NDArray[np.float64],
    power_w: NDArray[np.float64],
    critical: NDArray[np.int64],
    batch: NDArray[np.int64],
) -> SupplyCurve:
    """The supply curve of a server that alternates between given operating points [points each].

    For measured points, `critical` is the lowest frequency of requests; they may have run faster.
    """
    corners = _lower_hull(work, power_w)
    return SupplyCurve(work[corners], power_w[corners], critical[corners], batch[corners])


def _lower_hull(work: NDArray[np.float64], power: NDArray[np.float64]) -> list[int]:
    """Lower hull of the points, from the least power on; ties go to the first."""
    order = np.lexsort((power, work)).tolist()
    least = min(order, key=lambda at: (power[at], -work[at]))
    corners = [least]
    for at in order:
        if work[at] <= work[corners[-1]]:
            continue
        while len(corners) > 1 and _is_above(work, power, corners[-2], corners[-1], at):
            corners.pop()
        corners.append(at)
    return corners


def _is_above(
    work: NDArray[np.float64], power: NDArray[np.float64], first: int, at: int, last: int
) -> bool:
    """Whether a point is on or above the line between two others."""
    rise = (power[last] - power[first]) * (work[at] - work[first])
    return bool((power[at] - power[first]) * (work[last] - work[first]) >= rise)


def provision(curve: SupplyCurve, servers: int, demand: float, batch_server_w: float) -> Provision:
    """Find the fleet that does `demand` units of batch work with the least power.

    servers: number of servers that have requests. demand: in units of what one dedicated server
    does. batch_server_w: power of a dedicated server.
    """
    if servers < 1 or not demand >= 0 or not batch_server_w > 0:
        raise ValueError(
            "`servers` must be at least 1, `demand` not negative, `batch_server_w` positive"
        )
    knee = curve.knee(batch_server_w)
    work = min(float(curve.work[knee]), demand / servers)
    high = int(np.searchsorted(curve.work, work))
    low = high if work >= curve.work[high] or high == 0 else high - 1
    share = 0.0
    if low < high:
        share = float((work - curve.work[low]) / (curve.work[high] - curve.work[low]))
    power = curve.power_w[low] + share * (curve.power_w[high] - curve.power_w[low])
    dedicated = max(0.0, demand - servers * work)
    return Provision(
        work,
        low,
        high,
        share,
        dedicated,
        servers + max(0, math.ceil(dedicated - WHOLE)),
        float(servers * power + dedicated * batch_server_w),
    )
