"""Ages by load that are tuned with queues, from the spec to the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy
from tailc.forms.ladder.table import Rule
from tailc.report.compile_report import compiled_result, compiled_text
from tests.tailc import texts
from tests.tailc.pipeline.compiled_twice import assert_one_thread_writes_the_same, compiled_to
from tests.tailc.policies.slow_to_fast.case import write
from tests.tailc.policies.slow_to_fast.queue_case import CONTROL, QUEUED
from tests.tailc.schemas import validate, validate_compiled
from tests.tailc.tuning.short import BRIEF, FEW, short_searches

SCHEMAS = Path(__file__).parents[4] / "schemas/report"


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
    """With the formula's ages nobody climbs, and the tail of those that wait is too long."""
    case, policy, _ = tuned
    formula = tmp_path / "formula"
    words = ("--method", "dual", "--objective", "efficiency")
    assert tailc("compile", case.spec, *words, "-o", formula).code == 0
    (ours,), (theirs,) = (tails(tailc, one, case.held_out) for one in (policy, formula))
    assert ours < 122_000 < theirs


def tails(tailc, policy, trace):
    words = ("--trace", trace, "--output-format", "json", "--baselines", "none", *FEW)
    points = json.loads(tailc("verify", policy, *words).out)["result"]["points"]
    return [point["policy"]["verdicts"][0]["estimate_us"] for point in points]


def test_more_in_the_system_climb_earlier(tuned):
    ladder = tuned[2].policy.ladders[0]
    assert Rule.REREAD_ROW in ladder.rules
    ages_us = [row.climbs[-1].age_us for row in ladder.rows]
    assert len(ages_us) > 1
    assert ages_us[0] > ages_us[-1]


def test_the_artifact_says_what_it_was_tuned_for(tuned):
    _, policy, compiled = tuned
    evidence = read_policy(str(policy)).evidence
    said = (evidence.objective, evidence.method, evidence.proof, evidence.rows)
    assert said == ("energy", "simulation", "replayed", ())
    settings = dict(evidence.settings)
    assert settings["limit_us"] == 120_000 >= settings["rate_1_tuned_us"]
    result = compiled_result(compiled)
    validate_compiled(result, "compile_cores")
    told = result["queue"]
    assert isinstance(told, dict)
    assert (told["objective"], told["is_better"]) == ("energy", True)
    assert told["rates"][0]["tuned_energy"] == settings["rate_1_tuned_energy"] > 0
    assert "energy with queues" in compiled_text(compiled, [])


def test_why_tells_what_the_tuned_row_buys_beside_the_formula_s(tuned, tailc):
    """With the formula's ages nobody climbs: that draws less, and the tail is longer."""
    case, policy, _ = tuned
    words = ("--in-system", 2, "--spec", case.spec, "--requests", 1_000)
    told = json.loads(tailc("why", policy, *words, "--output-format", "json").out)["result"]
    validate(told, json.loads((SCHEMAS / "why-1.schema.json").read_text()))
    found = told["replayed"]
    assert (found["resource"], found["used_unit"]) == ("cores", "power")
    theirs = found["formula"]["whole_table"]
    assert theirs["change_us"]["low"] > 0 > theirs["used_change_ppm"]["high"]
    text = tailc("why", policy, *words).out
    assert "cores x time" in text
    assert " power, in 20 replays of 1,000 requests" in text
    assert "a core fewer" in text


def test_threads_change_no_byte(tuned):
    case, policy, _ = tuned
    assert_one_thread_writes_the_same(policy, case.spec)


def searched(folder, **search):
    """The spec with that much more of `search`."""
    told = json.dumps({"method": "simulation", "requests": 1_600_000, **search})
    return write(folder, QUEUED.replace("{method: simulation, requests: 1600000}", told))


