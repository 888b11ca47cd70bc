"""The same requests on a server, or with demands, a little otherwise than was measured."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tailc.forms.ladder.table import CostUnit, Ladder, Rule
from tailc.forms.ladder.units import POWER, WATTS
from tailc.models.perturbations import with_more_work, with_slower_cores, with_slower_rungs
from tailc.models.workload import Workload
from tailc.percentiles import PPM
from tailc.units import printable

# How much an input is changed, up or down.
_PART = 0.1


class Input(enum.StrEnum):
    """Which input is otherwise, and how."""

    MORE_DEMAND = "demand +10 %"
    LESS_DEMAND = "demand -10 %"
    HIGHER_RATE = "rate +10 %"
    LOWER_RATE = "rate -10 %"
    LESS_SPEED = "speed-ups -10 %"
    LESS_POWER = "power -10 %"
    FEWER_CORES = "a core fewer"


@dataclass(frozen=True, eq=False)
class OtherInput:
    """A table where an input is otherwise; `gaps` stretch times of arrival."""

    name: str
    table: Ladder
    load: Workload
    gaps: float = 1.0


def inputs(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """The table with each input otherwise; its rows stay."""
    yield OtherInput(Input.MORE_DEMAND, table, with_more_work(load, 1 + _PART))
    yield OtherInput(Input.LESS_DEMAND, table, with_more_work(load, 1 - _PART))
    yield OtherInput(Input.HIGHER_RATE, table, load, 1 / (1 + _PART))
    yield OtherInput(Input.LOWER_RATE, table, load, 1 / (1 - _PART))
    less = with_slower_cores if Rule.CORE_PER_REQUEST in table.rules else with_slower_rungs
    yield OtherInput(Input.LESS_SPEED, table, less(load, _PART))
    yield from _scarcer(table, load)


def _scarcer(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """On less of each supply that has a limit: a tenth of power, or a core of the type."""
    limited = [at for at, unit in enumerate(table.cost_units) if unit.capacity_ppm is not None]
    for at in limited:
        unit = table.cost_units[at]
        is_power = unit.name in (WATTS, POWER)
        name = Input.LESS_POWER if is_power else Input.FEWER_CORES
        capacity_ppm = _less(unit, is_power=is_power)
        if capacity_ppm <= 0:
            continue
        units = list(table.cost_units)
        units[at] = replace(unit, capacity_ppm=capacity_ppm)
        of = f" of {printable(unit.name)}" if len(limited) > 1 else ""
        yield OtherInput(f"{name}{of}", replace(table, cost_units=tuple(units)), load)


def _less(unit: CostUnit, *, is_power: bool) -> int:
    """Nothing is left of a single core."""
    assert unit.capacity_ppm is not None
    return round(unit.capacity_ppm * (1 - _PART)) if is_power else unit.capacity_ppm - PPM
