"""Joint ladders that stand errors of demand and of their rungs' speeds, from spec to artifact."""

from __future__ import annotations

import json

import pytest

from tailc.artifact.files import read_policy
from tests.tailc import texts
from tests.tailc.policies.joint_ladder.case import SPEC, write
from tests.tailc.policies.joint_ladder.queue_case import QUEUED

# Long, and what it shows is shown of another kind in every run.
pytestmark = pytest.mark.fuzz

ERRORS = {"demand": "5%", "tail": "0%", "speedup": "5%", "resamples": 0}
DOUBTED = QUEUED.replace("110ms", "70ms")


def doubted(folder, text=DOUBTED, **search):
    """The spec with these errors and that much of `search`."""
    own = {"method": "simulation", "objective": "energy", "requests": 15_000_000, "robust": ERRORS}
    return write(folder, f"{text}search: {json.dumps(own | search)}\n")


@pytest.fixture(scope="module")
def hardened(tmp_path_factory):
    """A spec of least energy, and where its policy is to be written."""
    folder = tmp_path_factory.mktemp("hardened")
    return doubted(folder), folder / "hardened"


def test_the_tail_is_kept_in_the_worst_case_and_energy_is_the_price(hardened, tailc):
    case, policy = hardened
    words = ("-o", policy, "--output-format", "json", "--threads", 2)
    told = json.loads(tailc("compile", case.spec, *words).out)["result"]["robust"]
    assert told["cases"] == ["as measured", "demand +5 %", "demand -5 %", "speed-ups -5 %"]
    assert told["is_better"]
    (rate,) = told["rates"]
    assert rate["plain"]["worst"]["us"] > 70_000
    assert rate["robust"]["worst"]["us"] <= 70_000
    assert rate["price"]["low_ppm"] > 0
    settings = dict(read_policy(str(policy)).evidence.settings)
    assert settings["robust_rate_1_price_ppm"] == rate["price"]["ppm"]
    assert settings["rate_1_tuned_energy"] == rate["robust"]["energy"]


@pytest.mark.fuzz
def test_threads_change_no_byte(hardened, tailc):
    case, policy = hardened
    one, two = (policy.with_name(name) for name in ("one", "two"))
    for threads, stem in enumerate((one, two), start=1):
        assert tailc("compile", case.spec, "-o", stem, "--threads", threads).code == 0
    assert two.with_suffix(".tailc").read_bytes() == one.with_suffix(".tailc").read_bytes()


def test_a_table_that_is_not_tuned_has_a_radius_too(tmp_path, tailc):
    case = write(tmp_path)
    for name, words in (("plain", ()), ("asked", ("--robust",))):
        assert tailc("compile", case.spec, *words, "-o", tmp_path / name).code == 0
    plain, asked = (read_policy(str(tmp_path / name)) for name in ("plain", "asked"))
    assert asked.forms == plain.forms
    assert dict(asked.evidence.settings)["robust_radius_demand_ppm"] > 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"objective": "rate"},
            ("needs given `rates`, but the objective `rate` searches for a rate"),
        ),
        (
            {"robust": ERRORS | {"resamples": 2}, "requests": 1_000_000},
            "in addition to a plain one",
        ),
    ],
)
def test_what_does_not_fit_the_search_is_refused(tmp_path, refusal, changes, said):
    text = texts.swapped(DOUBTED, ("rates: [300/s]", "rates: [200/s, 300/s]"))
    assert said in refusal(doubted(tmp_path, text, **changes).spec)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SPEC + "search: {robust: {days: day}}\n", "that the method `simulation` tunes"),
        (
            SPEC.replace("rates: [60/s]\n", "search: {robust: {}}\n"),
            "needs arrival rates to compute which errors the table tolerates",
        ),
    ],
)
def test_what_is_for_tuned_tables_is_refused_of_others(tmp_path, refusal, text, said):
    assert said in refusal(write(tmp_path, text).spec)
