"""`tailc test`: queries to a policy, the answers it must give, and the cells that tests read."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import jsonschema
import pytest

from tailc.artifact.files import read_policy
from tailc.errors import ExitCode
from tailc.forms.coverage import budget_cell, budget_cells, tail_cell, tail_cells
from tests.tailc.artifact.published import ROOT, VECTORS

SCHEMA = json.loads((ROOT / "schemas" / "report" / "output-1.schema.json").read_text())
HEAD = "apiVersion: tailc/v1\nkind: policy-tests\npolicy: toy.tailc\ntests:\n"
RIGHT = "  - {name: idle, lookup: {in-system: 1}, expect: {start: now, wait_us: 0}}\n"
WRONG = "  - {name: busy, lookup: {in-system: 9, age: 1s}, expect: {rung_name: 9 threads}}\n"


@pytest.fixture
def tested(compiled, in_folder, tailc):
    """Run tests with these lines."""

    def call(*lines, words=()):
        (in_folder / "tests.yaml").write_text(HEAD + "".join(lines))
        return tailc("test", "tests.yaml", *words)

    return call


def test_a_test_passes_if_each_member_is_equal(tested):
    ended = tested(RIGHT)
    assert ended.code == 0
    assert ended.out == "ok  idle\n1 of 1 tests passed\n"


def test_a_failed_test_states_what_differs_at_its_line(tested):
    ended = tested(RIGHT, WRONG)
    assert ended.code == ExitCode.MISSED
    assert ended.out.splitlines() == ["ok  idle", "FAIL  busy", "1 of 2 tests passed"]
    assert "error[TC0607]: `busy`: rung_name is '" in ended.err
    assert "expected '9 threads'" in ended.err
    assert " --> tests.yaml:6:59\n" in ended.err


def test_a_member_that_is_not_in_the_result_differs(tested):
    ended = tested("  - {name: a, lookup: {in-system: 1}, expect: {wait_ms: 0}}\n")
    assert "wait_ms is not in the result, expected 0" in ended.err


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("{help: true}", "no such option '--help'"),
        ("{in-system: x}", "'x' is not a valid"),
        ("{age: 1s}", "give --in-system"),
        ("{in-sistem: 3}", "No such option"),
    ],
)
def test_a_query_with_a_wrong_option_is_named_at_its_line(tested, query, words):
    ended = tested(RIGHT, f"  - {{name: odd, lookup: {query}, expect: {{start: now}}}}\n")
    assert ended.code == ExitCode.USAGE
    assert "`odd` is no query of `tailc lookup`: " in ended.err
    assert words.lower() in ended.err.lower()
    assert " --> tests.yaml:6:25\n" in ended.err
    assert ended.out == ""


def test_each_file_of_a_query_is_relative_to_the_tests(compiled, in_folder, tailc):
    below = in_folder / "below"
    below.mkdir()
    query = "{trace: ../toy.csv, measured: times.csv, measured-column: s, rate: [10/s]}"
    text = f"  - {{name: a, verify: {query}, expect: {{verdict: pass}}}}\n"
    (below / "tests.yaml").write_text(HEAD.replace("toy.tailc", "../toy.tailc") + text)
    ended = tailc("test", "below/tests.yaml")
    assert ended.code == ExitCode.CANNOT_READ
    assert "`below/times.csv`" in ended.err
    (below / "tests.yaml").write_text(HEAD.replace("toy.tailc", "git:none:toy.tailc") + RIGHT)
    assert "`git:none:toy.tailc`" in tailc("test", "below/tests.yaml").err


def test_junit_has_a_case_for_each_test(tested):
    root = ElementTree.fromstring(tested(RIGHT, WRONG, words=("--output-format", "junit")).out)
    cases = {case.get("name"): case.find("failure") is not None for case in root.iter("testcase")}
    assert cases == {"idle": False, "busy": True}
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")


def test_a_replay_of_a_trace_is_a_query(tested):
    verify = "verify: {trace: toy.csv, rate: [10/s], requests: 400, replicates: 50"
    line = f"  - {{name: tail, {verify}, allow-compile-trace: true}}, expect: {{verdict: WORD}}}}\n"
    results = {word: tested(line.replace("WORD", word)) for word in ("pass", "fail", "undecided")}
    assert sorted(ended.code for ended in results.values()) == [0, 1, 1]


def test_coverage_is_the_share_of_rows_and_climbs_that_look_ups_read(tested):
    (ladder,) = read_policy("toy.tailc").ladders
    cells = sum(len(row.climbs) for row in ladder.rows)
    document = json.loads(tested(RIGHT, RIGHT, words=("--coverage", "--output-format", "json")).out)
    jsonschema.validate(document, SCHEMA)
    coverage = document["result"]["coverage"]
    assert coverage["cells"] == cells
    assert coverage["share_ppm"] == 1_000_000 // cells
    assert len(coverage["missing"]) == cells - 1


def test_every_climb_of_every_row_can_be_read(tested):
    (ladder,) = read_policy("toy.tailc").ladders
    lines = [
        f"  - {{name: a, lookup: {{in-system: {row.first_load}, age: {climb.age_us}us}}, "
        f"expect: {{rung: {climb.rung}}}}}\n"
        for row in ladder.rows
        for climb in row.climbs
    ]
    ended = tested(*lines, words=("--threshold", "100%"))
    assert ended.code == 0
    assert ended.out.endswith("100.0 %\n")


def test_a_share_below_the_threshold_fails(tested):
    ended = tested(RIGHT, words=("--threshold", "99%"))
    assert ended.code == ExitCode.MISSED
    assert "of the cells, less than 99 %" in ended.err
    assert tested(RIGHT, words=("--threshold", "101%")).code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        ("  - {name: a, expect: {rung: 0}}\n", 65, "exactly one of `lookup` and `verify`"),
        ("  - {name: a, lookup: {in-system: 1}}\n", 65, "`tests[0].expect` is missing"),
        ("  - {name: a, lookup: {in-sistem: 1}, expect: {rung: 0}}\n", 64, "--in-sistem"),
        ("  - {name: a, lookup: {rate: 1/s}, expect: {rung: 0}}\n", 64, "give --in-system"),
        ("  - {name: a, verify: {trace: gone.csv}, expect: {verdict: pass}}\n", 66, "gone.csv"),
    ],
)
def test_a_wrong_query_is_no_failed_test(tested, lines, code, words):
    ended = tested(lines)
    assert ended.code == code
    assert words in ended.err


def test_options_of_the_user_are_not_those_of_a_test(tested, in_folder, monkeypatch):
    monkeypatch.setenv("TAILC_LOOKUP_AGE", "10s")
    (in_folder / "tailc.toml").write_text("[lookup]\nwaited = '1s'\n")
    assert tested(RIGHT).code == 0


def test_another_policy_is_tested_by_the_same_file(tested, in_folder):
    (in_folder / "other.tailc").write_bytes((VECTORS / "lucene.tailc").read_bytes())
    assert tested(RIGHT, words=("--policy", "other.tailc")).code == 0
    assert tested(RIGHT, words=("--policy", "gone.tailc")).code == ExitCode.CANNOT_READ


def test_cells_of_other_tables_are_those_of_their_look_ups():
    table = read_policy(str(VECTORS / "budgets.tailc")).budget_table
    assert table is not None
    cells = list(budget_cells(table))
    assert len(set(cells)) == len(cells) == len(table.rows) * len(table.first_waiting)
    assert budget_cell(table, 10**9, 10**9) == cells[-1]
    assert budget_cell(table, 0, 0) == cells[0]
    tails = read_policy(str(VECTORS / "tails.tailc")).tail_table
    assert tails is not None
    cells = list(tail_cells(tails))
    assert len(set(cells)) == len(cells)
    assert tail_cell(tails, 0, 0) == cells[0]
    assert tail_cell(tails, 10**12, 10**12) == cells[-1]
