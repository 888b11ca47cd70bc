"""Power over time: the areas that are drawn are the energy in the books."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.errors import ExitCode
from tailc.forms.plan.ledger import LedgerEntry
from tailc.report.page.content import Page
from tailc.report.page.html_file import LARGEST_BYTES, page_bytes
from tailc.report.page.pages import plan_verdict_page, policy_page
from tailc.report.page.parts import power_section
from tailc.report.pictures.plot import HEIGHT, Plot
from tailc.report.pictures.power_series import PowerSeries, power_from_plan
from tailc.report.pictures.time_axis import Intervals
from tests.tailc.artifact.published import policy_of
from tests.tailc.report.pictures.drawings import SVG, areas, root_of, size

POLICY = policy_of("plan")
assert POLICY.plan
PLAN = POLICY.plan
# An hour of 2 kW, then of 4 kW, with a battery that takes and gives 1 kWh.
KWH_MJ = 3_600_000_000
ENTRIES = (
    LedgerEntry(2 * KWH_MJ, 3 * KWH_MJ, 100_000, 500_000, charged_mj=KWH_MJ),
    LedgerEntry(4 * KWH_MJ, KWH_MJ, 200_000, 500_000, discharged_mj=KWH_MJ),
)
POWER = PowerSeries(1_338_552_000, (0, 3_600, 7_200), ENTRIES, False, None, {}, {}, (0, KWH_MJ, 0))


def test_areas_are_the_energy_that_the_plan_expects():
    """As the plan's vector is told in words: 13.3 kWh green, 2.301 brown and 4.685 left over."""
    (stack, *_) = power_section(power_from_plan(PLAN)).figures
    sizes = {name: size(outline) for name, outline in areas(stack).items()}
    told = {"green, used": 13.3, "brown": 2.301, "green, spilled": 4.685}
    assert sizes.keys() == told.keys()
    whole, energy = sum(sizes.values()), sum(told.values())
    shares = {name: size / whole for name, size in sizes.items()}
    assert shares == pytest.approx({name: kwh / energy for name, kwh in told.items()}, rel=2e-3)


def test_the_table_has_the_mean_power_of_each_hour():
    section = power_section(POWER)
    stack, price, stored = section.figures
    heads, (first, second) = stack.numbers[0].heads, stack.numbers[0].rows
    told = dict(zip(heads, zip(first, second, strict=True), strict=True))
    assert told["green, used [kW]"] == ("2", "1")
    assert told["from a battery [kW]"] == ("0", "1")
    assert told["brown [kW]"] == ("0", "2")
    assert told["into a battery [kW]"] == ("1", "0")
    assert told["demand [kW]"] == ("2", "4")
    assert [row[1] for row in price.numbers[0].rows] == ["0.1", "0.2"]
    assert [row[1] for row in stored.numbers[0].rows] == ["1", "0"]
    assert section.caption == "As it came in the replay."


def test_many_intervals_are_told_together_and_keep_their_energy():
    times = Intervals(0, tuple(range(1_001)))
    values = np.arange(1_000.0)
    shown, means = times.coarse, times.means(values)
    assert len(means) == len(shown.edges_s) - 1 <= 384
    assert shown.edges_s[-1] == 1_000
    assert float(np.dot(means, np.diff(shown.edges_s))) == pytest.approx(values.sum())


def test_a_step_holds_from_its_edge_to_the_next():
    assert Intervals(0, (0, 10, 20, 30)).steps([5, 5, 7]) == [
        *((0.0, 5), (20.0, 5), (20.0, 7), (30.0, 7))
    ]


def test_a_plan_has_its_power_on_every_page_and_the_largest_fits():
    entries = tuple(
        replace(ENTRIES[0], demand_mj=(2 + n % 97) * KWH_MJ, green_mj=100 * KWH_MJ)
        for n in range(2**14)
    )
    edges_s = tuple(range(0, 3_600 * len(entries) + 1, 3_600))
    power = replace(POWER, edges_s=edges_s, entries=entries, stored_mj=None)
    pages: list[Page] = [
        policy_page(POLICY),
        plan_verdict_page(POLICY, power, "words", ExitCode.OK),
    ]
    for page in pages:
        assert "power" in [section.ident for section in page.sections]
        assert len(page_bytes(page)) <= LARGEST_BYTES


def test_a_tick_of_two_lines_stays_above_the_title():
    plot = Plot(Intervals(0, (0, 86_400)).axis, Intervals(0, (0, 1)).axis)
    root = root_of(plot.figure("i", "t", "d", (), []))
    texts = [
        (float(t.attrib["y"]), t.attrib["class"])
        for t in root.iter(f"{SVG}text")
        if "y" in t.attrib
    ]
    ticks = [y for y, kind in texts if kind == "tick middle"]
    assert len(set(ticks)) == 2
    assert max(ticks) <= HEIGHT - 10 - 11
