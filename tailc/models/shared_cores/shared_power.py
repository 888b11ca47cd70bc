"""Power, or lost batch work, of requests whose rungs share cores."""

from __future__ import annotations

import numpy as np

from tailc.forms.ladder.lanes import BATCH
from tailc.forms.ladder.table import Ladder
from tailc.forms.ladder.units import POWER, WATTS
from tailc.models.pools import pools
from tailc.models.shared_cores.outcome import SharedCoresOutcome
from tailc.percentiles import PPM

_DRAWN = (WATTS, POWER, BATCH)


def power_unit(ladder: Ladder) -> int | None:
    """The cost unit of a ladder that is power, or batch work given up; None if there is none."""
    units = enumerate(ladder.cost_units)
    return next((number for number, unit in units if unit.name in _DRAWN), None)


def mean_cost_of_request(outcome: SharedCoresOutcome, ladder: Ladder) -> float | None:
    """Mean cost of a request, in units of power, or of batch work, times nanoseconds.

    None if rungs cost neither power nor batch work.
    """
    power = mean_power(outcome, ladder)
    return None if power is None else outcome.by_request(power)


def mean_power(outcome: SharedCoresOutcome, ladder: Ladder) -> float | None:
    """Mean power of all requests, or mean batch work lost, in the units of the ladder.

    For each pool: its capacity in use, times the mean cost of its rungs weighted by the time that
    they were in use. A stopped request costs nothing. None if no rung has such a cost.
    """
    unit = power_unit(ladder)
    if unit is None:
        return None
    cost_ppm = np.array([rung.cost_ppm[unit] for rung in ladder.rungs], dtype=np.float64)
    shared = pools(ladder)
    power = 0.0
    for pool, used in enumerate(outcome.utilization_by_pool):
        held_ns = np.where(shared.pool_of == pool, outcome.rung_ns, 0.0)
        if used and held_ns.sum() > 0:
            each = (held_ns * cost_ppm / shared.cost_ppm).sum() / held_ns.sum()
            power += used * float(shared.capacity_ppm[pool]) / PPM * float(each)
    return power
