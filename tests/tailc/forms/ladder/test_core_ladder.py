"""A ladder of whole cores: each rung is one core of one kind, and power is told."""

from __future__ import annotations

import dataclasses

import pytest

from tailc.forms.ladder.table import (
    Boost,
    CostUnit,
    Power,
    Rule,
    Rung,
)
from tests.tailc.forms.ladder.core_ladder_case import FAST, PPM, SLOW, cores


def test_a_well_formed_ladder_of_cores_can_be_made():
    assert cores().power == Power(2, (50_000, 340_000, 0))


@pytest.mark.parametrize("rule", [Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST])
def test_a_core_is_taken_over_only_where_all_are_of_one_kind(rule):
    rules = (Rule.CORE_PER_REQUEST, rule)
    with pytest.raises(
        ValueError,
        match="rules `busy-period-age` and `waited-start-last` need rungs on one type of core",
    ):
        cores(rules=tuple(sorted(rules, key=lambda rule: rule.value)))


@pytest.mark.parametrize("rule", [Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST])
def test_only_requests_with_a_core_take_one_over(rule):
    with pytest.raises(
        ValueError,
        match="rules `busy-period-age` and `waited-start-last` need rule `core-per-request`",
    ):
        cores(rules=(rule,), power=None, rungs=(SLOW, dataclasses.replace(FAST, move_us=None)))


def test_ages_do_not_count_both_from_arrival_and_over_a_busy_period():
    rules = (Rule.AGE_FROM_ARRIVAL, Rule.BUSY_PERIOD_AGE, Rule.CORE_PER_REQUEST)
    with pytest.raises(
        ValueError, match="rules `age-from-arrival` and `busy-period-age` exclude each other"
    ):
        cores(rules=rules)


def test_levels_of_one_kind_of_core_are_rungs_too():
    slow = Rung("1.7 GHz", PPM, (PPM, 1_700_000))
    fast = Rung("3.4 GHz", 2 * PPM, (PPM, 6_800_000), 90)
    units = (CostUnit("cores", 4 * PPM), CostUnit("power"))
    levels = cores(cost_units=units, rungs=(slow, fast), power=Power(1, (0, 0)))
    assert [rung.cost_ppm[0] for rung in levels.rungs] == [PPM, PPM]


UNIT = (CostUnit("slow", 13 * PPM), CostUnit("fast", 2 * PPM))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"power": None}, "`power` must be present with rule `core-per-request`"),
        ({"power": Power(2, (0, 0, 0, 0))}, "`idle_ppm` must have an entry for each cost unit"),
        ({"power": Power(1, (0, 0, 0))}, "unit` must be a cost unit without `capacity_ppm`"),
        (
            {"power": Power(2, (0, 0, 1))},
            "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`",
        ),
        (
            {"rungs": (Rung("both", PPM, (PPM, PPM, PPM)), FAST)},
            "`cost_ppm` of rung `both` must be 1,000,000 for one type of core, else 0",
        ),
        (
            {"rungs": (Rung("none", PPM, (0, 0, PPM)), FAST)},
            "`cost_ppm` of rung `none` must be 1,000,000 for one type of core, else 0",
        ),
        (
            {"rungs": (Rung("half", PPM, (PPM // 2, 0, PPM)), FAST)},
            "`cost_ppm` of rung `half` must be 1,000,000 for one type of core, else 0",
        ),
        (
            {"rungs": (Rung("two", PPM, (2 * PPM, 0, PPM)), FAST)},
            "`cost_ppm` of rung `two` must be 1,000,000 for one type of core, else 0",
        ),
        (
            {"cost_units": (CostUnit("slow", 13 * PPM + 1), *UNIT[1:], CostUnit("power"))},
            "`capacity_ppm` of `slow` must be a multiple of 1,000,000",
        ),
        (
            {"rules": (Rule.BOOST_LAST_RUNG, Rule.CORE_PER_REQUEST), "boost": Boost(0, 1)},
            "rules `boost-last-rung` and `core-per-request` exclude each other",
        ),
        ({"rules": (Rule.MAKE_ROOM,)}, "rule `make-room` needs rule `core-per-request`"),
        ({"rules": ()}, "`power` must be absent without rule `core-per-request`"),
        ({"rules": (), "power": None}, "`move_us` must be absent without rule `core-per-request`"),
    ],
)
def test_a_broken_ladder_of_cores_cannot_be_made(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        cores(**changes)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Rung("r", 1, (), 0), "`move_us` must be absent or at least 1"),
        (lambda: Rung("r", 1, (), -5), "`move_us` must be absent or at least 1"),
        (lambda: Power(1, (0,)), "unit` must be the number of a cost unit, counted from 0"),
        (lambda: Power(-1, (0,)), "unit` must be the number of a cost unit, counted from 0"),
        (lambda: Power(0, (-1,)), "`idle_ppm` must not be negative"),
    ],
)
def test_a_broken_part_cannot_be_made(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()
