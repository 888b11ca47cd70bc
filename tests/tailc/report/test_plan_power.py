"""Pictures of power: what is drawn is what the books say."""

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
from tailc.report.plan_power import PowerSeries, power_from_plan, power_from_replay
from tailc.report.plan_power_plot import draw, picture
from tailc.traces.zones import zone_of
from tests.tailc.artifact.published import policy_of
from tests.tailc.models.datacentre.sites import RACK_MW, SMALL, Known, supply
from tests.tailc.report.clusters import two_jobs
from tests.tailc.report.drawn_axes import axes_of, steps_of, ticks_at
from tests.tailc.report.hash_seeds import with_hash_seed

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


def test_sources_stand_on_one_another_up_to_the_demand():
    for plan in (PLAN, CLUSTER):
        found = steps_of(axes_of(draw, power_from_plan(plan))[0])
        green, brown = found["green, used"], found["brown"]
        assert not green.baseline.any()
        np.testing.assert_array_equal(brown.baseline, green.values)
        np.testing.assert_array_equal(brown.values, found["demand"].values)
        np.testing.assert_array_equal(found["green, spilled"].baseline, brown.values)


def test_areas_are_the_energy_that_the_plan_expects():
    """As the plan's vector is told in words: 13.3 kWh green, 2.301 brown and 4.685 left over."""
    found = steps_of(axes_of(draw, power_from_plan(PLAN))[0])
    areas = {
        label: ((drawn.values - drawn.baseline) * np.diff(drawn.edges)).sum() / 3_600
        for label, drawn in found.items()
        if drawn.baseline is not None
    }
    told = {"green, used": 13.3, "brown": 2.301, "green, spilled": 4.685}
    assert areas == pytest.approx(told, rel=5e-4)


def test_powers_are_those_worked_out_by_hand():
    """10 and 38 of 56 servers draw 140 W, the others 3 W. The ninth epoch has the power of 66 busy
    ones, and a watt.
    """
    found = steps_of(axes_of(draw, power_from_plan(PLAN))[0])
    assert found["demand"].values[0] == pytest.approx((10 * 140 + 46 * 3) / 1e3)
    assert found["demand"].values[8] == pytest.approx((38 * 140 + 18 * 3) / 1e3)
    assert found["green, expected"].values[8] == pytest.approx(9.241)
    assert found["green, spilled"].values[8] == pytest.approx(9.241)


def test_a_tick_is_as_long_as_jobs_begin():
    jobs = axes_of(draw, power_from_plan(PLAN))[1]
    assert ticks_at(jobs) == {"jobs begin": {0: 1, 1_800: 1, 3_600: 1}}


def test_price_and_carbon_have_a_panel_only_where_they_vary():
    entry = LedgerEntry(1, 1, 100_000, 300_000)
    flat = axes_of(draw, power_of([entry, entry]))
    assert [axes.get_ylabel() for axes in flat] == ["power [kW]"]
    dear = axes_of(draw, power_of([entry, replace(entry, brown_udollars_per_kwh=250_000)]))
    assert [axes.get_ylabel() for axes in dear] == ["power [kW]", "brown\n[$/kWh]"]
    (price,) = dear[1].patches
    assert price.get_data().values.tolist() == [0.1, 0.25]
    dirty = axes_of(draw, power_of([entry, replace(entry, brown_mg_per_kwh=450_000)]))
    (carbon,) = dirty[1].patches
    assert carbon.get_data().values.tolist() == [300, 450]


def test_a_replay_has_what_came_what_was_forecast_and_who_was_refused():
    """Of six servers the first job takes four, and the others ask for four in vain."""
    jobs = [SubmittedJob(number, at_s, 1_800, 4, 0) for number, at_s in ((1, 0), (2, 0), (3, 10))]
    came = supply([1, 2, 0])
    found = replay_rigid(SMALL, came, Known(came), jobs, FirstFit())
    power = power_from_replay(0, rigid_course(900, jobs, found, (2 * RACK_MW, RACK_MW, 0)))
    top, panel = axes_of(draw, power)
    drawn = steps_of(top)
    assert drawn["green, produced"].values.tolist() == pytest.approx([0.28, 0.56, 0])
    assert drawn["green, forecast"].values.tolist() == pytest.approx([0.56, 0.28, 0])
    assert drawn["demand"].values.tolist() == pytest.approx([0.56, 0.56, 0])
    assert drawn["brown"].baseline.tolist() == pytest.approx([0.28, 0.56, 0])
    assert ticks_at(panel) == {"jobs begin": {0: 1}, "jobs refused": {0: -1, 900: -1}}
    assert [label.get_text() for label in panel.get_yticklabels()] == ["1", "0", "1"]


def test_jobs_after_the_last_decision_neither_begin_nor_are_refused():
    came = supply([1])
    late = [SubmittedJob(1, 1, 900, 1, 0)]
    found = replay_rigid(SMALL, came, Known(came), late, FirstFit())
    power = power_from_replay(0, rigid_course(900, late, found, None))
    assert (power.begun, power.refused) == ({}, {})


