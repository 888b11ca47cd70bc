"""Combine threads with frequencies, core types or lanes, and select the useful rungs.

For weights alpha of energy and beta of time, a unit of work is cheapest where (alpha * power +
beta) / speed is least. So only rungs on the lower convex hull of (speed, power) are ever optimal.

Cores of each type are a resource with a price of its own. A rung uses one type only, so no mixture
of rungs on other types does its work without that resource: the hull of (speed, cores of each type)
is the union of the hulls of each type.

On the two lanes of SMT cores, a rung is a number of threads that share their cores with batch work,
or have them alone. The resource is the cores, and the cost is the lost batch work; shared and
unshared rungs have a hull each.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tailc.forms.ladder.table import Lane
from tailc.percentiles import PPM
from tailc.specs.cores import Cores, CoreType


@dataclass(frozen=True)
class JointRung:
    """A possible rung of a joint ladder: a number of threads at a frequency, core type or lane.

    speed_ppm: speed of a request. cost_ppm: power of all threads, or on SMT lanes the lost batch
    work [1e-6]. one_thread_ppm: speed of one thread at this frequency, or on this core type or
    lane. core: index of the core type of its threads; None if all cores are alike. lane: for SMT
    lanes, whether cores are shared with batch work.
    """

    threads: int
    level: str
    speed_ppm: int
    cost_ppm: int
    one_thread_ppm: int
    frequency_khz: int | None = None
    core: int | None = None
    lane: Lane | None = None

    @property
    def name(self) -> str:
        """Name such as `2 threads at 1.7 GHz`, `2 threads on little`, or `2 threads, shared`."""
        threads = f"{self.threads} {'thread' if self.threads == 1 else 'threads'}"
        if self.lane is not None:
            return f"{threads}, {self.lane.value}"
        return f"{threads} {'at' if self.core is None else 'on'} {self.level}"


def combinations(cores: Cores, speedup_ppm: Sequence[int]) -> tuple[JointRung, ...]:
    """Combine every number of threads with every frequency level or core type.

    speedup_ppm: speed-ups by number of threads, from 1.
    """
    return tuple(
        JointRung(
            threads,
            level.name,
            max(level.speed_ppm * gain_ppm // PPM, 1),
            level.power_ppm * threads,
            level.speed_ppm,
            level.frequency_khz,
            None if cores.is_in_place else number,
        )
        for threads, gain_ppm in enumerate(speedup_ppm, start=1)
        for number, level in enumerate(cores.types)
        if cores.is_in_place or threads <= level.count
    )


def lane_combinations(
    core: CoreType, speedup_ppm: Sequence[int], interference_ppm: int, slowdown_ppm: int
) -> tuple[JointRung, ...]:
    """Combine every number of threads with shared SMT cores and with cores alone.

    interference_ppm: slowdown of a request by batch work; slowdown_ppm: of batch work by a request.
    """
    lanes = {Lane.SHARED: (PPM - interference_ppm, slowdown_ppm), Lane.ALONE: (PPM, PPM)}
    return tuple(
        JointRung(
            threads,
            core.name,
            max(core.speed_ppm * gain_ppm // PPM * speed_ppm // PPM, 1),
            threads * given_up_ppm,
            max(core.speed_ppm * speed_ppm // PPM, 1),
            core=0,
            lane=lane,
        )
        for threads, gain_ppm in enumerate(speedup_ppm, start=1)
        for lane, (speed_ppm, given_up_ppm) in lanes.items()
        if threads <= core.count
    )


def useful_rungs(rungs: Sequence[JointRung]) -> tuple[JointRung, ...]:
    """Select the rungs that can be optimal, by speed, so that no climb reduces the threads.

    Useful rungs are on the lower hull of power over speed. A rung with fewer threads than a slower
    one is removed, and the hull is computed again. Core types and lanes have a hull each; rules of
    the table's rows prevent climbs between them that reduce threads.
    """
    kinds = dict.fromkeys((rung.core, rung.lane) for rung in rungs)
    hull_rungs = [
        _hull_of_group([rung for rung in rungs if (rung.core, rung.lane) == kind]) for kind in kinds
    ]
    every = itertools.chain.from_iterable(hull_rungs)
    return tuple(sorted(every, key=lambda each: (each.speed_ppm, each.core or 0, each.cost_ppm)))


def _hull_of_group(rungs: Sequence[JointRung]) -> tuple[JointRung, ...]:
    remaining = list(rungs)
    while True:
        hull = _hull(remaining)
        fewer = [b for a, b in itertools.pairwise(hull) if b.threads < a.threads]
        if not fewer:
            return tuple(hull)
        remaining.remove(fewer[0])


def _hull(rungs: Sequence[JointRung]) -> list[JointRung]:
    """Lower hull, from the fastest rung of least energy per work to the fastest rung of all.

    Of rungs with equal speed, the one of least power is used, then the one of fewer threads.
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
    """Whether a rung is on or above the line between its neighbours; the first starts at the
    origin.
    """
    speed_ppm, cost_ppm = (slower.speed_ppm, slower.cost_ppm) if slower else (0, 0)
    run, rise = faster.speed_ppm - speed_ppm, faster.cost_ppm - cost_ppm
    return (rung.cost_ppm - cost_ppm) * run >= rise * (rung.speed_ppm - speed_ppm)
