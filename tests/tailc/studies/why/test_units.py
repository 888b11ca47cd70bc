"""What figures of a table count, and of which supplies there may be less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tailc.forms.ladder.table import CostUnit
from tailc.percentiles import PPM
from tailc.studies.why.cell_explanation import changed_inputs
from tailc.studies.why.units import held_unit, used_unit
from tests.tailc.tuning import core_case
from tests.tailc.tuning.case import MS, exponential, ladder

THREADS = ladder((10 * MS, 20 * MS), boost=False)


def with_units(units, *costs_ppm):
    """The table with other units, and what each rung costs in them."""
    rungs = (
        replace(rung, cost_ppm=cost) for rung, cost in zip(THREADS.rungs, costs_ppm, strict=True)
    )
    return replace(THREADS, cost_units=units, rungs=tuple(rungs))


JOINT = with_units(
    (CostUnit("watts", 20 * PPM), CostUnit("cores")), (PPM, PPM), (3 * PPM, PPM), (6 * PPM, 2 * PPM)
)
TYPES = with_units(
    (CostUnit("power"), CostUnit("little cores", 4 * PPM), CostUnit("big cores", 2 * PPM)),
    *((PPM, PPM, 0), (2 * PPM, 2 * PPM, 0), (6 * PPM, 0, PPM)),
)


@pytest.mark.parametrize(
    ("table", "held", "used"),
    [
        (THREADS, "threads", "threads"),
        (JOINT, "watts", "watts"),
        (TYPES, "cores", "cores"),
        (core_case.clocked(MS), "cores", "power"),
    ],
)
def test_figures_are_called_what_they_count(table, held, used):
    assert (held_unit(table), used_unit(table)) == (held, used)


@pytest.mark.parametrize(
    ("table", "left"),
    [
        (THREADS, {"a core fewer": (3 * PPM,)}),
        (JOINT, {"power -10 %": (18 * PPM, None)}),
        (
            TYPES,
            {
                "a core fewer of little cores": (None, 3 * PPM, 2 * PPM),
                "a core fewer of big cores": (None, 4 * PPM, PPM),
            },
        ),
    ],
)
def test_there_may_be_less_of_what_has_a_limit(table, left):
    found = {
        case.name: tuple(unit.capacity_ppm for unit in case.table.cost_units)
        for case in changed_inputs(table, exponential(10, 30.0))
        if case.table != table
    }
    assert found == left
