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
    with pytest.raises(ValueError, match="cores of one kind"):
        cores(rules=tuple(sorted(rules, key=lambda rule: rule.value)))


@pytest.mark.parametrize("rule", [Rule.BUSY_PERIOD_AGE, Rule.WAITED_START_LAST])
def test_only_requests_with_a_core_take_one_over(rule):
    with pytest.raises(ValueError, match="only requests with a core take one over"):
        cores(rules=(rule,), power=None, rungs=(SLOW, dataclasses.replace(FAST, move_us=None)))


def test_ages_do_not_count_both_from_arrival_and_over_a_busy_period():
    rules = (Rule.AGE_FROM_ARRIVAL, Rule.BUSY_PERIOD_AGE, Rule.CORE_PER_REQUEST)
    with pytest.raises(ValueError, match="from arrival, or over"):
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
        ({"power": None}, "needs its power"),
        ({"power": Power(2, (0, 0, 0, 0))}, "by cost unit"),
        ({"power": Power(1, (0, 0, 0))}, "no capacity that requests share"),
        ({"power": Power(2, (0, 0, 1))}, "only free cores"),
        ({"rungs": (Rung("both", PPM, (PPM, PPM, PPM)), FAST)}, "`both` is not one core"),
        ({"rungs": (Rung("none", PPM, (0, 0, PPM)), FAST)}, "`none` is not one core"),
        ({"rungs": (Rung("half", PPM, (PPM // 2, 0, PPM)), FAST)}, "`half` is not one core"),
        ({"rungs": (Rung("two", PPM, (2 * PPM, 0, PPM)), FAST)}, "`two` is not one core"),
        (
            {"cost_units": (CostUnit("slow", 13 * PPM + 1), *UNIT[1:], CostUnit("power"))},
            "`slow` is not a whole number of cores",
        ),
        (
            {"rules": (Rule.BOOST_LAST_RUNG, Rule.CORE_PER_REQUEST), "boost": Boost(0, 1)},
            "needs no boost",
        ),
        ({"rules": (Rule.MAKE_ROOM,)}, "only requests with a core make room"),
        ({"rules": ()}, "power is told of rungs that are cores"),
        ({"rules": (), "power": None}, "only a move to another core takes time"),
    ],
)
def test_a_broken_ladder_of_cores_cannot_be_made(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        cores(**changes)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Rung("r", 1, (), 0), "takes time"),
        (lambda: Rung("r", 1, (), -5), "takes time"),
        (lambda: Power(1, (0,)), "no cost unit"),
        (lambda: Power(-1, (0,)), "no cost unit"),
        (lambda: Power(0, (-1,)), "less than nothing"),
    ],
)
def test_a_broken_part_cannot_be_made(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()
