"""Ages by load that are tuned with queues, from the spec to the verdict."""

from __future__ import annotations

import json

import pytest

from tailc.artifact.files import read_policy
from tailc.errors import Code
from tailc.forms.ladder.table import LoadAxis, Rule
from tailc.percentiles import PPM
from tailc.report.compile_report import compiled_result, compiled_text
from tests.tailc import texts
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.elfen.case import swapped, write
from tests.tailc.schemas import validate_compiled
from tests.tailc.tuning.short import BRIEF, FEW, short_searches

POLICY = "policy: fixed\nbudget: by-load\n"
SEARCH = "search: {method: simulation, requests: 3000000}\n"
QUEUED = swapped(
    (POLICY, f"policy: safe\nbudget: 200ms\n{SEARCH}"),
    ("percentile: 99%, latency: 80ms", "percentile: 95%, latency: 60ms"),
    ("rates: [20/s, 60/s]", "rates: [70/s]"),
)


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The policy with ages by load, where it is written, and what it was compiled from."""
    folder = tmp_path_factory.mktemp("queue")
    case = write(folder, QUEUED)
    return case, folder / "tuned", compiled_to(folder / "tuned", case.spec)


def test_the_tail_is_kept_on_requests_that_no_compile_saw(tuned, tailc, tmp_path):
    """With the budget that is given it is not."""
    case, policy, _ = tuned
    formula = tmp_path / "formula"
    words = ("--method", "paper", "--allow-misses", "-o", formula)
    assert tailc("compile", case.spec, *words).code == 0
    ours, theirs = (tail_us(tailc, one, case.held_out) for one in (policy, formula))
    assert ours < 61_000 < theirs


def tail_us(tailc, policy, trace):
    words = ("--trace", trace, "--output-format", "json", "--baselines", "none", *FEW)
    (point,) = json.loads(tailc("verify", policy, *words).out)["result"]["points"]
    return point["policy"]["verdicts"][0]["estimate_us"]


def test_the_table_is_by_the_number_in_the_system(tuned):
    ladder = tuned[2].policy.ladders[0]
    assert ladder.load_axis is LoadAxis.IN_SYSTEM
    assert Rule.REREAD_ROW in ladder.rules


def test_the_artifact_says_what_it_was_tuned_for(tuned):
    _, policy, compiled = tuned
    evidence = read_policy(str(policy)).evidence
    said = (evidence.objective, evidence.method, evidence.proof, evidence.rows)
    assert said == ("batch work given up", "simulation", "replayed", ())
    settings = dict(evidence.settings)
    assert settings["limit_us"] == 60_000 >= settings["rate_1_tuned_us"]
    result = compiled_result(compiled)
    validate_compiled(result, "compile_lanes")
    told = result["queue"]
    assert isinstance(told, dict)
    assert (told["objective"], told["is_better"]) == ("batch work", True)
    # What it is compared with is the budget cut back.
    assert told["formula_part_ppm"] < PPM
    (rate,) = told["rates"]
    left = [rate[f"{name}_batch_ppm"] for name in ("formula", "tuned", "max")]
    assert left == sorted(left)
    assert left[0] < left[1] == settings["rate_1_batch_ppm"]
    assert left[2] == settings["rate_1_most_batch_ppm"] < PPM
    assert rate["change_high_ppm"] < 0
    text = compiled_text(compiled, [])
    assert "batch work with queues" in text
    assert "at most" in text
    assert "untuned" in text
    # Not that the formula's ages miss the target.
    assert {finding.code for finding in compiled.findings} == {Code.JUDGED_ON_OWN}


@pytest.mark.fuzz
def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


def test_what_is_tuned_for_bursts_says_so_and_is_verified_under_them(tuned, tmp_path, tailc):
    bursts = "bursts: {idc: 3, spell: 1s}}"
    case = write(tmp_path, QUEUED.replace("3000000}", f"3000000, {bursts}"))
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    assert "batch work with queues under bursts (IDC 3, spells of 1 s, 20 % busy)" in done.out
    ladder = read_policy(str(tmp_path / "p")).ladders[0]
    assert ladder.rows != tuned[2].policy.ladders[0].rows
    words = ("--trace", case.held_out, "--baselines", "none", *BRIEF)
    assert "bursty 70/s, IDC 3" in tailc("verify", tmp_path / "p", *words).out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("3000000}", "3000000, weights: [1, 2]}")], "has 2 values, but `rates` has 1"),
        (
            [("method: simulation, ", "")],
            ("`search.requests` applies only to the method `simulation`"),
        ),
        ([("method: simulation", "method: simulatoin")], "did you mean `simulation`"),
        ([("3000000", "1000000")], "simulates at least 3,000,000 requests"),
        ([("3000000}", "3000000, bursts: {idc: 900, spell: 1s}}")], "out of reach at 70/s"),
        (
            [("3000000}", "3000000, diurnal: [1, 2], recorded: at}")],
            ("` both define how requests arrive"),
        ),
        (
            [(SEARCH, "search: {recorded: at}\n")],
            "applies only to the method `simulation`",
        ),
        ([("45%", "45%, batch_slowdown: 55%")], "are not faster than one alone"),
        (
            [("rates: [70/s]", "rates: [153/s]"), ("60ms", "1s")],
            "92% of the cores busy, each alone",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, changes, said):
    assert said in refusal(write(tmp_path, texts.swapped(QUEUED, *changes)).spec)


def test_an_option_asks_for_it_too(tmp_path, refusal):
    """The default budget is more than this test has; what it asks for is refused before."""
    busy = swapped(("[20/s, 60/s]", "[155/s]"), ("latency: 80ms", "latency: 2s"))
    said = refusal(write(tmp_path, busy).spec, "--method", "simulation")
    assert "of the cores busy, each alone" in said
    assert f"{tmp_path}/service.yaml" in said
