"""tailc diff of plans on held-out days."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.tailc.artifact.published import VECTORS
from tests.tailc.cli.json_schemas import DIFF, OUTPUT
from tests.tailc.held_out_days import (
    DAY_S,
    START_UNIX_S,
    malleable_plan,
    rigid_plan,
    write_days,
    write_plan,
)
from tests.tailc.schemas import validate


@pytest.fixture
def days(in_folder):
    write_plan(in_folder, rigid_plan())
    # Four slots pay 10 cents, of which 8 go back by night: at 2.4 that is refused.
    write_plan(in_folder, rigid_plan(6_000), "dear")
    return write_days(in_folder)


@pytest.fixture
def told(tailc):
    def ask(*words, code=0):
        ended = tailc("diff", *words, "--output-format", "json")
        assert ended.code == code, ended.out
        document = json.loads(ended.out)
        validate(document, OUTPUT)
        validate(document["result"], DIFF)
        return document["result"]["days"]

    return ask


def test_what_changes_is_taken_within_each_window(days, told):
    found = told("plan", "dear", "--trace", days)
    assert (found["windows"], found["design_windows"]) == (11, 0)
    assert found["old"]["admitted"]["value"] == 1
    assert found["new"]["admitted"]["value"] == 0.5
    # The job by night is not there: 10 cents less 8 back, and 0.4 kWh for 4 cents.
    change = found["change"]["profit_dollars"]
    assert change["value"] == pytest.approx(-0.02 + 0.04)
    assert change["low"] == pytest.approx(change["high"])
    assert found["change"]["brown_kwh"]["value"] == pytest.approx(-0.4)
    assert found["change"]["co2_kg"]["value"] == pytest.approx(-0.2)
    assert found["change"]["violations"]["value"] == pytest.approx(-0.5)


def test_text_tells_what_is_better_and_github_warns_of_what_is_worse(days, tailc):
    lines = tailc("diff", "plan", "dear", "--trace", days).out.splitlines()
    title = next(at for at, line in enumerate(lines) if line.startswith("means of 11 windows"))
    assert lines[title] == (
        "means of 11 windows of 24 h, from 2012-07-02T00:00Z to 2012-07-13T00:00Z"
    )
    assert lines[title + 2].split() == [
        "profit", "$", "0.0800", "0.1000", "+0.0200", "+0.0200", "..", "+0.0200", "better"
    ]  # fmt: skip
    back = tailc("diff", "dear", "plan", "--trace", days, "--output-format", "github").out
    assert "::warning title=worse::profit $: -0.0200, 95 %25 interval" in back
    markdown = tailc("diff", "plan", "dear", "--trace", days, "--output-format", "markdown").out
    assert "| profit $ | 0.0800 | 0.1000 | +0.0200 | +0.0200 .. +0.0200 | better |" in markdown


def test_few_windows_show_no_change(days, tailc):
    ended = tailc("diff", "plan", "dear", "--trace", days, "--windows", "3")
    assert "an interval needs 4 windows at least" in ended.out
    assert "no change shown" in ended.out
    assert "better" not in ended.out


def test_exit_codes_are_those_of_every_diff(days, tailc):
    assert tailc("diff", "plan", "dear", "--trace", days).code == 0
    assert tailc("diff", "plan", "dear", "--trace", days, "--exit-code").code == 2
    assert tailc("diff", "plan", "plan", "--trace", days, "--exit-code").code == 0


def test_a_plan_against_itself_changes_nothing(days, told):
    found = told("plan", "plan", "--trace", days)
    assert {value for one in found["change"].values() for value in one.values()} == {0}


def test_days_that_the_older_or_the_newer_plan_was_made_from_are_refused(in_folder, days, tailc):
    later = replace(rigid_plan(), start_unix_s=START_UNIX_S + 3 * DAY_S)
    write_plan(in_folder, later, "later")
    for words in (("plan", "later"), ("later", "plan")):
        ended = tailc("diff", *words, "--trace", days)
        assert ended.code == 65
        assert "windows are within the days from which `" in ended.err
    allowed = tailc("diff", "plan", "later", "--trace", days, "--allow-compile-trace")
    assert "1 window of the days that a policy was compiled from" in allowed.out


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (malleable_plan(), "jobs are rigid in `plan`, but malleable in `other`\n"),
        (replace(rigid_plan(), epoch_s=1_800), "decide every 3600 s and every 1800 s"),
    ],
)
def test_plans_without_a_window_for_both_are_refused(in_folder, days, tailc, other, said):
    write_plan(in_folder, other, "other")
    ended = tailc("diff", "plan", "other", "--trace", days)
    assert ended.code == 64
    assert said in ended.err
    assert "remove `--trace`," in ended.err


def test_a_plan_and_a_policy_of_requests_have_no_days_in_common(days, tailc):
    ended = tailc("diff", "plan", VECTORS / "lucene", "--trace", days)
    assert ended.code == 64
    assert "is not a plan of jobs and energy" in ended.err


def test_options_that_do_not_apply_are_refused(days, tailc):
    ended = tailc("diff", "plan", "dear", "--trace", days, "--replicates", "50")
    assert ended.code == 64
    assert "is a plan of jobs, not a policy for requests" in ended.err
    ended = tailc("diff", "plan", "dear", "--windows", "3")
    assert ended.code == 64
    assert "add --trace FILE" in ended.err
