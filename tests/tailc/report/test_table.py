import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.models.columns import UsageColumn
from tailc.report.table import (
    align_columns,
    as_markdown,
    columns_aligned,
    columns_markdown,
    limited_comment,
    pack_tables,
)


def test_words_stand_on_the_left_and_numbers_on_the_right():
    rows = [("load", "tail", ""), ("1", "9.5 ms", "best"), ("100", "12 ms", "")]
    assert align_columns(rows, numbers={1}).splitlines() == [
        "load    tail",
        "1     9.5 ms  best",
        "100    12 ms",
    ]


def test_no_line_ends_in_blanks():
    assert align_columns([("a", ""), ("bcd", "e")]).splitlines() == ["a", "bcd  e"]


def column(head: str, *cells: str) -> UsageColumn:
    return UsageColumn(head, cells)


def test_groups_share_a_table_as_long_as_it_is_not_too_wide():
    first = UsageColumn("who", ("us", "them"), is_number=False)
    groups = [(column("a", "1", "22"), column("b", "3", "4")), (column("c", "5", "6"),)]
    wide, narrow = pack_tables(first, groups, 15), pack_tables(first, groups, 13)
    assert [[part.head for part in table] for table in wide] == [["who", "a", "b", "c"]]
    assert [[part.head for part in table] for table in narrow] == [["who", "a", "b"], ["who", "c"]]
    assert columns_aligned(wide[0]) == "who    a  b  c\nus     1  3  5\nthem  22  4  6"


def test_a_group_that_is_too_wide_stands_alone_and_whole():
    groups = [(column("a", "1"),), (column("b", "x" * 40), column("c", "2")), (column("d", "3"),)]
    tables = pack_tables(column("who", "us"), groups, 20)
    heads = [[part.head for part in table] for table in tables]
    assert heads == [["who", "a"], ["who", "b", "c"], ["who", "d"]]


def test_markdown_aligns_numbers_to_the_right():
    text = columns_markdown((UsageColumn("who", ("us",), is_number=False), column("ms", "1.5")))
    assert text == "| who | ms |\n| --- | ---: |\n| us | 1.5 |\n"


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_no_cell_breaks_a_markdown_table(rows: list[tuple[str, str]]):
    lines = as_markdown([("a", "b"), *rows]).split("\n")
    assert lines.pop() == ""
    assert len(lines) == len(rows) + 2
    for line in lines:
        bare = re.sub(r"\\.", "", line)
        assert bare.count("|") == 3
        assert not set(bare) & set("<>`*_[]")
        assert line.isprintable()


@pytest.mark.parametrize("text", ["", "a\n" * 100, "x" * 1_000])
def test_a_comment_that_fits_stays(text):
    assert limited_comment(text, 1_000) == text


def test_a_long_comment_ends_after_a_whole_line_and_counts_the_others():
    lines = [f"line {number}\n" for number in range(1_000)]
    text = limited_comment("".join(lines), 2_000)
    assert len(text) <= 2_000
    *kept, _, ending = text.splitlines(keepends=True)
    assert kept == lines[: len(kept)]
    assert ending == f"{1_000 - len(kept)} more lines do not fit into a comment.\n"


@pytest.mark.parametrize("fence", ["```", "`````"])
def test_an_open_block_of_code_is_closed(fence):
    text = limited_comment(f"{fence}text\n" + "a\n" * 5_000 + f"{fence}\n", 1_000)
    assert text.count(fence) == 2
    assert text.splitlines()[-3] == fence


def test_a_line_that_is_too_long_is_omitted():
    assert limited_comment("x" * 70_000).splitlines() == [
        "",
        "1 more lines do not fit into a comment.",
    ]
