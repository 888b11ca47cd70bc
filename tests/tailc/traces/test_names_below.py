"""If lines precede the names of a CSV file, the error about a missing column says where it is."""

import pytest

from tailc.errors import Code, TailcError
from tailc.lint.lint import lint
from tailc.lint.roles import TraceOptions
from tailc.traces.names_below import line_of_names, table_below
from tailc.traces.trace import read_trace
from tests.tailc.ingest.refusal import refused as not_ingested
from tests.tailc.traces.making import reading

ROWS = "id,demand\n1,5.5\n2,7\n"
ABOVE = {
    "a table of the site": "latitude,longitude\n52.5,13.4\n\n",
    "comments": "# made by a service, version 1\n# Units: ms\n",
    "a header": "-BEGIN HEADER-\nDates, 01/01/2023 through 01/02/2023\n-END HEADER-\n",
    "quotes": '"Hourly Data"\n"Location:","golden, co"\n',
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
@pytest.mark.parametrize("mark", [",", ";"])
def test_the_line_with_the_name_is_advised(tmp_path, above, mark):
    path = tmp_path / "t.csv"
    path.write_text(above + ROWS.replace(",", mark))
    line = above.count("\n") + 1
    finding = refused(path)
    assert finding.code is Code.MISSING_COLUMN
    assert f"`tail -n +{line} FILE > table.csv`" in (finding.help or "")
    path.write_text("".join(path.read_text().splitlines(keepends=True)[line - 1 :]))
    assert read_trace(str(path), reading()).profile.demand_ms.tolist() == [5.5, 7]


WIDE = "time,radiation\n" + "".join(f"2024-05-01T0{hour}:00,{hour}.5\n" for hour in range(5))


@pytest.mark.parametrize("above", [*ABOVE.values(), "a,b,c,d\n1,2,3,4\n\n"])
@pytest.mark.parametrize("mark", [",", ";"])
def test_a_table_below_other_lines_is_found(tmp_path, above, mark):
    above = "Site of a service\n" + above
    path = tmp_path / "t.csv"
    path.write_text(above + WIDE.replace(",", mark))
    line = above.count("\n") + 1
    assert table_below(path.read_bytes()) == line
    assert f"`tail -n +{line} FILE > table.csv`" in (not_ingested(path).help or "")
    assert f"begins in line {line}" in str(lint(str(path), TraceOptions()).findings)


@pytest.mark.parametrize(
    "text", [WIDE, ROWS, "a\n" + WIDE.replace(".5", "x"), "a\n1,2\n" + WIDE[15:], "", "a\n" * 9]
)
def test_a_table_at_the_beginning_is_below_nothing(text):
    assert table_below(text.encode()) is None


@pytest.mark.parametrize(
    "text", [ROWS.replace("demand", "demnad"), "id,ms\n1,demand of a\n", "id,ms\ndemands,5\n"]
)
def test_other_lines_are_no_names(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert "tail -n" not in (refused(path).help or "")


def test_all_missing_names_must_be_in_one_line():
    head = b"a,b\nid,demand\nid,other\n"
    assert line_of_names(head, ["id", "other"]) == 3
    assert line_of_names(head, ["demand", "other"]) is None
    assert line_of_names(b"id,demand\n", ["id"]) is None


def refused(path):
    with pytest.raises(TailcError) as caught:
        read_trace(str(path), reading())
    (finding,) = caught.value.findings
    return finding
