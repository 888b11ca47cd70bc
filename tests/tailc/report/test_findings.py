import json
import re

import pytest

from tailc.errors import Code, ExitCode, Finding, Place, Severity
from tailc.report.document import json_document
from tailc.report.findings import as_dicts, as_text
from tailc.report.github import as_github

_SPEC_PLACE = Place("service.yaml", 14, 3, excerpt="  quantam: 5ms", width=7)
UNKNOWN = Finding(Code.UNKNOWN_KEY, "`quantam` is not a known key", _SPEC_PLACE, "did you mean it?")
CELL = Finding(Code.NOT_A_NUMBER, "`x` is no number", Place("a,b.csv", row=7, field="demand_ms"))
WARNING = Finding(Code.UNIT_SUSPECT, "half of 50% is off", severity=Severity.WARNING)


def test_a_finding_reads_as_what_where_and_what_to_do() -> None:
    assert as_text([UNKNOWN]) == (
        "error[TC0102]: `quantam` is not a known key\n"
        "  --> service.yaml:14:3\n"
        "   |\n"
        "14 |   quantam: 5ms\n"
        "   |   ^^^^^^^\n"
        "   = help: did you mean it?\n"
    )


def test_findings_are_parted_by_a_blank_line() -> None:
    assert as_text([CELL, WARNING]) == (
        "error[TC0204]: `x` is no number\n"
        " --> a,b.csv, row 7, column `demand_ms`\n"
        "\n"
        "warning[TC0251]: half of 50% is off\n"
    )


def test_findings_of_one_place_and_help_share_them() -> None:
    place = Place("t.csv")
    two = [
        Finding(code, "odd", place, "repeat") for code in (Code.SPEEDUP_FALLS, Code.SPEEDUP_EXCEEDS)
    ]
    assert as_text(two) == (
        "error[TC0252]: odd\nerror[TC0253]: odd\n --> t.csv\n  = help: repeat\n"
    )
    other = Finding(Code.SPEEDUP_FALLS, "odd", place, "repeat more")
    assert as_text([two[0], other, two[1]]).count("-->") == 3
    without = [Finding(Code.UNIT_SUSPECT, "odd"), Finding(Code.UNIT_SUSPECT, "odd")]
    assert as_text(without).count("\n\n") == 1


def test_no_findings_are_no_text() -> None:
    assert as_text([]) == as_github([]) == ""


def test_colour_changes_nothing_but_colour() -> None:
    coloured = as_text([UNKNOWN, CELL, WARNING], colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == as_text([UNKNOWN, CELL, WARNING])


@pytest.mark.parametrize(
    ("excerpt", "column", "width", "under"),
    [
        ("a: b", 4, 1, "   ^"),
        ("\ta: b", 5, 1, "\t   ^"),
        ("名前: b", 5, 1, "      ^"),
        ("名前: b", 1, 2, "^^^^"),
    ],
)
def test_the_caret_stands_under_what_it_marks(
    excerpt: str, column: int, width: int, under: str
) -> None:
    place = Place("s.yaml", 1, column, excerpt=excerpt, width=width)
    lines = as_text([Finding(Code.SYNTAX, "no", place)]).splitlines()
    assert lines[-2:] == [f"1 | {excerpt}", f"  | {under}"]


def test_a_long_line_is_cut_around_the_caret() -> None:
    excerpt = "x" * 500 + "HERE" + "y" * 500
    place = Place("s.yaml", 1, 501, excerpt=excerpt, width=4)
    source, caret = as_text([Finding(Code.SYNTAX, "no", place)]).splitlines()[-2:]
    assert len(source) <= 110
    assert source[caret.index("^") : caret.rindex("^") + 1] == "HERE"


def test_control_characters_of_the_source_do_not_reach_the_terminal() -> None:
    place = Place("s.yaml", 1, 1, excerpt="a\x1b[31m", width=1)
    assert "\x1b" not in as_text([Finding(Code.SYNTAX, "no", place)])


def test_names_out_of_files_cannot_forge_lines_or_colours() -> None:
    name = "x\nerror[TC0000]: forged\x1b[31m\u202e"
    place = Place(f"{name}.csv", row=1, field=name)
    finding = Finding(Code.MISSING_COLUMN, f"no `{name}`", place, f"known: `{name}`")
    text = as_text([finding])
    shown = "x\\x0aerror[TC0000]: forged\\x1b[31m\\x202e"
    assert text == (
        f"error[TC0202]: no `{shown}`\n"
        f" --> {shown}.csv, row 1, column `{shown}`\n"
        f"  = help: known: `{shown}`\n"
    )
    (line,) = as_github([finding]).splitlines()
    assert "\x1b" not in line
    assert as_dicts([finding])[0]["field"] == name


def test_a_path_that_is_not_unicode_can_be_printed_in_every_format() -> None:
    finding = Finding(Code.CANNOT_READ, "no `a\udcff`", Place("a\udcff"))
    document = json_document("check", ExitCode.CANNOT_READ, [finding], {})
    for text in (as_text([finding]), as_github([finding]), document):
        text.encode("utf-8")
    assert json.loads(document)["findings"][0]["source"] == "a\udcff"


def test_a_program_gets_every_key_every_time() -> None:
    spec, cell, warning = as_dicts([UNKNOWN, CELL, WARNING])
    assert spec == {
        "code": "TC0102",
        "severity": "error",
        "message": "`quantam` is not a known key",
        "help": "did you mean it?",
        "source": "service.yaml",
        "line": 14,
        "column": 3,
        "width": 7,
        "row": None,
        "field": None,
    }
    assert (cell["row"], cell["field"], cell["line"]) == (7, "demand_ms", None)
    assert warning["severity"] == "warning"
    assert warning["source"] is None
    assert spec.keys() == cell.keys() == warning.keys()


def test_github_gets_a_workflow_command_a_finding() -> None:
    assert as_github([UNKNOWN]) == (
        "::error file=service.yaml,line=14,col=3,title=TC0102::"
        "`quantam` is not a known key%0Ahelp: did you mean it?\n"
    )


def test_github_properties_and_messages_are_escaped() -> None:
    finding = Finding(Code.SYNTAX, "50%, a: b\r\nc", Place("C:a,b%.yaml", 1))
    assert as_github([finding]) == (
        "::error file=C%3Aa%2Cb%25.yaml,line=1,title=TC0101::50%25, a: b%0D%0Ac\n"
    )


def test_github_says_the_row_that_it_has_no_property_for() -> None:
    assert "a,b.csv, row 7, column `demand_ms`: `x` is no number" in as_github([CELL])


def test_a_warning_stays_a_warning_on_github() -> None:
    assert as_github([WARNING]) == "::warning title=TC0251::half of 50%25 is off\n"
