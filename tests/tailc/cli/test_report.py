"""Pages of pictures: which command writes one, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tailc.cli.terminal_pictures import detect_terminal_style
from tailc.report.terminal.look import TerminalStyle
from tests.tailc.cli.compiling import compile_in
from tests.tailc.cli.verify_case import P95, QUICK, trace
from tests.tailc.toy import with_lines, write_toy

EXAMPLES = Path(__file__).parents[3] / "examples"


ARTIFACT = EXAMPLES / "search" / "expected.tailc"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_toy(folder, with_lines(P95), trace(1, 2_000))
    told = io.StringIO()
    with redirect_stdout(told):
        compile_in(folder, "toy.yaml", "-o", "toy", "--report", "compiled.html", "--plot")
    (folder / "compiled.txt").write_text(told.getvalue())
    (folder / "new.csv").write_text(trace(2, 600))
    (folder / "toy.yaml").write_text(with_lines(P95, ("[1, 1.5, 2]", "[1, 1.2, 2]")))
    compile_in(folder, "toy.yaml", "-o", "other", "--previous", "toy.tailc")
    return folder


@pytest.fixture
def compiled(folder, copied):
    """A policy from 2,000 requests in `toy.tailc`, with its pictures, and 600 more requests.

    In `other.tailc` one that is made after it, for requests that gain less from two threads.
    """
    return copied(folder)


def heads(path):
    return re.findall(r"<h3>(.*?)</h3>", path.read_text())


def test_each_command_writes_the_pictures_that_it_can(compiled, tailc):
    assert heads(compiled / "compiled.html") == [
        "Latency by percentile at 10/s",
        "Rungs by load and age, requests at 10/s",
        "Demand of requests",
        "Speed-up",
        "Speed-up: residuals",
        "Certificate",
    ]
    ended = tailc("report", "toy.tailc", "-o", "alone.html")
    assert (ended.code, ended.out) == (0, "wrote alone.html\n")
    assert heads(compiled / "alone.html") == [
        "Rungs by load and age",
        "Demand of requests",
        "Certificate",
    ]
    judged = ["toy.tailc", "--trace", "new.csv", "--rate", "5/s", "--rate", "10/s", *QUICK]
    ended = tailc("verify", *judged, "--report", "verified.html", "--output-format", "json")
    assert json.loads(ended.out)["result"]["files"] == ["verified.html"]
    assert heads(compiled / "verified.html")[:3] == [
        "Latency by percentile at 5/s",
        "Latency by percentile at 10/s",
        "p95 latency by rate",
    ]
    assert tailc("report", *judged, "-o", "report.html").code == 0
    both = ["toy.tailc", "other.tailc"]
    told = tailc("diff", *both, "--trace", "new.csv", *QUICK)
    ended = tailc("diff", *both, "--trace", "new.csv", *QUICK, "--report", "diff.html")
    assert ended.out == f"{told.out}wrote diff.html\n"
    assert heads(compiled / "diff.html") == [
        "Latency by percentile at 10/s",
        "Rungs by load and age, new against old",
        "Rungs by load and age",
        "Demand of requests",
        "Speed-up",
        "Speed-up: residuals",
        "Certificate",
    ]
    assert (compiled / "report.html").read_bytes() == (compiled / "verified.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "toy.json"], "`toy.json` ends in neither `.html` nor `.htm`"),
        (["-o", "folder.html"], "`folder.html` is a folder"),
        (["-o", "a.html", "--rate", "5/s"], "requests to replay\n"),
        (["-o", "a.html", "--seed", "0"], "requests to replay\n"),
        ([], "give `-o FILE.html`, or `--plot`"),
    ],
)
def test_a_wrong_request_is_refused_and_leaves_every_file(in_folder, tailc, arguments, said):
    (in_folder / "folder.html").mkdir()
    (in_folder / "toy.json").write_text("{}")
    ended = tailc("report", ARTIFACT, *arguments)
    assert (ended.code, ended.out) == (64, "")
    assert said in ended.err
    assert (in_folder / "toy.json").read_text() == "{}"
    assert not (in_folder / "a.html").exists()


def test_plot_draws_in_the_terminal_as_wide_as_it_is(in_folder, tailc, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    ended = tailc("report", ARTIFACT, "--plot")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Rungs by load and age\nrequests start: ")
    assert max(len(line) for line in ended.out.splitlines() if "+--" in line) == 50
    assert "\x1b" not in ended.out
    assert list(in_folder.iterdir()) == []


def titles(text):
    """Of pictures in a text: the line before the first that an axis has."""
    lines = text.splitlines()
    heads = ("Latency by percentile", "Rungs by load and age")
    return [line for line in lines if line.startswith(heads)]


def test_plot_draws_what_a_command_found_below_its_text(compiled, tailc):
    told = (compiled / "compiled.txt").read_text()
    assert titles(told) == [
        "Latency by percentile at 10/s, predicted on the sample of the compile",
        "Rungs by load and age",
    ]
    assert told.index("wrote compiled.html") < told.index("Latency by percentile")
    judged = ["verify", "toy.tailc", "--trace", "new.csv", "--rate", "5/s", "--rate", "10/s"]
    words = [*judged, *QUICK, "--output-format=text", "--output-format=text:told.txt"]
    bare, ended = tailc(*judged, *QUICK), tailc(*words, "--plot")
    assert ended.out.startswith(bare.out + "\nLatency by percentile at 10/s\n")
    assert titles(ended.out)[1:] == ["Rungs by load and age"]
    assert (compiled / "told.txt").read_text().endswith(ended.out)
    both = ["diff", "toy.tailc", "other.tailc"]
    ended = tailc(*both, "--trace", "new.csv", *QUICK, "--plot")
    change = "Rungs by load and age, new against old"
    assert titles(ended.out) == ["Latency by percentile at 10/s, new and old", change]
    assert "* new  o old  | 95 % interval  - objective" in ended.out
    assert titles(tailc(*both, "--plot").out) == [change]
    ended = tailc("diff", "toy.tailc", "toy.tailc", "--trace", "new.csv", "--plot")
    assert "no latency before and after: every request runs as before\n" in ended.out


@pytest.mark.parametrize(
    "form", ["json", "jsonl", "junit", "github", "gitlab", "sarif", "markdown"]
)
def test_no_other_format_has_pictures(in_folder, tailc, form):
    words = ("diff", ARTIFACT, EXAMPLES / "bing-fm" / "expected.tailc", "--output-format", form)
    assert tailc(*words, "--plot").out == tailc(*words).out


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("autopro", "autopro", "no map: CPU shares have no ladder"),
        ("rubik", "rubik", "no map: frequencies follow a tail table"),
        ("search", "elfen", "no map: the two ladders count load differently"),
        ("rubik", "search", "no map: the old policy has no such ladder"),
    ],
)
def test_what_cannot_be_drawn_of_a_change_is_said(in_folder, tailc, old, new, why):
    policies = [EXAMPLES / name / "expected.tailc" for name in (old, new)]
    ended = tailc("diff", *policies, "--plot", "--report", "page.html")
    assert ended.code == 0
    assert ended.out.splitlines()[-1].startswith(why)
    assert f"<p>There is {why}" in (in_folder / "page.html").read_text()


class Terminal(io.StringIO):
    encoding = "utf-8"

    def __init__(self, *, is_terminal=True):
        super().__init__()
        self.isatty = lambda: is_terminal


def test_a_terminal_has_colours_unless_it_is_asked_not_to_or_cannot(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert detect_terminal_style(Terminal()) == TerminalStyle(
        100, has_colours=True, has_fine_marks=True
    )
    assert detect_terminal_style(Terminal(is_terminal=False)) == TerminalStyle(100)
    monkeypatch.setattr(Terminal, "encoding", "latin-1")
    assert detect_terminal_style(Terminal()) == TerminalStyle(100, has_colours=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert detect_terminal_style(Terminal()) == TerminalStyle(100)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert detect_terminal_style(Terminal()) == TerminalStyle(100)


def test_a_width_that_nothing_tells_is_80(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((0, 0)))
    assert detect_terminal_style(Terminal(is_terminal=False)).width == 80


def test_a_page_that_cannot_be_written_says_where_and_the_old_one_stays(
    in_folder, tailc, monkeypatch
):
    (in_folder / "page.html").write_text("old")

    def full(_descriptor, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    ended = tailc("report", ARTIFACT, "-o", "page.html")
    monkeypatch.undo()
    assert ended.code == 73
    assert "cannot write `page.html`: No space left on device" in ended.err
    assert (in_folder / "page.html").read_text() == "old"


EVENTS = "Jobs that begin and that are refused"
POWER = ["Power by source over time", "Servers of jobs over time", EVENTS]
BROWN = ["Price of brown energy over time", "CO2 of brown energy over time"]


@pytest.mark.parametrize(
    ("example", "of", "pictures"),
    [
        ("autopro", "throughput", []),
        ("green-sla", "jobs", POWER),
        ("greenpar", "jobs", [*POWER, *BROWN]),
    ],
)
def test_a_policy_without_requests_refuses_them(in_folder, tailc, example, of, pictures):
    artifact = str(EXAMPLES / example / "expected.tailc")
    assert tailc("report", artifact, "-o", "page.html").code == 0
    text = (in_folder / "page.html").read_text()
    assert heads(in_folder / "page.html") == [*pictures, "Certificate"]
    assert "The policy in words" in text
    (in_folder / "any.csv").write_text("a\n1\n")
    ended = tailc("report", artifact, "-o", "page.html", "--trace", "any.csv")
    assert ended.code == 64
    assert f"is a policy of {of}: this command replays no trace for it" in ended.err
    assert (in_folder / "page.html").read_text() == text


def test_a_verdict_without_pictures_has_a_page_of_words(in_folder, tailc):
    example = EXAMPLES / "autopro"
    ended = tailc(
        "verify",
        example / "expected.tailc",
        "--trace",
        example / "heldout.csv",
        "--replicates",
        "50",
        "--report",
        "page.html",
    )
    text = (in_folder / "page.html").read_text()
    assert "Verdict in words" in text
    assert ended.out.endswith("wrote page.html\n")
    ruling = {0: "pass", 1: "fail", 4: "undecided"}[ended.code]
    assert f'<span class="ruling {ruling}">{ruling}</span>' in text


def test_a_comparison_without_requests_has_the_map_of_the_change(in_folder, tailc):
    ended = tailc("diff", ARTIFACT, EXAMPLES / "bing-fm" / "expected.tailc", "--report", "d.html")
    assert ended.code == 0
    assert heads(in_folder / "d.html")[0] == "Rungs by load and age, new against old"
    ended = tailc(
        "diff",
        EXAMPLES / "greenpar" / "expected.tailc",
        EXAMPLES / "green-sla" / "expected.tailc",
        "--report",
        "plans.html",
    )
    assert ended.code == 0
    assert heads(in_folder / "plans.html") == [*POWER, "Certificate"]


def test_the_verdict_on_a_plan_has_the_power_that_came(in_folder, tailc):
    example = EXAMPLES / "greenpar"
    judged = ["verify", example / "expected.tailc", "--trace", example / "service.yaml"]
    judged += ["--windows", "2"]
    ended = tailc(*judged, "--report", "page.html")
    assert ended.out.endswith("wrote page.html\n")
    assert heads(in_folder / "page.html") == [POWER[0], EVENTS, *BROWN, "Certificate"]
    assert "As it came in the replay." in (in_folder / "page.html").read_text()


def test_drift_alone_has_no_report(in_folder, tailc):
    held_out = EXAMPLES / "search" / "heldout.parquet"
    ended = tailc("verify", ARTIFACT, "--trace", held_out, "--drift", "--report", "drift.html")
    assert ended.code == 64
    assert not (in_folder / "drift.html").exists()
