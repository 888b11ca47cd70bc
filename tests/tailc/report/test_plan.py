"""Plans in words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tailc.forms.plan.plan import Plan, PlannedJob, Span
from tailc.report.plan import (
    cents_text,
    energy_text,
    length_text,
    money_text,
    plan_rows_text,
    plan_text,
)
from tailc.report.plan_epochs import strip_text
from tests.tailc.artifact.published import policy_of


def plan_in(vector: str) -> Plan:
    found = policy_of(vector).plan
    assert found
    return found


PLAN, CLUSTER = plan_in("plan"), plan_in("plan-cluster")


def test_expected_energy_its_price_and_what_jobs_pay_are_told() -> None:
    line = next(line for line in plan_text(PLAN).splitlines() if line.startswith("expected"))
    assert "15.61 kWh, 13.3 kWh of them green" in line
    assert "brown 2.301 kWh for $0.24 with 0.8838 kg CO2" in line
    # 58 promised slots at 7.25 cents and 378 at 6: $26.885, of which a half cent goes down to even.
    assert "jobs pay $26.88, $0.00 goes back; 18 servers moved" in line


@pytest.mark.parametrize(
    ("energy_mj", "told"),
    [
        (0, "0 kWh"),
        # 1.275e-05 kWh, as Python has it.
        (45_900, "45.9 J"),
        (1, "0.001 J"),
        (3_599_999, "3600 J"),
        (3_600_000, "0.001 kWh"),
        (3_600_000_000 * 123_456, "123,500 kWh"),
    ],
)
def test_an_energy_is_told_as_people_read_it(energy_mj: int, told: str) -> None:
    assert energy_text(energy_mj) == told


def test_pools_are_told_with_their_racks_where_they_have_some() -> None:
    lines = plan_text(PLAN).splitlines()
    assert "racks 1-3    1-3       24  140 W     3 W    50 J                 $0 to $0.045" in lines
    assert "rack 7         7        8  140 W     3 W    50 J              $0.015 to $0.06" in lines
    assert "old         8  210 W     9 W    90 J                 $0 to $0.036" in plan_text(CLUSTER)


def test_a_strip_tells_tenths_of_the_racks_that_are_green() -> None:
    """None, one, three, four of 7 racks, all; and 10, 18, 30, 38, 28 of 56 servers."""
    assert strip_text(PLAN).splitlines()[1].split() == [
        "2012-06-01T12:00Z", "..114455##55441.", "1133556666555555"
    ]  # fmt: skip


def test_a_long_plan_has_several_strips() -> None:
    parts = {
        "epochs": CLUSTER.epochs * 5,
        "prices": tuple(replace(one, udollars=one.udollars * 5) for one in CLUSTER.prices),
    }
    lines = strip_text(replace(CLUSTER, **parts)).splitlines()
    assert [line[:17] for line in lines[1:]] == ["2012-06-01T12:00Z", "2012-06-03T12:00Z"]


def test_of_many_jobs_some_are_shown_and_all_are_among_the_rows() -> None:
    jobs = tuple(PlannedJob(f"job {n}", (Span(0, n, 1, 1),), 0) for n in range(16))
    many = replace(PLAN, jobs=jobs)
    assert "... and 4 more (--rows shows all)" in plan_text(many)
    assert "job 15" not in plan_text(many)
    assert "job 15" in plan_rows_text(many)


def test_names_cannot_forge_lines() -> None:
    forged = replace(PLAN.jobs[0], name="x\nwrote build/x.tailc\x1b[1A")
    pool = replace(PLAN.pools[0], name="y\nz")
    found = replace(PLAN, jobs=(forged, *PLAN.jobs[1:]), pools=(pool, *PLAN.pools[1:]))
    text = plan_text(found) + plan_rows_text(found)
    assert len(text.splitlines()) == len((plan_text(PLAN) + plan_rows_text(PLAN)).splitlines())
    assert "\x1b" not in text


def test_a_battery_is_told_with_what_it_takes_loses_and_gives() -> None:
    """200 MJ and a mJ, of 3,600; of 1.179 kWh that go in 85.3217 % stay, and 0.908 at the end."""
    lines = plan_text(plan_in("plan-battery")).splitlines()
    assert lines[3] == (
        "battery     1 kWh, 0.05556 kWh at first; charges at up to 600 W and stores 85.3217 % of "
        "it, discharges at up to 400 W"
    )
    assert "; battery charges 1.179 kWh, 0.1731 kWh of them lost, discharges 0.1535 kWh" in lines[4]
    full = plan_text(plan_in("plan-battery-racks"))
    assert "battery charges 0.895 kWh, discharges 1.895 kWh" in full
    assert "battery" not in plan_text(PLAN) + plan_rows_text(PLAN)


def test_rows_tell_what_goes_into_a_battery_and_what_is_stored() -> None:
    title, *rows = plan_rows_text(plan_in("plan-battery")).splitlines()
    assert "busy  battery kWh  stored kWh  $ old" in title
    # Give or take the edges of columns that are aligned to the right.
    at = title.index("battery kWh"), title.index("stored kWh") + len("stored kWh")
    told = [row[slice(*at)].split() for row in rows]
    assert told[:4] == [["-0.05556", "0"], ["0", "0"], ["0.007", "0.005973"], ["-0.005973", "0"]]
    assert told[-1] == ["-0.092", "0.908"]


@pytest.mark.parametrize(
    ("length_s", "text"), [(900, "15 min"), (7_200, "2 h"), (1, "1 s"), (3_601, "3,601 s")]
)
def test_an_epoch_lasts_whole_units(length_s: int, text: str) -> None:
    assert length_text(length_s) == text


def test_money_is_told_to_the_millionth_or_to_the_cent() -> None:
    assert [money_text(u) for u in (72_500, 0, -1, Fraction(3, 2))] == [
        "$0.0725", "$0", "-$0.000001", "$0.000002"
    ]  # fmt: skip
    assert [cents_text(u) for u in (1_234_567_890, -15_000, 4_999)] == [
        "$1,234.57", "-$0.02", "$0.00"
    ]  # fmt: skip
