"""A bound and entries that are tuned with queues, from the spec to the verdict."""

from __future__ import annotations

import json

import pytest

from tailc.artifact.files import read_policy
from tailc.percentiles import PPM
from tailc.report.compile_report import compiled_result, compiled_text
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.rubik.case import swapped, write
from tests.tailc.tuning.short import FEW, short_searches

FEEDBACK = "feedback: {epoch: 20ms, window: 80ms}\nsearch: {method: paper}\n"
SEARCH = "search: {method: simulation, requests: 1600000}\n"
RATES = "rates: [500/s, 2000/s]"
QUEUED = swapped((FEEDBACK, SEARCH), (RATES, "rates: [3000/s]"))


@pytest.fixture(scope="module", autouse=True)
def _short():
    with short_searches():
        yield


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The policy with tuned entries, where it is written, and what it was compiled from."""
    folder = tmp_path_factory.mktemp("queue")
    case = write(folder, QUEUED)
    return case, folder / "tuned", compiled_to(folder / "tuned", case.spec)


def test_the_tail_is_kept_with_less_energy_than_the_formulas_table_has(tuned, tailc, tmp_path):
    """On requests that no compile saw, where the formula's bound leaves room."""
    case, policy, _ = tuned
    plain = write(
        tmp_path,
        swapped((FEEDBACK, "feedback: off\nsearch: {method: paper}\n"), (RATES, "rates: [3000/s]")),
    )
    assert tailc("compile", plain.spec, "--allow-misses", "-o", tmp_path / "formula").code == 0
    ours, theirs = (judged(tailc, one, case.held_out) for one in (policy, tmp_path / "formula"))
    assert ours["estimate_us"] < 3_000
    assert ours["energy"] < 0.99 * theirs["energy"]


def judged(tailc, policy, trace):
    words = ("--trace", trace, "--output-format", "json", "--baselines", "none", *FEW)
    (point,) = json.loads(tailc("verify", policy, *words).out)["result"]["points"]
    told = point["policy"]
    return {
        "estimate_us": told["verdicts"][0]["estimate_us"],
        "energy": told["cores"]["request_us"] + told["cores"]["idle_us"],
    }


def test_the_artifact_says_what_it_was_tuned_for(tuned):
    _, policy, _ = tuned
    written = read_policy(str(policy))
    evidence = written.evidence
    said = (evidence.objective, evidence.method, evidence.proof, evidence.rows)
    assert said == ("energy", "simulation", "replayed", ())
    settings = dict(evidence.settings)
    # 98 % of the SLO, as the feedback aims at
    assert settings["limit_us"] == 2_940 >= settings["rate_1_tuned_us"]
    assert settings["rate_1_clairvoyant_energy"] < settings["rate_1_tuned_energy"]
    assert written.controller is None


def test_the_change_is_told_against_the_formulas_table_with_its_largest_bound(tuned):
    _, _, compiled = tuned
    told = compiled_result(compiled)["queue"]
    assert isinstance(told, dict)
    assert (told["objective"], told["is_better"]) == ("energy", True)
    assert told["formula_part_ppm"] > PPM
    (rate,) = told["rates"]
    energies = [rate[f"{name}_energy"] for name in ("clairvoyant", "tuned", "formula")]
    assert energies == sorted(energies)
    assert rate["change_high_ppm"] < 0
    text = compiled_text(compiled, [])
    assert "the formula's table has a margin below 2.94 ms; the comparison uses" in text
    assert "% of its bound" in text
    assert "clairvoyant: levels chosen with all requests known" in text


def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("1600000}", "1600000, weights: [1, 2]}")], "has 2 values, but `rates` has 1"),
        (
            [("method: simulation, ", "")],
            ("`search.requests` applies only to the method `simulation`"),
        ),
        (
            [(SEARCH, "search: {method: paper, target: 90%}\n")],
            "applies only to the method `simulation`",
        ),
        ([("method: simulation", "method: simulatoin")], "did you mean `simulation`"),
        (
            [("1600000", "1000000"), ("rates: [3000/s]", "rates: [2000/s, 3000/s]")],
            "requests, more than `search.requests`, 1,000,000",
        ),
        ([("1600000}", "1600000, optional_rules: [give-up]}")], "`search.optional_rules`"),
        ([("1600000}", "1600000, objective: rate}")], "`search.objective`"),
        ([("1600000}", "1600000, target: 100%}")], "must lie between 0 % and 100 %"),
        ([("rates: [3000/s]", "feedback: off")], "no `rates` are given at which requests could"),
        (
            [("search:", "feedback: pi\nsearch:")],
            "the method `simulation`, which tunes a constant bound",
        ),
        ([("search:", "batch: {memory: 30%}\nsearch:")], "which tunes one table, but with `batch`"),
        ([("rates: [3000/s]", "rates: [8500/s]")], "of the cores busy, each at the highest"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, tailc, changes, said):
    spec = QUEUED
    for old, new in changes:
        assert old in spec
        spec = spec.replace(old, new)
    done = tailc("compile", write(tmp_path, spec).spec, "-o", tmp_path / "p")
    assert done.code == 65
    assert said in " ".join(done.err.split())


def test_an_option_asks_for_it_too(tmp_path, tailc):
    """What does not fit with it is refused before the default budget is spent."""
    words = ("--method", "simulation", "-o", tmp_path / "p")
    case = write(tmp_path)
    done = tailc("compile", case.spec, *words)
    assert done.code == 65
    assert "the method `simulation`, which tunes a constant bound" in " ".join(done.err.split())
    done = tailc("compile", case.spec, "--robust", "-o", tmp_path / "p")
    assert "`--robust` does not apply to a policy of kind `rubik`" in " ".join(done.err.split())
