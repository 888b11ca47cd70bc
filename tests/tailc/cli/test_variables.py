"""Variables of the environment that set options of all commands."""

from __future__ import annotations

import io
import json

import pytest

from tailc.cli.colour_option import has_colours
from tests.tailc.toy import write_toy


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def toy(in_folder):
    (in_folder / "bad.yaml").write_text("kind: few-to-many\nquantam: 5ms\n")
    return write_toy(in_folder)


def test_the_variable_sets_formats_and_the_option_replaces_them(toy, tailc, in_folder, monkeypatch):
    monkeypatch.setenv("TAILC_OUTPUT_FORMAT", "json junit:a.xml")
    assert json.loads(tailc("check", toy).out)["exit_code"] == 0
    (in_folder / "a.xml").unlink()
    ended = tailc("check", toy, "--output-format", "markdown")
    assert "1 checked" in ended.out
    assert not ended.out.startswith("{")
    assert not (in_folder / "a.xml").exists()


def test_an_error_of_usage_has_the_format_of_the_variable(tailc, monkeypatch):
    monkeypatch.setenv("TAILC_OUTPUT_FORMAT", "json")
    ended = tailc("check", "--nonsense")
    assert ended.code == 64
    assert json.loads(ended.out)["exit_code"] == 64


def test_a_wrong_format_is_named_with_its_variable(toy, tailc, monkeypatch):
    monkeypatch.setenv("TAILC_OUTPUT_FORMAT", "jsno")
    ended = tailc("check", toy)
    assert ended.code == 64
    assert "`jsno` (in TAILC_OUTPUT_FORMAT)" in ended.err
    assert "json" in ended.err


def test_quiet_and_verbose_are_set_and_the_option_has_precedence(toy, tailc, monkeypatch):
    monkeypatch.setenv("TAILC_VERBOSE", "1")
    assert "exit 0 (OK)" in tailc("check", toy).err
    assert "exit 0 (OK)" not in tailc("check", toy, "-q").err
    monkeypatch.setenv("TAILC_VERBOSE", "0")
    assert "exit 0 (OK)" not in tailc("check", toy).err


@pytest.mark.parametrize(
    ("variables", "on_terminal", "in_file"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"NO_COLOR": "", "FORCE_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_colours_are_as_the_variables_say(monkeypatch, variables, on_terminal, in_file):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colours(Terminal()) is on_terminal
    assert has_colours(io.StringIO()) is in_file


def test_findings_have_forced_colours_in_a_pipe(toy, tailc, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in tailc("check", "bad.yaml").err
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in tailc("check", "bad.yaml").err
