"""Columns whose names are numbers: chosen where the first line certainly has names."""

import pytest

from tailc.errors import Code, TailcError
from tailc.ingest.ingest import ingest
from tailc.ingest.options import InputOptions
from tailc.ingest.stated_measure import StatedMeasure
from tailc.lint.lint import lint
from tailc.lint.roles import Role, TraceOptions
from tailc.traces.trace import read_trace
from tests.tailc.traces.making import reading


def written(folder, text):
    path = folder / "t.csv"
    path.write_text(text)
    return str(path)


def refused(path, column):
    with pytest.raises(TailcError) as caught:
        read_trace(path, reading(demand=column))
    (finding,) = caught.value.findings
    assert finding.code is Code.MISSING_COLUMN
    return finding


NAMED = [
    # Times by offered rate, and others: a word is above numbers.
    ("id,1000,5000\n1,2.5,7\n2,3,9.5\n", "5000", [7, 9.5]),
    ("rate;3000;4000\n1;2,5;7\n2;3;9,5\n", "4000", [7, 9.5]),
    ("seed\t5000\n1\t7\n2\t9.5\n", "5000", [7, 9.5]),
    ("5000,note,n\n7,first,1\n9.5,,2\n", "5000", [7, 9.5]),
    ("op,µs,5000\nREAD,1,7\nREAD,,9.5\n", "5000", [7, 9.5]),
    ("id,10000,20000,column_2\n1,7,8,3\n2,9.5,8,4\n", "10000", [7, 9.5]),
]


@pytest.mark.parametrize(("text", "column", "demands"), NAMED)
def test_a_number_that_is_certainly_a_name_is_chosen(tmp_path, text, column, demands):
    path = written(tmp_path, text)
    assert read_trace(path, reading(demand=column)).profile.demand_ms.tolist() == demands
    asked = TraceOptions({Role.DEMAND: column})
    assert "TC1012" not in [one.code.ident for one in lint(path, asked).findings]


@pytest.mark.parametrize(
    "text",
    [
        "READ,5000\nREAD,7\nSCAN,9\n",
        "READ,5000,x\nREAD,7,y\nSCAN,9,\n",
        # A missing value above numbers is no name.
        "nan,5000,a\n1,7,b\n2,9,c\n",
        ",5000,a\n1,7,b\n2,9,c\n",
        "timeout,5000,a\n1,7,b\n2,9,c\n",
        "N/A,5000\n1,7\n2,9\n",
        "READ,5000\n",
    ],
)
def test_a_line_that_may_be_a_row_is_not_taken_for_names(tmp_path, text):
    path = written(tmp_path, text)
    finding = refused(path, "5000")
    assert "`5000` like a row" in finding.message
    assert "`x5000`" in finding.help
    found = lint(path, TraceOptions({Role.TIME: "5000"})).findings
    assert "TC1012" in [one.code.ident for one in found]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("1000,5000\n2.5,7\n3,9\n", "5000"),
        ("5000;4000\n2,5;7\n3;9\n", "4000"),
        ("0.5,0.9\n2.5,7\n", "0.9"),
    ],
)
def test_a_line_of_numbers_is_a_row_and_the_error_says_so(tmp_path, text, column):
    finding = refused(written(tmp_path, text), column)
    assert "only numbers, so it counts as a row" in finding.message
    assert f"`x{column}`" in finding.help
    numbered = read_trace(written(tmp_path, text), reading(demand="column_2"))
    assert numbered.profile.total_weight == text.count("\n")


def test_ingest_lists_names_that_are_numbers_without_advising_other_names(tmp_path):
    path = written(tmp_path, NAMED[0][0])
    with pytest.raises(TailcError) as caught:
        ingest([path], InputOptions(), StatedMeasure())
    help_ = caught.value.findings[0].help
    assert "`5000`" in help_
    assert "line of names" not in help_


SACCT = (
    "5940815|cream_8|user1|2018-06-03T02:11:12|2-01:24:56|8|wn1|COMPLETED\n"
    "5961074|cream_5|user2|2018-06-05T13:30:17|01:09:48|1|wn2|COMPLETED\n"
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (SACCT, "5940815"),
        ("1718000000,GET,/x\n1718000001,GET,/y\n", "1718000000"),
        ("/a;12500;ok\n/b;9800;ok\n", "12500"),
    ],
)
def test_a_missing_name_is_due_to_a_first_line_that_may_be_a_row(tmp_path, text, value):
    found = refused(written(tmp_path, text), "took_ms")
    assert found.message == "there is no column `took_ms`"
    assert f"has the value `{value}` like a row" in (found.help or "")


@pytest.mark.parametrize("text", ["id,ms\n12500,5\n", "a;b\nx;y\n", "at,5000,10000\n1,2,3\n"])
def test_a_missing_name_among_names_has_those_as_help(tmp_path, text):
    assert "like a row" not in (refused(written(tmp_path, text), "took_s").help or "")
