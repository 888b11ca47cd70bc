"""Power over time: what a picture has is what the ledger says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tailc.forms.plan.ledger import LedgerEntry
from tailc.models.malleable_jobs.model import course_of as cluster_course
from tailc.models.rigid_jobs.baselines.first_fit import FirstFit
from tailc.models.rigid_jobs.engine import replay_rigid
from tailc.models.rigid_jobs.jobs import SubmittedJob
from tailc.models.rigid_jobs.model import course_of as rigid_course
from tailc.report.pictures.power_series import PowerSeries, power_from_plan, power_from_replay
from tailc.report.pictures.power_stack import power_figures
from tailc.traces.zones import zone_of
from tests.tailc.artifact.published import policy_of
from tests.tailc.models.datacentre.sites import RACK_MW, SMALL, Known, supply
from tests.tailc.report.clusters import two_jobs
from tests.tailc.report.pictures.drawings import (
    SVG,
    areas,
    columns,
    heights,
    levels,
    line_points,
    root_of,
    texts,
    upright_ticks,
)

KW_H = 3_600_000_000


def plan_in(vector):
    found = policy_of(vector).plan
    assert found
    return found


PLAN, CLUSTER = plan_in("plan"), plan_in("plan-cluster")


def power_of(entries, **changes):
    edges_s = tuple(range(0, 900 * len(entries) + 1, 900))
    plain = PowerSeries(1_338_552_000, edges_s, tuple(entries), False, None, {}, {})
    return replace(plain, **changes)


def figures_of(power, *zone):
    return {figure.ident: figure for figure in power_figures(power, *zone)}


def kw(figure):
    """The power of each source in each interval."""
    table = columns(figure)
    return {
        head.removesuffix(" [kW]"): np.array(table[head], float) for head in table if "kW" in head
    }


def bars(figure, tone):
    """The lower and the upper end of the bars of a tone."""
    ticks = upright_ticks(figure)
    (zero,) = [y for y, text in ticks if text == "0"]
    unit = (zero - ticks[-1][0]) / int(ticks[-1][1])
    return [
        tuple(round((zero - float(one.attrib[end])) / unit, 2) for end in ("y1", "y2"))
        for one in root_of(figure).iter(f"{SVG}line")
        if one.attrib["class"] == f"bar {tone}"
    ]


@pytest.mark.parametrize("plan", [PLAN, CLUSTER], ids=["racks", "cluster"])
def test_sources_stand_on_one_another_up_to_the_demand(plan):
    stack = figures_of(power_from_plan(plan))["power-stack"]
    table, drawn = kw(stack), areas(stack)
    np.testing.assert_allclose(table["green, used"] + table["brown"], table["demand"], rtol=1e-5)
    left, right = drawn["brown"][:, 0].min(), drawn["brown"][:, 0].max()
    middles = left + (right - left) * (np.arange(len(table["demand"])) + 0.5) / len(table["demand"])
    for name, below in (("brown", "green, used"), ("green, spilled", "brown")):
        upper, lower = levels(drawn[name], middles)
        np.testing.assert_allclose(lower, levels(drawn[below], middles)[0], atol=0.02)
        kw_of = heights(stack, lower) - heights(stack, upper)
        np.testing.assert_allclose(-kw_of, table[name], atol=2e-3)
    demand = levels(drawn["brown"], middles)[0]
    np.testing.assert_allclose(heights(stack, demand), table["demand"], atol=2e-3)


def test_powers_are_those_worked_out_by_hand():
    """10 and 38 of 56 servers draw 140 W, the others 3 W. The ninth epoch has the power of 66 busy
    ones, and a watt.
    """
    stack = figures_of(power_from_plan(PLAN))["power-stack"]
    table = kw(stack)
    assert table["demand"][0] == pytest.approx((10 * 140 + 46 * 3) / 1e3)
    assert table["demand"][8] == pytest.approx((38 * 140 + 18 * 3) / 1e3)
    assert table["green, expected"][8] == pytest.approx(9.241)
    top = heights(stack, areas(stack)["green, spilled"][:, 1]).max()
    assert top == pytest.approx(9.241, rel=1e-3)


def test_a_bar_is_as_long_as_jobs_begin():
    events = figures_of(power_from_plan(PLAN))["power-events"]
    assert bars(events, "t0") == [(0, 1)] * 3
    assert [text[11:16] for text in columns(events)["interval begins"]] == [
        "12:00",
        "12:30",
        "13:00",
    ]
    assert columns(events)["jobs begin"] == ["1", "1", "1"]


def test_price_and_carbon_have_a_picture_only_where_they_vary():
    entry = LedgerEntry(1, 1, 100_000, 300_000)
    assert list(figures_of(power_of([entry, entry]))) == ["power-stack"]
    dear = figures_of(power_of([entry, replace(entry, brown_udollars_per_kwh=250_000)]))
    assert list(dear) == ["power-stack", "power-price"]
    assert columns(dear["power-price"])["$/kWh"] == ["0.1", "0.25"]
    dirty = figures_of(power_of([entry, replace(entry, brown_mg_per_kwh=450_000)]))
    assert columns(dirty["power-carbon"])["g/kWh"] == ["300", "450"]


def test_a_replay_has_what_came_what_was_forecast_and_who_was_refused():
    """Of six servers the first job takes four, and the others ask for four in vain."""
    jobs = [SubmittedJob(number, at_s, 1_800, 4, 0) for number, at_s in ((1, 0), (2, 0), (3, 10))]
    came = supply([1, 2, 0])
    found = replay_rigid(SMALL, came, Known(came), jobs, FirstFit())
    drawn = figures_of(
        power_from_replay(0, rigid_course(900, jobs, found, (2 * RACK_MW, RACK_MW, 0)))
    )
    table = kw(drawn["power-stack"])
    assert table["green, produced"].tolist() == pytest.approx([0.28, 0.56, 0])
    assert table["green, forecast"].tolist() == pytest.approx([0.56, 0.28, 0])
    assert table["demand"].tolist() == pytest.approx([0.56, 0.56, 0])
    assert table["brown"].tolist() == pytest.approx([0.28, 0, 0])
    events = drawn["power-events"]
    assert bars(events, "t0") == [(0, 1)]
    assert bars(events, "t1") == [(-1, 0), (-1, 0)]
    assert texts(events, "tick")[-3:] == ["1", "0", "1"]
    assert texts(events, "legend") == ["jobs begin", "jobs refused"]


def test_events_of_many_intervals_are_counted_together():
    power = power_of([LedgerEntry(1, 1, 1, 1)] * 1_000, begun={0: 2, 900: 3, 900_000: 4})
    events = figures_of(power)["power-events"]
    assert columns(events)["jobs begin"] == ["5", "4"]


def test_jobs_after_the_last_decision_neither_begin_nor_are_refused():
    came = supply([1])
    late = [SubmittedJob(1, 1, 900, 1, 0)]
    found = replay_rigid(SMALL, came, Known(came), late, FirstFit())
    power = power_from_replay(0, rigid_course(900, late, found, None))
    assert (power.begun, power.refused) == ({}, {})


def test_intervals_of_different_length_have_their_mean_power():
    entries = (LedgerEntry(KW_H, 0, 0, 0), LedgerEntry(KW_H, 0, 0, 0))
    power = power_of(entries, edges_s=(0, 3_600, 3_600 + 1_800))
    assert kw(figures_of(power)["power-stack"])["demand"].tolist() == [1, 2]


def test_a_cluster_s_replay_has_its_own_intervals():
    """Two of four servers are busy for 334 s, then all for 200 s: 30 W a busy one, 1 W another."""
    drawn = figures_of(power_from_replay(0, cluster_course(two_jobs(90_000))))
    table = kw(drawn["power-stack"])
    assert columns(drawn["power-stack"])["begins"][2].startswith("1970-01-01T00:08")
    assert table["demand"].tolist() == pytest.approx([0.062, 0.12, 0.004])
    assert table["green, used"].tolist() == pytest.approx([0.062, 0.09, 0.004])
    assert table["green, spilled"].tolist() == pytest.approx([0.028, 0, 0.086])
    assert columns(drawn["power-events"])["jobs begin"] == ["1", "1"]


def test_a_battery_gives_below_the_demand_and_takes_above_it():
    """Of 4 kWh the sun brings 1 and the battery 2; then of 4 kWh of sun 1 is used and 2 stored."""
    night = LedgerEntry(4 * KW_H, 1 * KW_H, 0, 0, discharged_mj=2 * KW_H)
    noon = LedgerEntry(1 * KW_H, 4 * KW_H, 0, 0, charged_mj=2 * KW_H)
    stack = figures_of(power_of([night, noon], edges_s=(0, 3_600, 7_200)))["power-stack"]
    spans = {
        name: sorted({*heights(stack, outline[:, 1]).round(1).tolist()})
        for name, outline in areas(stack).items()
    }
    assert spans == {
        "green, used": [0, 1],
        "from a battery": [1, 3],
        "brown": [1, 3, 4],
        "into a battery": [1, 3, 4],
        "green, spilled": [3, 4],
    }
    assert kw(stack)["demand"].tolist() == [4, 1]


def test_what_a_plan_s_battery_holds_has_a_picture():
    """Full with a kWh at the start, of which the first hour takes most, and the end the last."""
    stored = figures_of(power_from_plan(plan_in("plan-battery-racks")))["power-stored"]
    (line,) = line_points(stored, "t0")
    held_kwh = heights(stored, [y for _, y in line])
    # What each epoch draws beyond the sun, in mJ: 1.3473, 1.3473 and 0.2637 twice, times 10^9.
    wanted = [1 - mj / 3.6 for mj in (0, 1.3473, 2.6946, 2.9583, 3.222)]
    assert held_kwh[:5] == pytest.approx(wanted, abs=2e-4)
    assert held_kwh[-1] == pytest.approx(0, abs=2e-4)
    assert "power-stored" not in figures_of(power_from_plan(PLAN))


def test_a_picture_tells_its_zone():
    power = power_from_plan(PLAN)
    for figure in figures_of(power).values():
        assert "time [UTC]" in texts(figure, "axis")
    west = figures_of(power, zone_of("America/Denver"))["power-stack"]
    assert "time [America/Denver]" in texts(west, "axis")
    # 12:00 in Greenwich.
    assert "06:00" in texts(west, "tick")


@pytest.mark.parametrize("vector", ["plan-extremes", "plan-slow", "plan-smallest"])
def test_extreme_plans_have_pictures(vector):
    for figure in figures_of(power_from_plan(plan_in(vector))).values():
        assert root_of(figure).tag == f"{SVG}svg"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"entries": ()}, "`entries` must not be empty"),
        ({"edges_s": (0, 0)}, "`edges_s` must begin at 0 and increase"),
        ({"edges_s": (1, 2)}, "`edges_s` must begin at 0 and increase"),
        ({"edges_s": (0, 1, 2)}, "`edges_s` must have one more"),
        ({"forecast_mw": ()}, "`forecast_mw` must have a power for each interval"),
        ({"stored_mj": (0,)}, "`stored_mj` must have a value for each of `edges_s`"),
    ],
)
def test_books_that_do_not_fit_their_times_are_not_drawn(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        replace(power_of([LedgerEntry(1, 1, 1, 1)]), **changes)
