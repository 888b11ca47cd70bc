"""The map says what a look-up answers."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tailc.forms.ladder.lanes import Lanes, lane_ladder, plan_at_any_load
from tailc.forms.ladder.lookup import lookup
from tailc.forms.ladder.table import Rule
from tailc.report.pictures.ladder_map import extent
from tailc.report.pictures.plot import Plot
from tailc.report.pictures.policy_map import map_figure
from tailc.report.pictures.tones import rung_tone
from tailc.report.policy import ladder_text
from tests.tailc.models.shared_cores.servers import random_ladder
from tests.tailc.report.page.pages_made import LADDER, OCCUPANCY

SVG = "{http://www.w3.org/2000/svg}"


def rectangles(figure):
    """Left, top, right, bottom and tone of each area of a rung."""
    root = ElementTree.fromstring(figure.svg)
    for each in root.iter(f"{SVG}rect"):
        tone = each.attrib["class"].split()[-1]
        if re.fullmatch(r"r\d", tone) and each.find(f"{SVG}title") is not None:
            x, y, width, height = (float(each.attrib[n]) for n in ("x", "y", "width", "height"))
            yield x, y, x + width, y + height, tone


def test_every_point_of_the_map_has_the_colour_of_the_rung_looked_up():
    rng = random.Random(3)
    for ladder in [LADDER, *(random_ladder(rng) for _ in range(20))]:
        figure = map_figure("map", "map", ladder, None)
        areas = list(rectangles(figure))
        shown = extent(ladder)
        waits = any(row.admission.kind.value != "at-once" for row in ladder.rows)
        legend = figure_legend(figure)
        plot = Plot(shown.x, shown.y, legend, 420.0, 18.0 if waits else 0.0)
        for _ in range(40):
            load = rng.randint(1, shown.last_load)
            age_us = rng.randrange(shown.last_age_us)
            x, y = plot.to_canvas(load, age_us / 1_000)
            tones = {tone for a, b, c, d, tone in areas if a <= x <= c and b <= y <= d}
            rung = lookup(ladder, load, 0, age_us).rung
            assert rung_tone(rung, len(ladder.rungs)) in tones


@pytest.mark.parametrize(
    ("rules", "origin"),
    [
        ((), "start"),
        ((Rule.WAITED_START_LAST,), "start"),
        ((Rule.AGE_FROM_ARRIVAL,), "arrival"),
        ((Rule.BUSY_PERIOD_AGE,), "idle time of the core"),
    ],
)
def test_the_axis_of_ages_names_what_they_count_from(rules, origin):
    ladder = lane_ladder(Lanes(2, 400_000, 250_000), plan_at_any_load(9_000, 2))
    every = {Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, *rules}
    ladder = replace(ladder, rules=tuple(sorted(every, key=lambda rule: rule.value)))
    assert extent(ladder).y.title == f"age since {origin} [ms]"
    assert ladder_text(ladder).splitlines()[0].endswith(f"then, by age since the {origin}")


def figure_legend(figure):
    """As many entries as make the picture's own legend as high: rows stand 20 apart."""
    from tailc.report.pictures.plot import LegendEntry

    root = ElementTree.fromstring(figure.svg)
    texts = [t for t in root.iter(f"{SVG}text") if t.attrib["class"] == "legend"]
    return tuple(LegendEntry(t.text or "", "r0", "area") for t in texts)


def test_dots_stand_where_requests_spend_their_time():
    figure = map_figure("map", "map", LADDER, OCCUPANCY)
    (dots,) = [each for each in figure.numbers if each.name == "map-traffic"]
    assert [row[0] for row in dots.rows] == ["1", "2"]
    assert [float(row[2]) for row in dots.rows] == pytest.approx([40, 60])
    root = ElementTree.fromstring(figure.svg)
    radii = [
        float(c.attrib["r"]) for c in root.iter(f"{SVG}circle") if c.find(f"{SVG}title") is not None
    ]
    assert radii[0] ** 2 / radii[1] ** 2 == pytest.approx(40 / 60, rel=0.01)


def test_the_rows_of_the_table_are_the_climbs():
    (rows, *_) = map_figure("map", "map", LADDER, None).numbers
    assert rows.rows[1:4] == (
        ("3 to 4 in the system", "after 5 ms", "d1", "0", "20"),
        ("3 to 4 in the system", "after 5 ms", "d2", "20", "60"),
        ("3 to 4 in the system", "after 5 ms", "d3", "60", ""),
    )
