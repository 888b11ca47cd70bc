"""A server whose cores are shared, and the speed of a request on a number of its cores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder, Rule
from tailc.models.kernel_decorators import part
from tailc.models.pools import NEVER_NS, pools, refuse
from tailc.percentiles import PPM

_Point = tuple[float, float]


@dataclass(frozen=True)
class SharedServer:
    """Number of identical cores, and the threads of each rung, in millionths."""

    cores_ppm: int
    threads_ppm: tuple[int, ...]

    def __post_init__(self) -> None:
        assert self.cores_ppm > 0
        assert self.threads_ppm
        assert min(self.threads_ppm) > 0


def shared_server(ladder: Ladder) -> SharedServer:
    """Read the number of cores and the threads of each rung from a ladder of degrees.

    Raises TailcError if requests have whole cores, or if rungs do not all draw on one limited pool.
    """
    shared = pools(ladder)
    is_one = len(shared.capacity_ppm) == 1 and int(shared.capacity_ppm[0]) < NEVER_NS
    if Rule.CORE_PER_REQUEST in ladder.rules or not is_one:
        refuse("the clairvoyant tail needs requests that share cores of one type")
    costs = tuple(int(cost) for cost in shared.cost_ppm)
    return SharedServer(int(shared.capacity_ppm[0]), costs)


class SpeedHull(NamedTuple):
    """Highest speed of a request on a number of cores, as corners; float64 (curves, corners).

    Both arrays ascend. A request that alternates between two rungs, or between a rung and a stop,
    has the mean of their cores and of their speeds. So all that is possible is below the upper
    concave hull of the rungs and of the point without cores, which is the first corner. A curve
    with fewer corners than another repeats its last one.
    """

    cores: NDArray[np.float64]
    speed: NDArray[np.float64]


def hull_of(server: SharedServer, speed: NDArray[np.float64]) -> SpeedHull:
    """Compute the highest speed of each speed-up curve on a number of cores, as a concave hull.

    speed: by curve and rung. The hull goes up to all cores of the server.
    """
    threads = [cost / PPM for cost in server.threads_ppm]
    capacity = server.cores_ppm / PPM
    curves = [
        _cut_corners(_corners(list(zip(threads, map(float, row), strict=True))), capacity)
        for row in speed
    ]
    most = max(map(len, curves))
    padded = [corners + [corners[-1]] * (most - len(corners)) for corners in curves]
    array = np.array(padded, dtype=np.float64)
    return SpeedHull(np.ascontiguousarray(array[:, :, 0]), np.ascontiguousarray(array[:, :, 1]))


def _corners(rungs: list[_Point]) -> list[_Point]:
    """Corners of the hull, from no cores to the fewest on which a request is fastest."""
    corners: list[_Point] = [(0.0, 0.0)]
    for cores, speed in sorted(rungs):
        if speed <= corners[-1][1]:
            continue
        while len(corners) > 1 and _is_below(corners[-1], corners[-2], (cores, speed)):
            corners.pop()
        corners.append((cores, speed))
    return corners


def _is_below(corner: _Point, before: _Point, after: _Point) -> bool:
    """Whether a corner is on or below the line between two others."""
    run, rise = after[0] - before[0], after[1] - before[1]
    return (corner[1] - before[1]) * run <= rise * (corner[0] - before[0])


def _cut_corners(corners: list[_Point], capacity: float) -> list[_Point]:
    """Corners up to a number of cores; if some are beyond, the last is at that number."""
    within = [corner for corner in corners if corner[0] <= capacity]
    if len(within) < len(corners):
        (x, y), (beyond, faster) = within[-1], corners[len(within)]
        within.append((capacity, y + (faster - y) * (capacity - x) / (beyond - x)))
    return within


@part  # pragma: no cover - compiled
def cores_for(speed, curve, hull):
    """The fewest cores on which a request reaches a speed, from the hull of its speed-up curve.

    curve: number of the curve. hull: corners of all curves. For a speed beyond the highest one, the
    cores of the highest.
    """
    corner, last = 1, hull.speed.shape[1] - 1
    while corner < last and speed > hull.speed[curve, corner]:
        corner += 1
    slower, faster = hull.speed[curve, corner - 1], hull.speed[curve, corner]
    if speed >= faster:
        return hull.cores[curve, corner]
    fewer, more = hull.cores[curve, corner - 1], hull.cores[curve, corner]
    return fewer + (speed - slower) * (more - fewer) / (faster - slower)


@part  # pragma: no cover - compiled
def speed_on(cores, curve, hull):
    """Highest speed of a request on a number of cores, from the concave hull of its speed-up curve.

    curve: number of the curve. hull: corners of all curves. Beyond the last corner the speed is
    that of the corner.
    """
    corner, last = 1, hull.cores.shape[1] - 1
    while corner < last and cores > hull.cores[curve, corner]:
        corner += 1
    fewer, more = hull.cores[curve, corner - 1], hull.cores[curve, corner]
    if cores >= more:
        return hull.speed[curve, corner]
    slower, faster = hull.speed[curve, corner - 1], hull.speed[curve, corner]
    return slower + (cores - fewer) * (faster - slower) / (more - fewer)