def test_intervals_of_different_length_have_their_mean_power():
    entries = (LedgerEntry(KW_H, 0, 0, 0), LedgerEntry(KW_H, 0, 0, 0))
    power = power_of(entries, edges_s=(0, 3_600, 3_600 + 1_800))
    (axes,) = axes_of(draw, power)
    assert steps_of(axes)["demand"].values.tolist() == [1, 2]


def test_a_cluster_s_replay_has_its_own_intervals():
    """Two of four servers are busy for 334 s, then all for 200 s: 30 W a busy one, 1 W another."""
    found = two_jobs(90_000)
    top, panel = axes_of(draw, power_from_replay(0, cluster_course(found)))
    drawn = steps_of(top)
    assert drawn["demand"].edges.tolist() == [0, 334, 534, 900]
    assert drawn["demand"].values.tolist() == pytest.approx([0.062, 0.12, 0.004])
    assert drawn["green, used"].values.tolist() == pytest.approx([0.062, 0.09, 0.004])
    assert drawn["green, spilled"].values.tolist() == pytest.approx([0.09, 0.12, 0.09])
    assert ticks_at(panel) == {"jobs begin": {0: 1, 334: 1}}


def test_a_battery_gives_below_the_demand_and_takes_above_it():
    """Of 4 kWh the sun brings 1 and the battery 2; then of 4 kWh of sun 1 is used and 2 stored."""
    night = LedgerEntry(4 * KW_H, 1 * KW_H, 0, 0, discharged_mj=2 * KW_H)
    noon = LedgerEntry(1 * KW_H, 4 * KW_H, 0, 0, charged_mj=2 * KW_H)
    power = power_of([night, noon], edges_s=(0, 3_600, 7_200))
    (axes,) = axes_of(draw, power)
    drawn = steps_of(axes)
    spans = {
        name: list(zip(data.baseline.tolist(), data.values.tolist(), strict=True))
        for name, data in drawn.items()
        if data.baseline is not None
    }
    assert spans == {
        "green, used": [(0, 1), (0, 1)],
        "from a battery": [(1, 3), (1, 1)],
        "brown": [(3, 4), (1, 1)],
        "into a battery": [(4, 4), (1, 3)],
        "green, spilled": [(4, 4), (3, 4)],
    }
    assert drawn["demand"].values.tolist() == [4, 1]


def test_what_a_plan_s_battery_holds_has_a_panel():
    """Full with a kWh at the start, of which the first hour takes most, and the end the last."""
    plan = plan_in("plan-battery-racks")
    panel = next(
        axes for axes in axes_of(draw, power_from_plan(plan)) if "stored" in axes.get_ylabel()
    )
    across_s, held_kwh = panel.lines[0].get_data()
    assert list(across_s[:2]) == [0, 900]
    assert held_kwh[0] == 1
    # What each epoch draws beyond the sun, in mJ: 1.3473, 1.3473 and 0.2637 twice, times 10^9.
    assert held_kwh[1:5] == pytest.approx([1 - mj / 3.6 for mj in (1.3473, 2.6946, 2.9583, 3.222)])
    assert held_kwh[-1] == pytest.approx(0)
    assert not [
        axes for axes in axes_of(draw, power_from_plan(PLAN)) if "stored" in axes.get_ylabel()
    ]


def test_a_picture_tells_its_zone():
    assert "time [UTC]" in picture(power_from_plan(PLAN), "svg").decode()
    west = picture(power_from_plan(PLAN), "svg", zone_of("America/Denver")).decode()
    assert "time [America/Denver]" in west
    # 12:00 in Greenwich.
    assert "<!-- 06:00 -->" in west


@pytest.mark.parametrize("vector", ["plan-extremes", "plan-slow", "plan-smallest"])
def test_extreme_plans_have_a_picture(vector):
    assert picture(power_from_plan(plan_in(vector)), "png").startswith(b"\x89PNG")


def test_the_same_books_have_the_same_bytes():
    drawn = picture(power_from_plan(CLUSTER), "svg")
    code = """
    from tailc.report.plan_power import power_from_plan
    from tailc.report.plan_power_plot import picture
    written = picture(power_from_plan(policy_of("plan-cluster").plan), "svg")
    """
    assert with_hash_seed("1", code) == with_hash_seed("2", code) == drawn


@pytest.mark.parametrize(
    "changes",
    [
        {"entries": ()},
        {"edges_s": (0, 0)},
        {"edges_s": (1, 2)},
        {"edges_s": (0, 1, 2)},
        {"forecast_mw": ()},
        {"stored_mj": (0,)},
    ],
)
def test_books_that_do_not_fit_their_times_are_not_drawn(changes):
    with pytest.raises(ValueError, match="interval"):
        replace(power_of([LedgerEntry(1, 1, 1, 1)]), **changes)
