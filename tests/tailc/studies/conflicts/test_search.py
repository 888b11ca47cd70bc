"""Sets of lines that cannot all hold, held against all subsets of a few lines."""

from itertools import chain, combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.studies.conflicts.lines import SpecLine
from tailc.studies.conflicts.search import Trials, relaxations

NAMES = ("a", "b", "c", "d")
MOST = 60


def line(name, written=10, *, is_raised=True):
    return SpecLine((name,), written, 0, "", is_raised)


def trials_of(meets, most=10_000, limit=MOST):
    """Specs are right whose values are from 1 to the limit; `meets` gets a value for each name."""

    def is_feasible(values):
        return meets({name: values.get((name,), 10) for name in NAMES})

    def is_right(values):
        return all(1 <= steps <= limit for steps in values.values())

    return Trials(is_right, is_feasible, most)


def found(lines, meets, **limits):
    told = relaxations(lines, trials_of(meets, **limits))
    return {one.line.path[0]: (one.least, one.among) for one in told}


def test_two_lines_that_add_up_to_too_little_are_a_conflict_and_each_may_give():
    lines = [line("a"), line("b"), line("c")]
    assert found(lines, lambda at: at["a"] + at["b"] >= 35) == {"a": (25, 2), "b": (25, 2)}


def test_a_line_that_is_lowered_gives_downwards():
    lines = [line("a", is_raised=False), line("b")]
    told = found(lines, lambda at: at["b"] >= 4 * at["a"])
    assert told == {"a": (2, 2), "b": (40, 2)}


def test_conflicts_that_have_nothing_to_do_with_each_other_are_all_told():
    lines = [line("a"), line("b"), line("c")]
    told = found(lines, lambda at: at["a"] >= 12 and at["b"] + at["c"] >= 31)
    assert told == {"a": (12, 1), "b": (21, 2), "c": (21, 2)}


def test_lines_that_must_both_give_are_a_conflict_each():
    # With 60 the most of either, none of them can stay at 10.
    lines = [line("a"), line("b")]
    assert found(lines, lambda at: at["a"] + at["b"] >= 110) == {"a": (50, 1), "b": (50, 1)}


def test_nothing_is_told_where_all_can_be_met_no_line_helps_or_the_budget_is_short():
    lines = [line("a"), line("b")]
    assert found(lines, lambda _: True) == {}
    assert found(lines, lambda _: False) == {}
    assert found(lines, lambda at: at["a"] >= 30, most=1) == {}


_limits = st.lists(
    st.tuples(st.sets(st.sampled_from(NAMES), min_size=1), st.integers(5, 90)), max_size=3
)


@given(_limits)
@settings(max_examples=60)
def test_each_conflict_is_one_and_none_of_its_lines_can_be_left_out(limits):
    def meets(at):
        return all(sum(at[name] for name in names) >= least for names, least in limits)

    def can(held):
        return meets({name: 10 if name in held else MOST for name in NAMES})

    subsets = chain.from_iterable(combinations(NAMES, size) for size in range(len(NAMES) + 1))
    minimal = [
        set(held)
        for held in subsets
        if not can(held) and all(can(set(held) - {name}) for name in held)
    ]
    told = relaxations([line(name) for name in NAMES], trials_of(meets))
    if () in {tuple(held) for held in minimal} or not minimal:
        assert told == []
        return
    lines = {one.line.path[0] for one in told}
    # Every conflict has a line that is told, and each that is told stands in one of its size.
    assert all(held & lines for held in minimal)
    assert all(
        any(one.line.path[0] in held and len(held) == one.among for held in minimal) for one in told
    )
    for one in told:
        if one.is_only and one.least is not None:
            others = dict.fromkeys(NAMES, 10)
            assert meets(others | {one.line.path[0]: one.least})
            assert not meets(others | {one.line.path[0]: one.least - 1})
