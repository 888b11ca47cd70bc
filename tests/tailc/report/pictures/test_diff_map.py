"""The map of a change says what both look-ups answer."""

from __future__ import annotations

import dataclasses
import random
from xml.etree import ElementTree

from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import LoadAxis
from tailc.report.pictures.diff_map import diff_map_figure
from tailc.report.pictures.ladder_map import extent
from tailc.report.pictures.plot import LegendEntry, Plot
from tailc.report.pictures.tones import change_tone
from tests.tailc.models.shared_cores.servers import at_once, ladder, random_ladder

SVG = "{http://www.w3.org/2000/svg}"


def pair(rng):
    rungs = rng.randint(1, 4)
    return random_ladder(rng, rungs), random_ladder(rng, rungs)


def test_every_point_has_the_colour_of_the_change_of_the_look_up():
    rng = random.Random(5)
    for old, new in [pair(rng) for _ in range(25)]:
        figure = diff_map_figure("change", "change", old, new)
        assert figure is not None
        root = ElementTree.fromstring(figure.svg)
        areas = []
        for each in root.iter(f"{SVG}rect"):
            x, y, width, height = (float(each.attrib[n]) for n in ("x", "y", "width", "height"))
            if each.find(f"{SVG}title") is not None:
                tone = each.attrib["class"].removeprefix("cell ")
                areas.append((x, y, x + width, y + height, tone))
        shown = extent(old, new)
        entries = [t for t in root.iter(f"{SVG}text") if t.attrib["class"] == "legend"]
        legend = tuple(LegendEntry(t.text or "", "same", "area") for t in entries)
        plot = Plot(shown.x, shown.y, legend, 420.0)
        for _ in range(40):
            load, age_us = rng.randint(1, shown.last_load), rng.randrange(shown.last_age_us)
            x, y = plot.to_canvas(load, age_us / 1_000)
            was, now = (lookup(each, load, 0, age_us).rung for each in (old, new))
            tones = {tone for a, b, c, d, tone in areas if a <= x <= c and b <= y <= d}
            assert change_tone(now - was) in tones


def test_the_table_says_what_answers_were_and_are():
    old, new = ladder(at_once((0, 0), (20, 1)), rungs=2), ladder(at_once((0, 0), (35, 1)), rungs=2)
    figure = diff_map_figure("change", "change", old, new)
    assert figure is not None
    assert figure.numbers[0].rows == (
        ("1 and more in the system", "at once", "at once", "0", "20", "d1", "d1"),
        ("1 and more in the system", "at once", "at once", "20", "35", "d2", "d1"),
        ("1 and more in the system", "at once", "at once", "35", "", "d2", "d2"),
    )
    assert "1 rung lower" in figure.svg
    assert "higher" not in figure.svg


def test_ladders_that_count_load_otherwise_have_no_map():
    old = ladder(at_once((0, 0)))
    assert diff_map_figure("c", "c", old, dataclasses.replace(old, load_axis=LoadAxis.RATE)) is None
