"""Hints of readers name the command that has their options."""

from __future__ import annotations

import pytest

from tailc.errors import Code, Finding
from tailc.lint.hints import with_command


@pytest.mark.parametrize(
    "hint",
    [
        None,
        "measure at a rate",
        "name it by `--column`, with `--unit ms`",
        "choose by `--service NAME`, `--tag A` or `--label NAME=VALUE`",
        "give `--measure response-open`",
        "run `tailc ingest --expected-interval 5ms`",
        "measure at a rate: `wrk2 -R RATE --latency`",
    ],
)
def test_a_hint_that_lint_can_follow_stays(hint):
    finding = Finding(Code.CLOSED_LOOP, "closed", help=hint)
    assert with_command(finding, "tailc ingest") == finding


@pytest.mark.parametrize("option", ["--expected-interval", "--attribute A", "--since FILE"])
def test_a_hint_with_options_of_another_command_names_it(option):
    hint = f"choose by `{option}` or `--column`"
    found = with_command(Finding(Code.CLOSED_LOOP, "closed", help=hint), "tailc ingest")
    assert found.help == f"{hint} (options of `tailc ingest`)"
