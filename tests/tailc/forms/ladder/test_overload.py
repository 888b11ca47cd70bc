"""What a ladder says of overload, and the rules that go with it."""

from __future__ import annotations

import dataclasses

import pytest

from tailc.forms.ladder.overload import NO_OVERLOAD, Overload
from tailc.forms.ladder.table import Ladder, Rule
from tests.tailc.models.shared_cores.servers import at_once, ladder

PPM = 1_000_000


def overloaded(told: Overload | None, *rules: Rule) -> Ladder:
    held = ladder(at_once((0, 0)))
    names = sorted((*held.rules, *rules), key=lambda rule: rule.value)
    return dataclasses.replace(held, rules=tuple(names), overload=told)


def test_a_request_is_refused_from_so_many_others_on():
    told = Overload(shed_from=3)
    assert [told.refuses(in_system) for in_system in (0, 2, 3, 4)] == [False, False, True, True]


def test_a_request_is_degraded_from_so_many_others_on():
    told = Overload(degrade_from=2, work_ppm=600_000)
    assert [told.work_of(in_system) for in_system in (0, 1, 2, 9)] == [PPM, PPM, 600_000, 600_000]


def test_a_request_is_cut_off_at_its_very_age():
    told = Overload(cut_off_us=500)
    assert [told.cuts_off(age_us) for age_us in (0, 499, 500)] == [False, False, True]


def test_without_a_rule_nobody_loses_anything():
    assert not NO_OVERLOAD.refuses(10**9)
    assert not NO_OVERLOAD.cuts_off(10**9)
    assert NO_OVERLOAD.work_of(10**9) == PPM


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"shed_from": 0}, "`shed_from` must be at least 1"),
        ({"cut_off_us": 0}, "`cut_off_us` must be at least 1"),
        (
            {"degrade_from": 3},
            "`degrade_from` and `work_ppm` must both be present or both be absent",
        ),
        (
            {"work_ppm": 500_000},
            "`degrade_from` and `work_ppm` must both be present or both be absent",
        ),
        ({"degrade_from": -1, "work_ppm": 1}, "negative"),
        ({"degrade_from": 0, "work_ppm": 0}, "`work_ppm` must be 1 to 999,999"),
        ({"degrade_from": 0, "work_ppm": PPM}, "`work_ppm` must be 1 to 999,999"),
        (
            {"shed_from": 5, "degrade_from": 5, "work_ppm": 1},
            "`degrade_from` must be below `shed_from`",
        ),
    ],
)
def test_what_contradicts_itself_cannot_be_said(members, complaint):
    with pytest.raises(ValueError, match=complaint):
        Overload(**members)


@pytest.mark.parametrize(
    ("told", "rules"),
    [
        (None, (Rule.SHED,)),
        (Overload(), ()),
        (Overload(shed_from=3), ()),
        (Overload(shed_from=3), (Rule.CUT_OFF,)),
        (Overload(shed_from=3), (Rule.SHED, Rule.DEGRADE)),
    ],
)
def test_each_rule_goes_with_what_it_needs(told, rules):
    with pytest.raises(ValueError, match=r"must be (absent without|present with) rule"):
        overloaded(told, *rules)


def test_all_three_rules_may_stand_together():
    told = Overload(9, 500_000, 0, 600_000)
    held = overloaded(told, Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE)
    assert held.overload == told
