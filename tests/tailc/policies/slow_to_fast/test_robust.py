"""Ages that stand errors of demand and of core speeds, from the spec to the artifact."""

from __future__ import annotations

import json

import pytest

from tailc.artifact.files import read_policy
from tests.tailc.policies.slow_to_fast.case import SPEC, write
from tests.tailc.policies.slow_to_fast.queue_case import QUEUED

# Long, and what it shows is shown of another kind in every run.
pytestmark = pytest.mark.fuzz

ERRORS = "robust: {tail: 0%, resamples: 0}"
DOUBTED = QUEUED.replace("requests: 1600000", f"requests: 8000000, {ERRORS}")


@pytest.fixture(scope="module")
def hardened(tmp_path_factory):
    """What a compile tells, and where its policy and its spec are."""
    folder = tmp_path_factory.mktemp("hardened")
    return write(folder, DOUBTED), folder / "hardened"


def test_the_tail_is_kept_in_the_worst_case_and_energy_is_the_price(hardened, tailc):
    case, policy = hardened
    report = policy.with_suffix(".report")
    words = ("--output-format", "text", "--output-format", f"json:{report}", "--threads", 2)
    shown = tailc("compile", case.spec, "-o", policy, *words).out
    told = json.loads(report.read_text())["result"]["robust"]
    assert told["cases"] == ["as measured", "demand +10 %", "demand -10 %", "speed-ups -10 %"]
    assert told["is_better"]
    (rate,) = told["rates"]
    # the plain one was cut back on the same records, but by other arrivals
    assert rate["plain"]["nominal"]["us"] < 121_000 < rate["plain"]["worst"]["us"]
    assert rate["robust"]["worst"]["us"] <= 120_000
    assert rate["price"]["low_ppm"] > 0
    assert rate["robust"]["energy"] > rate["plain"]["energy"]
    settings = dict(read_policy(str(policy)).evidence.settings)
    assert settings["robust_rate_1_price_ppm"] == rate["price"]["ppm"]
    assert settings["robust_rate_1_tuned_most_energy"] == rate["robust"]["most_energy"]
    assert settings["rate_1_tuned_energy"] == rate["robust"]["energy"]
    assert settings["robust_radius_speedup_ppm"] == told["radius"]["speedup"]["ppm"]
    # so few records say nothing for sure of a tail that is as long as it may be
    assert "tolerates  no error" in shown
    assert "price of robustness in energy, as measured" in shown


@pytest.mark.fuzz
def test_threads_change_no_byte(hardened, tailc):
    case, policy = hardened
    one, two = (policy.with_name(name) for name in ("one", "two"))
    for threads, stem in enumerate((one, two), start=1):
        assert tailc("compile", case.spec, "-o", stem, "--threads", threads).code == 0
    assert two.with_suffix(".tailc").read_bytes() == one.with_suffix(".tailc").read_bytes()


def test_ages_that_a_controller_scales_have_a_radius_too(tmp_path, tailc):
    case = write(tmp_path)
    for name, words in (("plain", ()), ("asked", ("--robust",))):
        assert tailc("compile", case.spec, *words, "-o", tmp_path / name).code == 0
    plain, asked = (read_policy(str(tmp_path / name)) for name in ("plain", "asked"))
    assert asked.forms == plain.forms
    assert asked.controller is not None
    assert "robust_radius_speedup_ppm" in dict(asked.evidence.settings)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SPEC + "search: {robust: {days: day}}\n", "that the method `simulation` tunes"),
        (
            SPEC.replace("rates: [20/s, 80/s]", "search: {robust: {}}\ncontrol: off").replace(
                "control: {epoch: 50 requests, window: 200 requests}\n", ""
            ),
            "errors the table tolerates, but `rates` is missing",
        ),
        (DOUBTED.replace("8000000", "4000000"), "a plain one, simulates"),
        (DOUBTED.replace("rates: [50/s]", "rates: [112/s]"), "with demand +10 %"),
        (
            DOUBTED.replace("  unit: ms", "  unit: ms\n  bin: 1ms").replace(
                "robust: {", "robust: {days: day, "
            ),
            "needs the day of each row, but `demand.bin` merges rows",
        ),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, refusal, spec, said):
    assert said in refusal(write(tmp_path, spec).spec)