def test_what_is_tuned_for_bursts_says_so_and_is_verified_under_them(tuned, tmp_path, tailc):
    case = searched(tmp_path, bursts={"idc": 4, "spell": "1s"})
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    assert "energy with queues under bursts (IDC 4, spells of 1 s, 20 % busy)" in done.out
    ladder = read_policy(str(tmp_path / "p")).ladders[0]
    assert ladder.rows != tuned[2].policy.ladders[0].rows
    assert "\ntuned for  bursts (IDC 4" in tailc("inspect", tmp_path / "p").out
    assert names(tailc, tmp_path / "p", case) == ["bursty 50/s, IDC 4, spells of 1 s, 20 % busy"]
    beside = names(tailc, tmp_path / "p", case, "--arrivals", "all")
    assert [name.split()[0] for name in beside] == ["50/s", "bursty", "diurnal"]


def names(tailc, policy, case, *words):
    """The arrivals that a policy is verified under."""
    fixed = ("--trace", case.held_out, "--output-format", "json", "--baselines", "none", *BRIEF)
    points = json.loads(tailc("verify", policy, *fixed, *words).out)["result"]["points"]
    return [point["arrivals"] for point in points]


def test_what_is_tuned_for_a_day_is_judged_at_all_its_rates(tmp_path, tailc):
    case = searched(tmp_path, diurnal=[0.5, 1.5])
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    assert "energy with queues under a day with the levels 0.5, 1.5" in done.out


def test_what_is_tuned_for_a_recording_says_so(tmp_path, tailc):
    case = searched(tmp_path, recorded={"column": "at", "unit": "s"})
    header, *demands = case.design.read_text().splitlines() * 2
    rows = [f"{demand},{at / 50:.2f}" for at, demand in enumerate(demands) if demand != header]
    case.design.write_text("\n".join([f"{header},at", *rows]) + "\n")
    done = tailc("compile", case.spec, "-o", tmp_path / "p")
    assert done.code == 0, done.err
    assert "under recorded arrivals, 534 of them" in done.out


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ({"diurnal": [1, 2], "recorded": "at"}, "` both define how requests arrive"),
        ({"bursts": {"idc": 900, "spell": "1s"}}, "is out of reach at 50/s"),
        ({"recorded": "at", "method": "dual"}, "applies only to the method `simulation`"),
        ({"diurnal": [0.5, 1.5], "rates": "rates: [90/s]"}, "at the day's peak"),
        ({"recorded": "at", "held_out": "20%"}, "hold out the last requests"),
    ],
)
def test_arrivals_that_cannot_be_tuned_for_are_refused(tmp_path, refusal, search, said):
    moved = {key: search.pop(key, None) for key in ("method", "rates", "held_out")}
    case = searched(tmp_path, **search)
    spec = case.spec.read_text()
    if moved["method"]:
        spec = f"{spec.replace('simulation', moved['method'])}control: off\n"
    if moved["rates"]:
        spec = spec.replace("rates: [50/s]", moved["rates"])
    if moved["held_out"]:
        spec = spec.replace("reference: slow", f"reference: slow\n  held_out: {moved['held_out']}")
    case.spec.write_text(spec)
    assert said in refusal(case.spec)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([("rates: [50/s]", "")], "no `rates` are given"),
        ([("search:", f"{CONTROL}search:")], "`control` is given, but the ages"),
        ([("requests: 1600000", "weights: [1, 2]")], "has 2 values, but `rates` has 1"),
        (
            [("method: simulation, ", ""), ("rates:", "control: off\nrates:")],
            "applies only to the method `simulation`",
        ),
        ([("rates: [50/s]", "rates: [125/s]")], "94% of the cores busy, each at its fastest"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, changes, said):
    assert said in refusal(write(tmp_path, texts.swapped(QUEUED, *changes)).spec)


def test_an_override_asks_for_no_controller_too(tmp_path, refusal):
    said = refusal(write(tmp_path).spec, "--method", "simulation")
    assert "`control` is given" in said
    assert f"{tmp_path}/service.yaml:1" in said
    assert "set `control: off`" in said
