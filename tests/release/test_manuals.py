"""Manual pages have the texts of `--help`."""

from __future__ import annotations

import re

import pytest

from release.manuals import manual_pages
from tailc.cli import BELOW, COMMANDS


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: data.decode() for name, data in manual_pages("9.9")}


def test_every_command_has_a_page(pages: dict[str, str]) -> None:
    commands = [*COMMANDS, *("-".join(words) for words in BELOW)]
    assert sorted(pages) == sorted(["tailc.1", *(f"tailc-{name}.1" for name in commands)])


def test_a_page_has_its_parts_and_options(pages: dict[str, str]) -> None:
    page = pages["tailc-check.1"]
    parts = re.findall(r"^\.SH (\w+)$", page, re.MULTILINE)
    assert parts == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"]
    assert page.startswith('.TH "TAILC-CHECK" 1 "" "tailc 9.9"\n')
    assert ".TP\n\\fB\\-q, \\-\\-quiet\\fR\nPrint only errors" in page
    assert "\ntailc check [OPTIONS] SPEC...\n" in page
    assert "\\fB\\-h, \\-\\-help\\fR" in page


def test_the_first_page_lists_the_commands(pages: dict[str, str]) -> None:
    for name, text in COMMANDS.items():
        assert f"\\fB{name}\\fR\n{text[:10]}".replace("-", "\\-") in pages["tailc.1"]


def test_no_line_of_text_is_a_request_of_roff(pages: dict[str, str]) -> None:
    known = re.compile(r"\.(TH|SH|PP|TP)\b")
    for name, page in pages.items():
        for line in page.splitlines():
            assert not line.startswith("'"), name
            assert not line.startswith(".") or known.match(line), name
