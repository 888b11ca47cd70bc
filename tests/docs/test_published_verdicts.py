"""Verdicts on published figures, each checked by hand against the legend of the page."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from docs.published_verdicts import extras, verdict
from tests.docs.blocks import ROOT

CHANGE, RATIO = Decimal(0), Decimal(1)


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("-46 %", "-45 ± 0 %", "near"),  # 1 apart: more than half a percent, less than 9.2
        ("-46 %", "-45.5 ± 0.1 %", "yes"),  # rounds to -46
        ("-46 %", "-44 ± 3 %", "yes"),  # in the interval
        ("-46 %", "-36 ± 1 %", "direction"),  # 10 apart, all of -37 to -35 is below 0
        ("-46 %", "-1 ± 1 %", "no"),  # an interval that reaches 0
        ("-46 %", "+46 ± 1 %", "no"),
        ("-10 %", "-16.9 (-18.7 to -15.2)", "direction"),
        ("-10 %", "+0.2 (-0.6 to +0.9)", "no"),
        ("+30 %", "+5 % (+1 to +9 %), high load +6 %", "direction"),
    ],
)
def test_changes_have_a_direction(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("1.2", "1.46 ± 0.02", "direction"),  # 0.26 apart, a fifth is 0.24
        ("1.2", "1.30 ± 0.02", "near"),
        ("1.2", "0.99 ± 0.02", "no"),  # within a fifth, but no effect
        ("0.9", "0.84 ± 0.01", "near"),
        ("2", "1.71 ± 0.03", "near"),  # rounds to 2, but is 15 % off
        ("1, 1.42", "1.00, 1.00", "yes, no"),
        ("up to 2, 8.2", "1.00, 0.87", "no"),
    ],
)
def test_ratios_have_a_direction_from_1(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours, RATIO) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("1.29", "2.58 ± 0.02", "more"),
        ("40/s", "22/s", "less"),
        ("just under 100/s", "138/s", "more"),
        ("almost 4", "3.98 ± 0.00", "yes"),
        ("about 0", "0.001 ± 0.000", "yes"),
        ("about 1 %", "1.1 (0.9 to 1.2) %", "yes"),
        ("100", "80.0 ± 0.5", "near"),  # a fifth exactly
        ("100", "79.9 ± 0.5", "less"),
        ("1,000", "1,000.4", "yes"),
        ("85 %", "84%", "near"),
        ("about 100 %", "100 %, batch 31 %", "yes"),
        ("28, 31, 40 %", "27.5, 31.7, 32.4 %", "yes, near, near"),
        ("60:40: 60 %, 60 %", "60:40: 68 %, 60 %; 50:50: 67 %, 50 %", "near, yes"),
    ],
)
def test_amounts_are_more_or_less(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("4 to 6 h", "0.3 s", "less"),
        ("4 to 6 h", "5 h", "yes"),
        ("1 to 2 s", "1,500 ms", "yes"),
        ("1 to 2 s", "4 ms", "less"),
        ("0.2 s", "2 to 4 s; 1 s if five times as fast", "more"),
        ("often 20 to 45 %", "16 to 40 %", "near"),  # each end within a fifth
        ("20 to 45 %", "25 to 30 %", "less"),  # the upper end is a third lower
    ],
)
def test_ranges_are_compared_by_their_ends(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("below 1.08", "1.03, 1.07, 1.07", "yes"),
        ("below 1.08", "1.03, 1.07, 1.28", "near"),
        ("below 12 %", "16.7 %", "more"),
        ("within 5 %", "2.1, 2.3 %", "yes"),
        ("above 1.5, at moderate loads", "1.455 ± 0.001", "near"),
        ("above 1.5, at moderate loads", "0.9 ± 0.1", "less"),
        ("above -3 %", "-0.9%", "yes"),
        ("above -3 %", "-4.5%", "no"),
        ("below +1 %", "+0.6%", "yes"),
    ],
)
def test_bounds_hold_for_all_figures(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("up to 12 %", "3, 11, 40 %", "direction"),
        ("up to 40 %", "9 to 41 %", "near"),
        ("up to 40 %", "9 to 49 %", "direction"),
        ("20, at most", "13.0 ± 0.1", "direction"),
    ],
)
def test_the_greatest_of_several_is_no_bound(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours, CHANGE) == expected


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("higher", "+16.6 ± 1.5 %", "yes"),
        ("higher", "+1 ± 2 %", "no"),
        ("lower", "-3 ± 1 %", "yes"),
        ("lower", "+3 ± 1 %", "no"),
        ("as Baseline", "+0.5 (+0.3 to +0.7)", "yes"),
        ("as Baseline", "-15.6 (-16.7 to -14.5)", "no"),
    ],
)
def test_directions_without_a_size(published: str, ours: str, expected: str) -> None:
    assert verdict(published, ours) == expected


@pytest.mark.parametrize(("published", "ours"), [("-33 %", "lower"), ("a lot", "1"), ("1, 2", "1")])
def test_cells_without_figures_have_no_verdict(published: str, ours: str) -> None:
    with pytest.raises(ValueError, match="figure"):
        verdict(published, ours)


@pytest.mark.parametrize(
    ("published", "ours", "expected"),
    [
        ("0.2 s", "2 to 4 s; 1 s if five times as fast", ["1 s if five times as fast"]),
        ("60:40: 60 %, 60 %", "60:40: 68 %, 60 %; 50:50: 67 %, 50 %", ["50:50: 67 %, 50 %"]),
        ("+30 %", "+5 % (+1 to +9 %), high load +6 %", ["high load +6 %"]),
        ("about 100 %", "100 %, batch 31 %", ["batch 31 %"]),
        ("+12 %", "-4.0 %, 48 of 52; wait 0.1 and 0.0 h", ["48 of 52", "wait 0.1 and 0.0 h"]),
        ("100 % of cases", "96 % (24 of 25)", []),
        ("28, 31, 40 %", "27.5, 31.7, 32.4 %", []),
        ("below 1.08", "1.03, 1.07, 1.07", []),  # a bound is for all of them
        ("up to 40 %", "9 %, 41 %", []),
        ("higher", "+16.6 ± 1.5 %, mean +2 %", ["mean +2 %"]),
        ("up to 2, 3.2", "3.0, 19; without end for 4 of 20", ["without end for 4 of 20"]),
    ],
)
def test_what_a_verdict_does_not_compare_is_an_extra(
    published: str, ours: str, expected: list[str]
) -> None:
    assert extras(published, ours) == expected


def test_a_wider_tolerance_makes_more_figures_near() -> None:
    assert verdict("100", "70", tolerance=Decimal("0.3")) == "near"


def test_the_page_has_no_verdict_that_the_legend_does_not_name() -> None:
    page = (ROOT / "docs" / "published-results.md").read_text(encoding="utf-8")
    table, rest = page.split("<!-- table: published -->")[1].split("<!-- end of table -->")
    legend = {word.lower() for word in re.findall(r"\*(\w+)\*", rest.split("\n## ")[0])}
    cells = [line.split(" | ")[5] for line in table.strip().splitlines()[2:]]
    cells = [re.sub(r"not published: [^)]*", "", cell) for cell in cells]
    words = re.compile(r"(?:^|, |: )([a-z]+)(?=$|[,; )])")
    found = {word for cell in cells for word in words.findall(cell)}
    assert found - legend == set()
    assert legend - found == set()
