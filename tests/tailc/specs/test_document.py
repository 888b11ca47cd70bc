import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tailc.errors import Code, ExitCode, TailcError
from tailc.specs.document import MAX_BYTES, read_document
from tailc.specs.tree import Scalar, TextSpan, plain
from tests.tailc.specs.writing import document, findings_of, written_to


def scalar(text: str, key: str) -> Scalar:
    entry = document(text).root.get(key)
    assert entry is not None
    assert isinstance(entry.value, Scalar)
    return entry.value


def refused(path: str) -> tuple[Code, str]:
    with pytest.raises(TailcError) as caught:
        read_document(path)
    (finding,) = caught.value.findings
    return finding.code, str(finding.place)


def test_every_key_and_value_knows_its_line_and_column() -> None:
    tree = document("a: 1\nlist:\n  - x\n  - {b: 20 ms}\n")
    assert tree.key_span(("list", 1, "b")) == TextSpan(4, 6, 1)
    assert tree.span_of(("list", 1, "b")) == TextSpan(4, 9, 5)
    assert tree.span_of(("list", 0)) == TextSpan(3, 5, 1)
    assert tree.span_of(("list",)) == TextSpan(2, 1, 4)


def test_a_step_that_a_short_form_leaves_out_is_passed_over() -> None:
    tree = document("held_out: 20%\n")
    assert tree.span_of(("held_out", "fraction")) == TextSpan(1, 11, 3)
    assert tree.existing(("held_out", "fraction")) == ("held_out",)


def test_columns_count_characters_and_a_byte_order_mark_is_none(tmp_path: Path) -> None:
    tree = read_document(written_to(tmp_path, "\ufeffname: \u754c x\n".encode()))
    assert tree.span_of(("name",)) == TextSpan(1, 7, 3)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_count_alike_for_every_line_ending(ending: str) -> None:
    tree = document(ending.join(["a: 1", "", "b: 2", ""]))
    assert tree.place(tree.span_of(("b",))).line == 3
    assert tree.place(tree.span_of(("b",))).excerpt == "b: 2"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("012", 12),
        ("0o17", 15),
        ("0x1f", 31),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-11-21", "2026-11-21"),
        ("true", True),
        ("~", None),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("-.inf", float("-inf")),
    ],
)
def test_plain_scalars_mean_what_yaml_1_2_says(written: str, value: object) -> None:
    found = scalar(f"key: {written}\n", "key").value
    assert found == value
    assert type(found) is type(value)


def test_an_alias_stands_for_what_its_anchor_names() -> None:
    tree = document("a: &x [1, 2]\nb: *x\n")
    assert plain(tree.root) == {"a": [1, 2], "b": [1, 2]}


def test_an_alias_bomb_is_refused_before_it_is_walked() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40)]
    # Walked, it would be 10^40 nodes: this test would not end.
    (finding,) = findings_of("\n".join(lines))
    assert finding.code is Code.TOO_LARGE


def test_as_many_nodes_as_the_limit_are_read() -> None:
    text = "a: &a [" + "1, " * 98 + "1]\nb: [" + "*a, " * 997 + "*a]\n"
    assert len(plain(document(text).root)["b"]) == 998


def test_aliases_count_towards_the_depth() -> None:
    text = "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 30 + "*a" + "]" * 30 + "\n"
    (finding,) = findings_of(text)
    assert finding.code is Code.TOO_LARGE


def test_every_duplicate_key_is_a_finding() -> None:
    findings = findings_of("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n")
    assert [finding.code for finding in findings] == [Code.DUPLICATE_KEY] * 3
    assert [finding.place and finding.place.line for finding in findings] == [2, 3, 4]


def test_a_byte_that_is_not_utf_8_has_a_place(tmp_path: Path) -> None:
    path = written_to(tmp_path, b"name: x\nslo: caf\xe9\n")
    assert refused(path) == (Code.SYNTAX, f"{path}:2:9")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = written_to(tmp_path, b"#" * (MAX_BYTES + 1))
    assert refused(path) == (Code.TOO_LARGE, path)


@pytest.mark.parametrize("name", ["missing.yaml", ".", "a\0b"])
def test_what_cannot_be_read_has_its_own_exit_code(tmp_path: Path, name: str) -> None:
    with pytest.raises(TailcError) as caught:
        read_document(str(tmp_path / name))
    assert caught.value.exit_code is ExitCode.CANNOT_READ


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"name: x\n")))
    tree = read_document("-")
    assert tree.source == "<stdin>"
    assert plain(tree.root) == {"name": "x"}
