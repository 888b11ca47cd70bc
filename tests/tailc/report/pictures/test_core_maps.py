"""Heat maps of cores: each cell has the energy and the letter of its best choice."""

from __future__ import annotations

import numpy as np
import pytest

from tailc.report.pictures.core_maps import core_figures
from tailc.report.pictures.tones import rung_tone
from tailc.specs.cores import PowerUnit
from tailc.studies.core_sizing import CoreSizing, Server, ServerChoice, SizingGrid
from tests.tailc.report.pictures.drawings import SVG, root_of, texts

# By rate and target: energy of the servers in thousandths, None for a miss.
CELLS = (((100_000, 130_000), (None, 120_000)), ((None, None), (270_000, None)))


def sizing_of(cells=CELLS, names=("big <one>", "little"), unit=PowerUnit.WATT):
    rates, targets = len(cells), len(cells[0])
    return CoreSizing(
        tuple(Server(name, f"{name}.yaml", 1_000_000) for name in names),
        unit,
        990_000,
        SizingGrid(tuple(range(1_000, 1_000 * rates + 1, 1_000)),
                   tuple(range(20_000, 20_000 + 10_000 * targets, 10_000))),
        1,
        100,
        tuple(
            tuple(
                tuple(None if one is None else ServerChoice(server, (), 1, one)
                      for server, one in enumerate(cell))
                for cell in row
            )
            for row in cells
        ),
    )  # fmt: skip


def cells(figure):
    """Class, place and tooltip of each cell; those of the legend have no tooltip."""
    return [
        (one.attrib["class"].removeprefix("cell "), float(one.attrib["x"]), float(one.attrib["y"]),
         one[0].text)
        for one in root_of(figure).iter(f"{SVG}rect")
        if len(one)
    ]  # fmt: skip


def test_each_cell_has_its_least_energy():
    energy, _ = core_figures(sizing_of())
    assert texts(energy, "middle")[-3:] == ["100", "120", "270"]
    assert texts(energy, "legend") == ["100 mJ", "270 mJ"]
    found = cells(energy)
    assert [one[3] for one in found] == [
        "100.0 mJ, big <one>", "120.0 mJ, little", "270.0 mJ, big <one>"
    ]  # fmt: skip
    assert [one[0] for one in found] == [rung_tone(step, 8) for step in (0, 1, 7)]
    # The second is above the first, and the third to the right of the second.
    assert found[0][1] == found[1][1] < found[2][1]
    assert found[0][2] > found[1][2] == found[2][2]


def test_each_cell_has_the_letter_of_its_configuration():
    _, best = core_figures(sizing_of())
    assert texts(best, "name") == ["A", "B", "A"]
    assert texts(best, "legend") == ["A  big <one>", "B  little"]
    assert texts(best, "axis") == ["requests per second", "p99 target [ms]"]
    assert texts(best, "tick") == ["1", "2", "20", "30"]


def test_many_cells_have_fewer_ticks_and_no_text_that_does_not_fit():
    many = sizing_of(tuple(((n * 1_000_000, None),) * 30 for n in range(1, 61)))
    energy, best = core_figures(many)
    for figure in (energy, best):
        across = [one.attrib for one in root_of(figure).iter(f"{SVG}text")]
        places = [float(one["x"]) for one in across if one["class"] == "tick middle"]
        assert 8 <= len(places) <= 12
        assert np.diff(places).min() > 40
    assert texts(energy, "on-light") == []
    assert len(cells(energy)) == 1_800


def test_no_configuration_may_meet_any_target():
    energy, best = core_figures(sizing_of((((None, None),),), unit=PowerUnit.SLOW_CORE))
    assert (cells(energy), cells(best)) == ([], [])


@pytest.mark.parametrize("count", [3, 24, 30])
def test_configurations_have_colours_of_their_own(count):
    cells_of = tuple((tuple(1_000 if n == at else None for n in range(count)),)
                     for at in range(count))  # fmt: skip
    _, best = core_figures(sizing_of(cells_of, tuple(f"cores {n}" for n in range(count))))
    assert len({one[0] for one in cells(best)}) == min(count, 24)
