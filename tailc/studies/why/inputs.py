"""Change the inputs of a replay a little: demand, rate, speed-ups, power or cores."""

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

# Relative change of an input, up or down.
_PART = 0.1


class InputChange(enum.StrEnum):
    """Which input is changed, and by how much."""

    MORE_DEMAND = "demand +10 %"
    LESS_DEMAND = "demand -10 %"
    HIGHER_RATE = "rate +10 %"
    LOWER_RATE = "rate -10 %"
    LESS_SPEED = "speed-ups -10 %"
    LESS_POWER = "power -10 %"
    FEWER_CORES = "a core fewer"


@dataclass(frozen=True, eq=False)
class OtherInput:
    """A table with a changed input. gaps: factor of the gaps between arrivals."""

    name: str
    table: Ladder
    load: Workload
    gaps: float = 1.0


def changed_inputs(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """The table with each input changed in turn; its rows stay."""
    yield OtherInput(InputChange.MORE_DEMAND, table, with_more_work(load, 1 + _PART))
    yield OtherInput(InputChange.LESS_DEMAND, table, with_more_work(load, 1 - _PART))
    yield OtherInput(InputChange.HIGHER_RATE, table, load, 1 / (1 + _PART))
    yield OtherInput(InputChange.LOWER_RATE, table, load, 1 / (1 - _PART))
    less = with_slower_cores if Rule.CORE_PER_REQUEST in table.rules else with_slower_rungs
    yield OtherInput(InputChange.LESS_SPEED, table, less(load, _PART))
    yield from _scarcer(table, load)


def _scarcer(table: Ladder, load: Workload) -> Iterator[OtherInput]:
    """The table with less of each limited supply: 10 % of the power, or one core of a type."""
    limited = [at for at, unit in enumerate(table.cost_units) if unit.capacity_ppm is not None]
    for at in limited:
        unit = table.cost_units[at]
        is_power = unit.name in (WATTS, POWER)
        name = InputChange.LESS_POWER if is_power else InputChange.FEWER_CORES
        capacity_ppm = _less(unit, is_power=is_power)
        if capacity_ppm <= 0:
            continue
        units = list(table.cost_units)
        units[at] = replace(unit, capacity_ppm=capacity_ppm)
        of = f" of {printable(unit.name)}" if len(limited) > 1 else ""
        yield OtherInput(f"{name}{of}", replace(table, cost_units=tuple(units)), load)


def _less(unit: CostUnit, *, is_power: bool) -> int:
    """The reduced capacity of a supply; 0 for a single core."""
    assert unit.capacity_ppm is not None
    return round(unit.capacity_ppm * (1 - _PART)) if is_power else unit.capacity_ppm - PPM
