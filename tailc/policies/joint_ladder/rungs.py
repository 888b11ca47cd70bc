"""Threads joined with frequencies, or with types of cores: which combinations are worth a rung.

At a multiplier a unit of work is best done where alpha * power / speed + beta / speed is least,
that is alpha * power + beta over speed; so only rungs on the lower convex hull of (speed, power)
are ever the best, whatever the weights of energy and time.

Cores of each type are a supply of their own, with a price of its own. A rung takes of one supply
alone, so no mixture of rungs on other types does its work for none of that supply: what is on the
hull of (speed, cores of each type) is what is on the hull of its own type.

On the two lanes of SMT cores a rung is so many threads beside batch work, or alone on their cores.
It takes of one supply, the cores, and costs the batch work that is given up for it; of those beside
batch work, and of those alone, the hull is kept.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tailc.percentiles import PPM
from tailc.specs.cores import Cores, CoreType


class Lane(enum.Enum):
    """Whether a request is beside batch work, or has its cores to itself."""

    SHARED = "shared"
    ALONE = "alone"


@dataclass(frozen=True)
class JointRung:
    """So many threads at a frequency: speed at work 1, and power of all threads, in millionths.

    core: number of the type of cores that it takes one of for each thread; None where cores are
    alike. lane: where these have batch work on their other lane, whether beside it; the cost is
    then the batch work given up.
    """

    threads: int
    level: str
    speed_ppm: int
    cost_ppm: int
    core: int | None = None
    lane: Lane | None = None

    @property
    def name(self) -> str:
        """Such as `2 threads at 1.7 GHz`, `2 threads on little`, or `2 threads, shared`."""
        threads = f"{self.threads} {'thread' if self.threads == 1 else 'threads'}"
        if self.lane is not None:
            return f"{threads}, {self.lane.value}"
        return f"{threads} {'at' if self.core is None else 'on'} {self.level}"


def combinations(cores: Cores, speedup_ppm: Sequence[int]) -> tuple[JointRung, ...]:
    """Every number of threads at every level, or type; `speedup_ppm` is by threads, from one."""
    return tuple(
        JointRung(
            threads,
            level.name,
            max(level.speed_ppm * gain_ppm // PPM, 1),
            level.power_ppm * threads,
            None if cores.is_in_place else number,
        )
        for threads, gain_ppm in enumerate(speedup_ppm, start=1)
        for number, level in enumerate(cores.types)
        if cores.is_in_place or threads <= level.count
    )


def on_lanes(
    core: CoreType, speedup_ppm: Sequence[int], interference_ppm: int, slowdown_ppm: int
) -> tuple[JointRung, ...]:
    """Every number of threads beside batch work and alone.

    interference_ppm: by how much a request is slower beside batch work; slowdown_ppm: that is.
    """
    lanes = {Lane.SHARED: (PPM - interference_ppm, slowdown_ppm), Lane.ALONE: (PPM, PPM)}
    return tuple(
        JointRung(
            threads,
            core.name,
            max(core.speed_ppm * gain_ppm // PPM * speed_ppm // PPM, 1),
            threads * given_up_ppm,
            0,
            lane,
        )
        for threads, gain_ppm in enumerate(speedup_ppm, start=1)
        for lane, (speed_ppm, given_up_ppm) in lanes.items()
        if threads <= core.count
    )


def worth_having(rungs: Sequence[JointRung]) -> tuple[JointRung, ...]:
    """Those on the hull in order of speed, on which a climb never takes a thread away.

    A rung with fewer threads than the one below it is left out, and the hull drawn anew. Types of
    cores, and lanes, have a hull each; between them it is the row that must not take threads away.
    """
    kinds = dict.fromkeys((rung.core, rung.lane) for rung in rungs)
    kept = [_of_one([rung for rung in rungs if (rung.core, rung.lane) == kind]) for kind in kinds]
    every = itertools.chain.from_iterable(kept)
    return tuple(sorted(every, key=lambda each: (each.speed_ppm, each.core or 0, each.cost_ppm)))


def _of_one(rungs: Sequence[JointRung]) -> tuple[JointRung, ...]:
    left = list(rungs)
    while True:
        hull = _hull(left)
        fewer = [b for a, b in itertools.pairwise(hull) if b.threads < a.threads]
        if not fewer:
            return tuple(hull)
        left.remove(fewer[0])


def _hull(rungs: Sequence[JointRung]) -> list[JointRung]:
    """From the rung of least energy per work, of those the fastest, to the fastest of all.

    Of equal speed the one of least power, and of those the one of fewer threads.
    """
    hull: list[JointRung] = []
    for rung in sorted(rungs, key=lambda each: (each.speed_ppm, each.cost_ppm, each.threads)):
        if hull and hull[-1].speed_ppm == rung.speed_ppm:
            continue
        while hull and _is_above(hull[-1], hull[-2] if len(hull) > 1 else None, rung):
            hull.pop()
        hull.append(rung)
    return hull


def _is_above(rung: JointRung, slower: JointRung | None, faster: JointRung) -> bool:
    """Whether a rung is on or above the line between its neighbours, the first from the origin."""
    speed_ppm, cost_ppm = (slower.speed_ppm, slower.cost_ppm) if slower else (0, 0)
    run, rise = faster.speed_ppm - speed_ppm, faster.cost_ppm - cost_ppm
    return (rung.cost_ppm - cost_ppm) * run >= rise * (rung.speed_ppm - speed_ppm)
