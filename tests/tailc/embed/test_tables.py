"""Ladders as flat arrays."""

from __future__ import annotations

import re
from dataclasses import replace

from tailc.artifact.envelope import Policy
from tailc.embed.content import Constants
from tailc.embed.tables import RULE_NUMBERS, flatten_ladders
from tailc.forms.ladder.sharing import Sharing
from tests.tailc.artifact.published import (
    ROOT,
    controlled_policy,
    lucene_policy,
    policy_of,
    sharing_policy,
    small_policy,
)


def arrays_of(policy: Policy) -> dict[str, Constants]:
    return {array.name: array for array in flatten_ladders(policy).arrays}


def test_rules_have_the_numbers_of_the_format_page() -> None:
    page = (ROOT / "docs" / "artifact-format.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page, re.MULTILINE)
    assert {rule.value: number for rule, number in RULE_NUMBERS.items()} == {
        name: int(number) for name, number in told
    }


def test_the_published_table_is_laid_out_row_after_row() -> None:
    """Haque et al., ASPLOS 2015, Table 2: its first rows start on four threads."""
    arrays = arrays_of(lucene_policy())
    ladder = lucene_policy().ladders[0]
    assert arrays["first_row"].numbers == (0, len(ladder.rows))
    assert len(arrays["age_us"].values) == sum(len(row.climbs) for row in ladder.rows)
    assert arrays["rungs"].texts == tuple(rung.name for rung in ladder.rungs)
    # reread-row, never-descend and boost-last-rung: bits 1, 2 and 3.
    assert arrays["rules"].numbers == (2 + 4 + 8,)
    assert "8 is boost-last-rung" in arrays["rules"].about
    assert ladder.boost is not None
    assert arrays["boost_below_ppm"].numbers == (ladder.boost.below_ppm,)


def test_a_policy_for_all_requests_asks_for_no_class() -> None:
    tables = flatten_ladders(lucene_policy())
    assert (tables.is_by_class, tables.is_for_all, tables.is_scaled) == (False, True, False)
    assert "classes" not in arrays_of(lucene_policy())
    assert "first_rung" not in arrays_of(lucene_policy())


def test_the_ladder_for_all_classes_comes_last() -> None:
    policy = small_policy()
    turned = replace(policy, forms=tuple(reversed(policy.forms)))
    assert arrays_of(policy)["classes"].texts == ("short", "")
    assert flatten_ladders(turned) == flatten_ladders(policy)


def test_a_policy_of_classes_alone_says_so() -> None:
    short = next(one for one in small_policy().ladders if one.request_class)
    tables = flatten_ladders(replace(small_policy(), forms=(short,)))
    assert (tables.is_by_class, tables.is_for_all) == (True, False)


def test_parts_of_each_ladder_are_found_by_where_they_begin() -> None:
    """Two ladders of three cores, which cost in four units."""
    policy = controlled_policy()
    arrays = arrays_of(policy)
    assert flatten_ladders(policy).is_scaled
    assert arrays["first_rung"].numbers == (0, 3, 6)
    assert arrays["first_unit"].numbers == (0, 4, 8)
    assert arrays["first_cost"].numbers == (0, 12, 24)
    second = next(ladder for ladder in policy.ladders if ladder.request_class is None)
    assert arrays["cost_ppm"].numbers[12 + 4 : 12 + 8] == second.rungs[1].cost_ppm
    assert arrays["move_us"].numbers == (0, 500, 500) * 2


def test_what_rules_for_overload_need_is_there_where_a_ladder_has_one() -> None:
    assert not {"shed_from", "cut_off_us", "degrade_from"} & arrays_of(lucene_policy()).keys()
    arrays = arrays_of(policy_of("overload"))
    named = ("shed_from", "cut_off_us", "degrade_from", "work_ppm")
    assert [arrays[name].numbers for name in named] == [(61,), (800_123,), (40,), (600_001,)]
    # the ladder for all comes last; of the other nobody is refused
    of_two = arrays_of(policy_of("overload-limits"))
    assert of_two["shed_from"].numbers == (0, 2**53 - 1)
    assert of_two["cut_off_us"].numbers == (1, 0)


def test_what_rules_for_sharing_need_is_there_where_a_ladder_has_one() -> None:
    assert not {"start_below_ppm", "give_up_us"} & arrays_of(lucene_policy()).keys()
    arrays = arrays_of(sharing_policy(Sharing(0, 8_000_000, 325_000)))
    named = ("start_unit", "start_below_ppm", "give_up_us")
    assert [arrays[name].numbers for name in named] == [(0,), (8_000_000,), (325_000,)]
