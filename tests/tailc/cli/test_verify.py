"""What `tailc verify` says of traces that a service might bring, and in which formats."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from junitparser import Error, JUnitXml

import tailc
from tailc.artifact.files import read_policy, write_policy
from tailc.experiment.tuned_arrivals import RECORDED
from tests.tailc.cli.verify_case import QUICK, judged, trace
from tests.tailc.toy import with_lines, write_toy


def test_the_same_service_is_not_flagged_and_every_baseline_stands_beside(judged_toy, tailc):
    ended = judged(tailc, "--baselines", "all")
    assert ended.code == 0
    assert "drift of demand since the compile: not flagged" in ended.out
    beside = ended.out.split("at 10/s")[1].split("\n\n")[0]
    subjects = [line.split("  ")[0] for line in beside.splitlines()[1:]]
    assert subjects[:2] == ["policy", "SEQ"]
    assert {"FIX-2", "FIX-3", "Adaptive (approximation)"} <= set(subjects)
    assert any(name.startswith("RC-3, threshold") for name in subjects)


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "toy.tailc", *QUICK),
        ("report", "toy.tailc", "-o", "page.html", *QUICK),
        ("diff", "toy.tailc", "toy.tailc", *QUICK),
        ("size", "toy.tailc", *QUICK),
    ],
    ids=lambda command: command[0],
)
def test_requests_of_the_compile_among_those_held_out_are_a_warning(judged_toy, tailc, command):
    heading, *rows = (judged_toy / "toy.csv").read_text().splitlines()
    (judged_toy / "half.csv").write_text("\n".join((heading, *rows[::2])) + "\n")
    ended = tailc(*command, "--trace", "half.csv")
    assert ended.err.count("warning[TC0606]: `half.csv` contains about ") == 1
    assert "of the trace that policy `toy` was compiled from" in ended.err
    assert "TC0606" not in tailc(*command, "--trace", "new.csv").err


@pytest.mark.parametrize(("name", "codes"), [("half.csv", ["TC0606"]), ("new.csv", [])])
def test_the_python_api_warns_of_requests_of_the_compile(judged_toy, name, codes):
    heading, *rows = (judged_toy / "toy.csv").read_text().splitlines()
    (judged_toy / "half.csv").write_text("\n".join((heading, *rows[::2])) + "\n")
    policy = read_policy("toy.tailc")
    held_out = tailc.read_held_out(policy, name)
    options = tailc.VerifyOptions(requests_per_replay=300, replicates=49, held_out_name=name)
    verdicts = tailc.verify_policy(policy, held_out.profile, options)
    assert [one.code.ident for one in verdicts.warnings] == codes


def test_another_service_is_flagged_and_the_exit_code_stays_that_of_the_verdict(judged_toy, tailc):
    (judged_toy / "other.csv").write_text(trace(3, 600, mean_ms=15.0))
    ended = judged(tailc, "--baselines", "none", trace="other.csv")
    assert ended.code == 0
    assert "drift of demand since the compile: flagged" in ended.out
    assert "warning[TC0652]: demand has drifted: the mean was 6" in ended.err
    assert "--> other.csv" in ended.err
    assert "help: compile again on newer requests, or check that this is a trace" in ended.err


def test_a_policy_of_an_earlier_schema_is_judged_without_drift(judged_toy, tailc):
    from dataclasses import replace

    from tailc.artifact.files import read_policy, write_policy

    policy = read_policy("toy.tailc")
    inputs = tuple(replace(one, demand=None) for one in policy.inputs)
    evidence = replace(policy.evidence, estimates=None)
    (ladder,) = policy.ladders
    rungs = tuple(replace(rung, threads=None) for rung in ladder.rungs)
    forms = (replace(ladder, rungs=rungs),)
    write_policy(replace(policy, inputs=inputs, evidence=evidence, forms=forms), "old")
    assert b'"schema":{"major":1,"minor":0}' in (judged_toy / "old.json").read_bytes()
    ended = tailc("verify", "old.tailc", "--trace", "new.csv", "--baselines", "none", *QUICK)
    assert ended.code == 0
    assert "drift of demand: unknown" in ended.out


def test_two_hundred_requests_are_undecided_and_told_how_many_more(in_folder, tailc):
    write_toy(in_folder, with_lines(("latency: 200ms", "latency: 2s")), trace(1, 2_000))
    assert tailc("compile", "toy.yaml", "-o", "toy").code == 0
    (in_folder / "few.csv").write_text(trace(2, 200))
    ended = judged(tailc, "--baselines", "none", trace="few.csv")
    assert ended.code == 4
    assert ".. unknown" in ended.out
    asked = re.search(r"p99 <= 2 s at 10/s: about (\d+) more held-out requests", ended.out)
    assert asked is not None
    # 390 requests are the fewest that can bound a 99th percentile from above.
    assert 190 <= int(asked[1]) <= 400


def test_named_baselines_come_in_the_order_given(judged_toy, tailc):
    ended = judged(tailc, "--baselines", "fix-3, seq,fix-2<4", "--output-format", "json")
    (point,) = json.loads(ended.out)["result"]["points"]
    assert [run["subject"] for run in point["baselines"]] == ["FIX-3", "SEQ", "FIX-2 below 4"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fix3", "there is no baseline `fix3`"),
        ("fix-9", "the policy has 3 rungs"),
        ("rc-3>5", "`5` has no unit"),
        ("seq,,", "`seq,,` is neither `all`, `none`"),
    ],
)
def test_a_name_that_is_no_baseline_is_a_usage_error(judged_toy, tailc, name, words):
    ended = judged(tailc, "--baselines", name)
    assert (ended.code, ended.out) == (64, "")
    assert words in ended.err


def test_a_cut_off_bounds_the_time_a_request_runs(judged_toy, tailc):
    found = {}
    for options in ([], ["--cut-off", "40ms"]):
        ended = judged(tailc, "--baselines", "none", "--output-format", "json", *options)
        (point,) = json.loads(ended.out)["result"]["points"]
        found[bool(options)] = point["policy"]["verdicts"][0]["estimate_us"]
    assert found[True] < found[False]
    assert judged(tailc, "--cut-off", "40").code == 64


def test_arrival_processes_stand_beside_rates(judged_toy, tailc):
    (judged_toy / "day.csv").write_text("duration,rate\n30s,10/s\n30s,20/s\n")
    processes = ["bursts:300@15/s,300@8/s", "profile:day.csv", "recorded:at_ms"]
    options = [word for process in processes for word in ("--arrivals", process)]
    ended = judged(
        tailc, "--rate", "12/s", *options, "--arrival-unit", "ms", "--baselines", "seq",
        "--rescale", "10/s",
    )  # fmt: skip
    assert ended.code in (0, 1, 4), ended.err
    beside, by_stretch = ended.out.split("by stretch of the arrivals")
    titles = [line for line in beside.splitlines() if line.startswith("at ")]
    assert [title.split("  ")[0] for title in titles] == [
        "at 12/s",
        "at bursts 300@15/s, 300@8/s",
        "at profile of 2 steps, 10/s to 20/s",
        "at recorded `at_ms` at 10/s",
    ]
    assert "p95 of 1  p95 of 2" in by_stretch
    assert max(map(len, ended.out.splitlines())) <= 100


def test_a_table_tuned_on_a_recording_warns_until_one_judges_it(judged_toy, tailc):
    policy = read_policy("toy.tailc")
    settings = tuple(sorted((*policy.evidence.settings, (RECORDED, 2_000))))
    write_policy(replace(policy, evidence=replace(policy.evidence, settings=settings)), "toy")
    ended = judged(tailc, "--baselines", "none")
    assert "warning[TC0604]: the table was tuned for recorded arrivals, 2,000 of them" in ended.err
    recorded = ("--arrivals", "recorded:at_ms", "--arrival-unit", "ms")
    assert "TC0604" not in judged(tailc, "--baselines", "none", *recorded).err


def test_recorded_arrivals_out_of_order_are_placed(judged_toy, tailc):
    lines = trace(2, 600).splitlines()
    lines[400], lines[401] = lines[401], lines[400]
    (judged_toy / "mixed.csv").write_text("\n".join(lines) + "\n")
    ended = judged(tailc, "--arrivals", "recorded:at_ms", "--arrival-unit", "ms", trace="mixed.csv")
    assert (ended.code, ended.out) == (65, "")
    assert "error[TC0217]" in ended.err
    assert "--> mixed.csv:402, row 401, column `at_ms`" in ended.err


@pytest.mark.parametrize(
    "process", ["bursts:0@5/s", "bursts:many", "profile:gone.csv", "sometimes", "recorded:gone"]
)
def test_arrivals_that_are_none_are_an_error_and_nothing_else(judged_toy, tailc, process):
    ended = judged(tailc, "--arrivals", process)
    assert ended.code in (64, 65, 66)
    assert ended.out == ""
    document = json.loads(judged(tailc, "--arrivals", process, "--output-format", "json").out)
    assert document["exit_code"] == ended.code
    assert document["findings"]


def test_junit_has_a_case_a_verdict_and_doubt_is_no_pass(judged_toy, tailc):
    (judged_toy / "few.csv").write_text(trace(2, 20))
    ended = judged(tailc, "--baselines", "none", "--output-format", "junit", trace="few.csv")
    assert ended.code == 4
    (suite,) = JUnitXml.fromstring(ended.out.encode())
    (case,) = suite
    assert case.name == "p95 <= 400 ms at 10/s"
    assert [type(result) for result in case.result] == [Error]


def test_junit_tells_what_stopped_the_command_too(judged_toy, tailc):
    for options, code, ident in (
        (["--trace", "gone.csv"], 66, "TC0701"),
        (["--trace", "new.csv", "--nonsense"], 64, "TC0801"),
    ):
        ended = tailc("verify", "toy.tailc", *options, "--output-format", "junit")
        assert ended.code == code
        (error,) = ElementTree.fromstring(ended.out).iter("error")
        assert error.get("type") == ident


def test_markdown_is_a_comment_with_warnings_in_it(judged_toy, tailc):
    (judged_toy / "other.csv").write_text(trace(3, 600, mean_ms=15.0))
    ended = judged(tailc, "--baselines", "seq", "--output-format", "markdown", trace="other.csv")
    assert ended.out.startswith("### toy: pass\n")
    assert "| p95 \\<= 400 ms | 10/s |" in ended.out
    assert "- **warning TC0652**: demand has drifted" in ended.out
    assert ended.err == ""
