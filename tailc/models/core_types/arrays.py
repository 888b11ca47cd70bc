"""Convert ladders to flat arrays for the replay of core types; rows are indexed by load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.lanes import AT_ONCE_AWAKE, Waking
from tailc.forms.ladder.table import AdmissionKind, Ladder, Row, Rule
from tailc.models.pools import NEVER_NS, PPM, pools, refuse
from tailc.models.shared_cores.arrays import NS_PER_US, first_compatible, rows_by_load
from tailc.models.steering import Steer, Steering, steering_arrays

# Stands in for an age that a row never reaches. Ages in microseconds are far below.
NEVER_US = NEVER_NS // NS_PER_US
# No rung above has another unit.
NOWHERE = -1


class CoreTable(NamedTuple):
    """Ladders as arrays for the replay of core types; `core_table` makes it.

    A unit is a type of core, with its cores. Rungs are numbered upwards.

    Attributes:
        row_of_load: row of each ladder at each load (ladders, loads).
        reach_us: age from which a row wants rung k or above, before the controller scales it;
            NEVER_US if it never does (rows, rungs + 1).
        unit_of: unit of each rung (rungs,).
        cores, idle_ppm, lowest: number of cores, power of a free core [1e-6], and lowest rung, of
            each unit (units,).
        power_ppm, move_ns: power of a core on each rung [1e-6], and duration of the climb to it
            (rungs,).
        above, below: cores of the units of rung k and of the rungs above it; of rung k and below
            (rungs,).
        left_above, next_unit: cores of the units that only rungs above k have, and the lowest of
            these rungs (rungs,).
        passes_on: whether the oldest request on a unit gives up its core to a request that wants
            it; needs three units.
        ages_by_core: whether a request that waited continues at the age of its predecessor on the
            core.
        waited_start_last: whether a request that waited wants the last rung of its row at once.
        random_seed: below 0 unless requests start on random cores and stay there.
        batch_wake_ns: time that batch work next to a core takes to wake after a request ran alone.
        core_wake_ns: time that a free core takes to wake for a request.
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
    """Convert the ladders of a policy to arrays, for loads up to `most_in_system`.

    A table by rate is read at `rate_mrps`. cut_off_us: run time after which a request ends.
    cores_on: number of available cores of each unit (core type), or None for all. waking: wake-up
    times of batch work, or of the cores.

    Raises TailcError for ladders on different rungs, and if requests do not start at once.
    """
    ladder = first_compatible(ladders)
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
        steer=steering_arrays(steering, ladder),
        **_counts(units, cores),
    )


def _reach_us(row: Row, rungs: int) -> list[int]:
    return [
        min((climb.age_us for climb in row.climbs if climb.rung >= rung), default=NEVER_US)
        for rung in range(rungs + 1)
    ]


def _counts(units: Sequence[int], cores: Sequence[int]) -> dict[str, NDArray[np.int64]]:
    """Number of cores above and below each rung, and where the next unit begins."""
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
