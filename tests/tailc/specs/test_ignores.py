"""Comments that hide warnings of a spec, and keys of the user's own."""

from __future__ import annotations

import re

import pytest

from tailc.artifact.files import read_policy
from tailc.errors import Code, Finding, Place, Severity
from tailc.specs.document import parse_document
from tailc.specs.ignores import apply_ignores
from tests.tailc.toy import write_toy

RATES = "rates: [10/s]"


def findings_of(*lines, is_complete=True):
    """Lines of what is left, of a warning TC0252 on line 2 of a spec with these lines."""
    document = parse_document("\n".join(lines) + "\n", "a.yaml")
    warning = Finding(Code.SPEEDUP_FALLS, "falls", Place("a.yaml", 2), None, Severity.WARNING)
    left = apply_ignores(document, [warning], is_complete=is_complete)
    return [(one.code.ident, one.place and one.place.line) for one in left]


SHOWN = ("TC0252", 2)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (["a: 1", "b: 2"], [SHOWN]),
        (["a: 1", "b: 2 # tailc: ignore[TC0252] measured twice"], []),
        (["# tailc: ignore[TC0252] measured twice", "b: 2"], []),
        (["a: 1 # tailc: ignore[TC0252] measured twice", "b: 2"], [SHOWN, ("TC0115", 1)]),
        (["a: 1", "b: 2 # tailc: ignore[TC0252]"], [SHOWN, ("TC0115", 2)]),
        (["a: 1", "b: 2 # tailc: ignore[TC0253] no"], [SHOWN, ("TC0115", 2)]),
        (["a: 1", "b: 2 # tailc: ignore[TC0252, TC0253] both"], [("TC0115", 2)]),
        (["a: 1", "b: 2", "# tailc: ignore-file[TC0252] synthetic"], []),
        (["a: 1", "b: 'x# tailc: ignore[TC0252] text'"], [SHOWN]),
    ],
)
def test_a_comment_hides_the_warning_of_its_line(lines, left):
    assert findings_of(*lines) == left


def test_a_comment_for_another_command_is_not_reported_before_it_can_be_known():
    lines = ["a: 1 # tailc: ignore[TC0253] a compile warns", "b: 2"]
    assert findings_of(*lines, is_complete=False) == [SHOWN]


def test_an_error_is_not_hidden():
    document = parse_document("a: 1 # tailc: ignore[TC0104] please\n", "a.yaml")
    error = Finding(Code.BAD_VALUE, "bad", Place("a.yaml", 1))
    assert apply_ignores(document, [error], is_complete=False) == (error,)


def test_a_warning_of_a_compile_is_hidden_for_the_file(in_folder, tailc):
    write_toy(in_folder)
    before = tailc("compile", "toy.yaml", "--dry-run").err
    codes = set(re.findall(r"warning\[(TC\d+)\]", before))
    assert codes
    with (in_folder / "toy.yaml").open("a") as file:
        file.write(f"# tailc: ignore-file[{', '.join(codes)}] a worked example\n")
    assert "warning[" not in tailc("compile", "toy.yaml", "--dry-run").err


def test_keys_of_the_user_change_nothing(in_folder, tailc):
    write_toy(in_folder)
    text = (in_folder / "toy.yaml").read_text()
    assert tailc("compile", "toy.yaml", "-o", "plain").code == 0
    owned = text.replace(RATES, f"x-owner: {{team: search, since: 2024}}\n{RATES}")
    owned = owned.replace("server: {", "server: {x-rack: 7, ")
    assert owned.count("x-") == 2
    (in_folder / "toy.yaml").write_text(owned)
    assert tailc("compile", "toy.yaml", "-o", "owned").code == 0
    assert read_policy("owned.tailc").ladders == read_policy("plain.tailc").ladders
    assert tailc("fmt", "toy.yaml").code == 0
    assert "x-owner" in (in_folder / "toy.yaml").read_text()


def test_other_unknown_keys_stay_errors(in_folder, tailc):
    write_toy(in_folder)
    text = (in_folder / "toy.yaml").read_text()
    (in_folder / "toy.yaml").write_text(f"xowner: me\n{text}")
    assert "TC0102" in tailc("check", "toy.yaml").err


def test_statistics_count_codes(in_folder, tailc):
    (in_folder / "bad.yaml").write_text("apiVersion: tailc/v1\nkind: few-to-many\nname: a\n")
    lines = tailc("check", "bad.yaml", "--statistics").out.splitlines()
    assert lines[0].split(maxsplit=2)[1:] == ["TC0103", "the spec lacks a required key"]
    assert lines[-1].startswith("1 checked")
