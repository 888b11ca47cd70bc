"""The same requests on a server, or with demands, a little otherwise than was measured."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import replace

from tailc.forms.ladder.table import Ladder
from tailc.percentiles import PPM
from tailc.pipeline.why.bench import Case
from tailc.replay.otherwise import longer, slower
from tailc.replay.workload import Workload

# How much an input is changed, up or down.
_PART = 0.1


class Input(enum.Enum):
    """Which input is otherwise, and how."""

    MORE_DEMAND = "demand +10 %"
    LESS_DEMAND = "demand -10 %"
    HIGHER_RATE = "rate +10 %"
    LOWER_RATE = "rate -10 %"
    LESS_SPEED = "speed-ups -10 %"
    FEWER_CORES = "a core fewer"


def inputs(table: Ladder, load: Workload) -> Iterator[tuple[Input, Case]]:
    """The table with each input otherwise; the table stays."""
    yield Input.MORE_DEMAND, Case(table, longer(load, 1 + _PART))
    yield Input.LESS_DEMAND, Case(table, longer(load, 1 - _PART))
    yield Input.HIGHER_RATE, Case(table, gaps=1 / (1 + _PART))
    yield Input.LOWER_RATE, Case(table, gaps=1 / (1 - _PART))
    yield Input.LESS_SPEED, Case(table, slower(load, _PART))
    fewer = _fewer_cores(table)
    if fewer is not None:
        yield Input.FEWER_CORES, Case(fewer)


def _fewer_cores(table: Ladder) -> Ladder | None:
    """On one core less; None where there is only one, or no limit, or cores of several kinds."""
    unit = table.cost_units[0]
    if len(table.cost_units) > 1 or unit.capacity_ppm is None or unit.capacity_ppm <= PPM:
        return None
    return replace(table, cost_units=(replace(unit, capacity_ppm=unit.capacity_ppm - PPM),))
