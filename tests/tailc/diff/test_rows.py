"""Differences between rows are found exactly, in the fewest ranges."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tailc.diff.rows import ClimbChange, RowChange, matched_labels, row_changes, rung_labels
from tailc.forms.ladder.lookup import row_at
from tailc.forms.ladder.table import AT_ONCE, ON_EXIT, Admission, Climb, Row, Rule, Rung
from tests.tailc.artifact.published import lucene_policy
from tests.tailc.diff.changing import changed_row, with_row
from tests.tailc.forms.random_forms import random_ladder

SEEDS = st.integers(0, 2**32)
LUCENE = lucene_policy().forms[0]


def rows(*parts):
    """(first load, admission, climbs) each, as rows that follow one another."""
    lasts = [part[0] - 1 for part in parts[1:]] + [None]
    return tuple(
        Row(first, last, admission, tuple(Climb(*climb) for climb in climbs))
        for (first, admission, climbs), last in zip(parts, lasts, strict=True)
    )


def ladder(*parts):
    return replace(LUCENE, rows=rows(*parts))


def of_any_rows(rng):
    """A ladder drawn at random that says nothing of sharing: its rows may wait as they like."""
    drawn = random_ladder(rng)
    rules = tuple(rule for rule in drawn.rules if rule not in (Rule.START_BELOW, Rule.GIVE_UP))
    return replace(drawn, rules=rules, sharing=None)


@given(SEEDS)
def test_a_ladder_beside_itself_has_no_difference(seed):
    one = random_ladder(Random(seed))
    assert row_changes(one, one) == ()


@given(SEEDS)
def test_a_planted_change_of_one_row_is_found_exactly(seed):
    rng = Random(seed)
    old = of_any_rows(rng)
    number = rng.randrange(len(old.rows))
    row, expected = changed_row(rng, old.rows[number], rung_labels(old.rungs))
    assert row_changes(old, with_row(old, number, row)) == (expected,)


@given(SEEDS, SEEDS)
def test_a_load_is_in_a_range_of_change_exactly_if_its_rows_differ(seed, other):
    one = of_any_rows(Random(seed))
    one = replace(one, rungs=one.rungs * 4)  # enough for the other's rows
    two = replace(one, rows=random_ladder(Random(other)).rows)
    edges = {0, *(row.first_load for ladder in (one, two) for row in ladder.rows)}
    loads = {max(edge + step, 0) for edge in edges for step in (-1, 0, 1)}
    changes = row_changes(one, two)
    lowest = min(one.rows[0].first_load, two.rows[0].first_load)
    for load in (load for load in loads if load >= lowest):
        before, after = row_at(one, load), row_at(two, load)
        same = (before.admission, before.climbs) == (after.admission, after.climbs)
        holding = [
            change
            for change in changes
            if change.first_load <= load and (change.last_load is None or load <= change.last_load)
        ]
        assert len(holding) == (0 if same else 1)


def test_neighbouring_rows_with_the_same_change_are_one_range():
    old = ladder(
        (1, Admission.after_delay(10), [(0, 0), (100, 1)]), (5, AT_ONCE, [(0, 0), (100, 1)])
    )
    new = ladder(
        (1, Admission.after_delay(10), [(0, 0), (130, 1)]), (5, AT_ONCE, [(0, 0), (130, 1)])
    )
    assert row_changes(old, new) == (
        RowChange(1, None, None, None, (ClimbChange("d2", 100, 130),)),
    )


def test_rows_cut_at_other_loads_are_compared_load_by_load():
    old = ladder((1, AT_ONCE, [(0, 0)]), (10, ON_EXIT, [(0, 0)]))
    new = ladder((1, AT_ONCE, [(0, 0)]), (8, ON_EXIT, [(0, 0)]))
    assert row_changes(old, new) == (RowChange(8, 9, (AT_ONCE, ON_EXIT), None, ()),)


def test_a_first_row_holds_for_the_loads_below_it():
    old, new = ladder((0, AT_ONCE, [(0, 0)])), ladder((3, AT_ONCE, [(0, 0)]))
    assert row_changes(old, new) == ()


def test_another_first_rung_is_told_beside_the_climbs():
    old, new = ladder((0, AT_ONCE, [(0, 1)])), ladder((0, AT_ONCE, [(0, 0), (50, 1)]))
    assert row_changes(old, new) == (
        RowChange(0, None, None, ("d2", "d1"), (ClimbChange("d2", None, 50),)),
    )


def named(*names):
    rungs = tuple(Rung(name, 1_000_000, LUCENE.rungs[0].cost_ppm) for name in names)
    return replace(LUCENE, rungs=rungs, rows=rows((0, AT_ONCE, [(0, 0)])))


def test_rungs_that_were_all_renamed_are_matched_by_place():
    assert matched_labels(named("a", "b"), named("x", "y", "z")) == (("x", "y"), ("x", "y", "z"))
    assert matched_labels(named("a", "b", "c"), named("x")) == (("x", "b", "c"), ("x",))


def test_rungs_of_the_same_name_are_matched_by_it():
    assert matched_labels(named("a", "b"), named("b", "c")) == (("a", "b"), ("b", "c"))


def test_rungs_that_share_a_name_are_told_apart():
    assert rung_labels(named("a", "b", "a").rungs) == ("a (rung 0)", "b", "a (rung 2)")
