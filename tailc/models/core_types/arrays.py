"""Core ladders as flat arrays for the engine: one core a request, rows indexed by load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking
from tailc.forms.ladder.table import AdmissionKind, Ladder, Row, Rule
from tailc.models.pools import NEVER_NS, PPM, pools, refuse
from tailc.models.shared_cores.arrays import NS_PER_US, first_of_alike, rows_by_load
from tailc.models.steering import Steer, Steering, lowered_steering

# A rung that a row never reaches; ages in microseconds lie far below.
NEVER_US = NEVER_NS // NS_PER_US
# No rung of another unit above.
NOWHERE = -1


class CoreTable(NamedTuple):
    """What the engine reads; a NamedTuple because compiled code takes it as it is.

    row_of_load: (ladders, loads), as for threads. reach_us: (rows, rungs + 1), the age from which
    a row wants rung k or above, before any output scales it; NEVER_US if it never does.
    unit_of: the unit of each rung. cores: of each unit. power_ppm: of a core on each rung.
    idle_ppm: of a free core of each unit. move_ns: of the climb to each rung.
    above: cores of the units of rung k and of those above it. below: of rung k and below.
    left_above: of the units that only rungs above k have; next_unit: the lowest rung of those.
    lowest: the lowest rung of each unit.
    passes_on: whether the oldest on a unit leave it for requests that want it; needs three units.
    ages_by_core: whether a request that has waited goes on with the age of the one before it.
    waited_start_last: whether one that has waited wants the last rung of its row at once.
    random_seed: below 0 unless requests start on random cores and stay there.
    batch_wake_ns: how long batch work beside a core takes to wake up, after a request was alone.
    core_wake_ns: how long a core that was free takes to wake up for a request.
    """

    row_of_load: NDArray[np.int32]
    reach_us: NDArray[np.int64]
    unit_of: NDArray[np.int32]
    cores: NDArray[np.int64]
    power_ppm: NDArray[np.int64]
    idle_ppm: NDArray[np.int64]
    move_ns: NDArray[np.int64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    left_above: NDArray[np.int64]
    next_unit: NDArray[np.int64]
    lowest: NDArray[np.int64]
    quantum_ns: int
    cut_off_ns: int
    keeps_row: bool
    makes_room: bool
    passes_on: bool
    ages_from_arrival: bool
    ages_by_core: bool
    waited_start_last: bool
    random_seed: int
    batch_wake_ns: int
    core_wake_ns: int
    steer: Steer


def core_table(
    ladders: Sequence[Ladder],
    rate_mrps: int,
    most_in_system: int,
    *,
    cut_off_us: int | None = None,
    steering: Steering | None = None,
    random_seed: int | None = None,
    cores_on: tuple[int, ...] | None = None,
    waking: Waking = AT_ONCE_AWAKE,
) -> CoreTable:
    """The core ladders for loads up to `most_in_system`; a table by rate is read at `rate_mrps`.

    `cores_on`: how many cores of each unit are there, if not all. `waking`: of batch work beside
    them, or of themselves.

    Raises TailcError for ladders on different rungs, and for requests that do not start at once.
    """
    ladder = first_of_alike(ladders)
    assert Rule.CORE_PER_REQUEST in ladder.rules
    assert ladder.power is not None
    rows, row_of_load = rows_by_load(ladders, rate_mrps, most_in_system)
    if any(row.admission.kind is not AdmissionKind.AT_ONCE for row in rows):
        refuse("requests that wait for more than a free core cannot be replayed on cores")
    if ladder.overload is not None:
        refuse("requests on cores of their own cannot be refused, cut off or degraded in a replay")
    shared = pools(ladder)
    units = shared.pool_of.tolist()
    cores = list(cores_on or (shared.capacity_ppm // PPM).tolist())
    power = ladder.power
    moves_us = [rung.move_us or 0 for rung in ladder.rungs]
    return CoreTable(
        row_of_load=row_of_load,
        reach_us=np.array([_reach_us(row, len(units)) for row in rows], np.int64),
        unit_of=shared.pool_of,
        cores=np.array(cores, np.int64),
        power_ppm=np.array([rung.cost_ppm[power.unit] for rung in ladder.rungs], np.int64),
        idle_ppm=np.array([power.idle_ppm[unit or 0] for unit in shared.cost_unit], np.int64),
        move_ns=np.array(moves_us, np.int64) * NS_PER_US,
        quantum_ns=ladder.quantum_us * NS_PER_US,
        cut_off_ns=NEVER_NS if cut_off_us is None else cut_off_us * NS_PER_US,
        keeps_row=Rule.REREAD_ROW not in ladder.rules,
        makes_room=Rule.MAKE_ROOM in ladder.rules,
        passes_on=Rule.MAKE_ROOM in ladder.rules and len(cores) > 2,
        ages_from_arrival=Rule.AGE_FROM_ARRIVAL in ladder.rules,
        ages_by_core=Rule.BUSY_PERIOD_AGE in ladder.rules,
        waited_start_last=Rule.WAITED_START_LAST in ladder.rules,
        random_seed=-1 if random_seed is None else random_seed,
        batch_wake_ns=waking.batch_ns,
        core_wake_ns=waking.core_ns,
        steer=lowered_steering(steering, ladder),
        **_counts(units, cores),
    )


def _reach_us(row: Row, rungs: int) -> list[int]:
    return [
        min((climb.age_us for climb in row.climbs if climb.rung >= rung), default=NEVER_US)
        for rung in range(rungs + 1)
    ]


def _counts(units: Sequence[int], cores: Sequence[int]) -> dict[str, NDArray[np.int64]]:
    """Cores above and below each rung, and where the next unit begins."""
    rungs = range(len(units))

    def count(of: Sequence[int]) -> int:
        return sum(cores[unit] for unit in set(of))

    others = [
        [rung for rung in rungs if rung > k and units[rung] not in units[: k + 1]] for k in rungs
    ]
    parts = {
        "above": [count(units[k:]) for k in rungs],
        "below": [count(units[: k + 1]) for k in rungs],
        "left_above": [count([units[rung] for rung in others[k]]) for k in rungs],
        "next_unit": [min(others[k], default=NOWHERE) for k in rungs],
        "lowest": [units.index(unit) for unit in range(len(cores))],
    }
    return {name: np.array(values, np.int64) for name, values in parts.items()}
