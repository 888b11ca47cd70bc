"""Each line below `Fixed` in the changelog names the tests that would find the fault again."""

from __future__ import annotations

import re
import tomllib
from typing import NotRequired, TypedDict

import pytest

from tests.tailc.artifact.published import ROOT


class Fix(TypedDict):
    """The beginning of a line, and its tests, or the reason why it has none."""

    line: str
    tests: NotRequired[list[str]]
    without: NotRequired[str]


FIXES: list[Fix] = tomllib.loads((ROOT / "tests/docs/fixes.toml").read_text())["fix"]
# Of all lines; more would make an exception of what is the rule.
MOST_WITHOUT = 0.1


def fixed_lines() -> list[str]:
    sections = re.split(r"^### ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    fixed = "".join(section for section in sections if section.startswith("Fixed\n"))
    return [" ".join(line.split()) for line in fixed.split("\n- ")[1:]]


def test_each_mended_fault_has_its_tests() -> None:
    lines = fixed_lines()
    for line in lines:
        named = [fix for fix in FIXES if line.startswith(fix["line"])]
        assert len(named) == 1, f"name the test of this line in tests/docs/fixes.toml: {line}"
    for fix in FIXES:
        assert any(line.startswith(fix["line"]) for line in lines), f"no such line: {fix['line']}"
        assert fix.get("tests") or fix.get("without"), fix
    assert sum("without" in fix for fix in FIXES) <= MOST_WITHOUT * len(lines)


@pytest.mark.parametrize("name", sorted({name for fix in FIXES for name in fix.get("tests", [])}))
def test_a_test_that_is_named_exists(name: str) -> None:
    path, _, function = name.partition("::")
    text = (ROOT / path).read_text()
    assert not function or re.search(rf"^def {function}\(", text, re.MULTILINE), name
