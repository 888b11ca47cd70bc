"""`--budgets` of diff and verify: exit codes, and annotations at the line of the budget."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.tailc.cli.compiling import compile_in
from tests.tailc.schemas import validate
from tests.tailc.toy import with_lines, write_toy

SCHEMAS = Path(__file__).parents[3] / "schemas/report"
DIFF, VERDICT = (
    json.loads((SCHEMAS / f"{name}.schema.json").read_text()) for name in ("diff-1", "verdict-2")
)
SPEC = with_lines(("{percentile: 99%, latency: 200ms}", "{percentile: 50%, latency: 10s}"))
ROWS = "".join(f"{number},{10 + number % 90}\n" for number in range(300))
QUICK = ("--trace", "held.csv", "--requests", 300, "--replicates", 50, "--no-progress")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("budgets")
    (folder / "held.csv").write_text("request,demand_ms\n" + ROWS)
    for name, threads in (("old", 6), ("new", 3)):
        swap = f"target_parallelism: {threads}"
        write_toy(folder, SPEC.replace("target_parallelism: 6", swap))
        compile_in(folder, "toy.yaml", "-o", name)
    return folder


@pytest.fixture
def policies(folder, copied):
    """OLD, and NEW on half the threads, whose mean latency is a tenth longer."""
    copied(folder)
    return "old", "new"


def budgeted(folder, budgets):
    """The spec with budgets: its path, and the line that the first one stands on."""
    write_toy(folder, f"{SPEC}budgets:\n  {budgets}\n")
    return "toy.yaml", len(SPEC.splitlines()) + 2


@pytest.mark.parametrize(
    ("budget", "code"),
    [("mean: 50%", 0), ("mean: 1%", 1), ("p99: 50%", 4), ("mean: 1%\n  p99: 50%", 1)],
)
def test_diff_ends_by_the_worst_budget(policies, in_folder, tailc, budget, code):
    spec, _ = budgeted(in_folder, budget)
    assert tailc("diff", *policies, *QUICK, "--budgets", spec).code == code


def test_a_budget_that_is_kept_leaves_the_exit_code_of_a_difference(policies, in_folder, tailc):
    spec, _ = budgeted(in_folder, "mean: 50%")
    ended = tailc("diff", *policies, *QUICK, "--budgets", spec, "--exit-code")
    assert ended.code == 2
    assert "budgets: pass\n" in ended.out


def test_an_exceeded_budget_is_told_at_its_line_in_every_format(policies, in_folder, tailc):
    spec, line = budgeted(in_folder, "mean: 1%")
    forms = ("github:out.txt", "sarif:out.sarif", "gitlab:out.json", "junit:out.xml")
    options = [word for form in forms for word in ("--output-format", form)]
    assert tailc("diff", *policies, *QUICK, "--budgets", spec, *options).code == 1
    read = {name: (in_folder / name).read_text() for name in ("out.txt", "out.xml")}
    assert (
        f"::error file=toy.yaml,line={line},col=9,title=TC0653::`budgets.mean`" in read["out.txt"]
    )
    results = json.loads((in_folder / "out.sarif").read_text())["runs"][0]["results"]
    (told,) = [one for one in results if one["ruleId"] == "TC0653"]
    assert told["locations"][0]["physicalLocation"]["region"]["startLine"] == line
    (issue,) = [
        one
        for one in json.loads((in_folder / "out.json").read_text())
        if one["check_name"] == "TC0653"
    ]
    assert issue["location"]["lines"]["begin"] == line
    errors = ElementTree.fromstring(read["out.xml"]).iter("error")
    assert any(f"toy.yaml:{line}" in "".join(one.itertext()) for one in errors)


def test_verify_counts_from_the_policy_before(policies, in_folder, tailc):
    spec, _ = budgeted(in_folder, "mean: 1%")
    old, new = policies
    options = (*QUICK, "--baselines", "none", "--budgets", spec)
    ended = tailc("verify", new, *options, "--since", old)
    assert (ended.code, "verdict: pass" in ended.out) == (1, True)
    assert "budgets: fail\n" in ended.out
    assert tailc("verify", old, *options, "--since", old).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diff", "old", "new", "--budgets", "toy.yaml"), "`diff` needs `--trace`,"),
        (("verify", "new", *QUICK, "--budgets", "toy.yaml"), "`verify` needs `--since OLD`"),
        (
            ("verify", "new", *QUICK, "--since", "old"),
            ("`--since` needs `--budgets` with the spec of"),
        ),
    ],
)
def test_budgets_need_two_policies_and_requests(policies, tailc, words, said):
    ended = tailc(*words)
    assert ended.code == 64
    assert said in ended.err


def test_a_budget_of_something_that_is_not_compared_is_named(policies, in_folder, tailc):
    spec, line = budgeted(in_folder, "energy: 1%")
    ended = tailc("diff", *policies, *QUICK, "--budgets", spec)
    assert ended.code == 65
    assert "`budgets.energy` is not a quantity by which these policies are compared" in ended.err
    assert f"toy.yaml:{line}:" in ended.err


def test_any_percentile_can_have_a_budget_and_programs_read_what_became_of_it(
    policies, in_folder, tailc
):
    spec, _ = budgeted(in_folder, "p62.50: 900%\n  mean: 1%")
    ended = tailc("diff", *policies, *QUICK, "--budgets", spec, "--output-format", "json")
    result = json.loads(ended.out)["result"]
    validate(result, DIFF)
    told = {one["name"]: one for one in result["behaviour"]["points"][0]["quantities"]}
    of_percentile, of_mean = result["budgets"]["rows"]
    assert (of_percentile["budget"], of_percentile["verdict"]) == ("p62.50", "pass")
    change = told["p62.5"]["change"] / told["p62.5"]["old"]
    assert of_percentile["change_ppm"] == pytest.approx(1e6 * change, abs=0.5)
    assert of_percentile["allowed_ppm"] == 9_000_000
    assert (of_mean["verdict"], result["budgets"]["verdict"]) == ("fail", "fail")


def test_a_verdict_has_its_budgets_too(policies, in_folder, tailc):
    spec, _ = budgeted(in_folder, "p90: 900%")
    words = (*QUICK, "--baselines", "none", "--budgets", spec, "--since", "old")
    ended = tailc("verify", "new", *words, "--output-format", "json")
    assert ended.code == 0
    result = json.loads(ended.out)["result"]
    validate(result, VERDICT)
    assert [one["budget"] for one in result["budgets"]["rows"]] == ["p90"]


def test_the_spec_of_another_policy_is_refused(policies, in_folder, tailc):
    write_toy(in_folder, SPEC.replace("name: toy", "name: other") + "budgets: {p99: 1%}\n")
    ended = tailc("diff", *policies, *QUICK, "--budgets", "toy.yaml")
    assert ended.code == 65
    assert "`name` is `other`, but the policy is `toy`" in ended.err


def test_a_change_of_budgets_alone_makes_the_same_bytes(in_folder, tailc):
    for name, budgets in (("plain", ""), ("with", "budgets: {mean: 1%}\n")):
        spec = write_toy(in_folder, SPEC + budgets)
        assert tailc("compile", spec, "-o", name, "--no-progress").code == 0
    assert (in_folder / "plain.json").read_bytes() == (in_folder / "with.json").read_bytes()
