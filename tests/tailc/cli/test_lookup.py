"""Look-ups in a policy with a controller: what it puts out step by step, and what is refused."""

from __future__ import annotations

import csv
import json

import pytest

from tests.tailc.artifact.published import ROOT, VECTORS
from tests.tailc.schemas import validate

CONTROLLER = VECTORS / "controller.tailc"
LUCENE = VECTORS / "lucene.tailc"
OUTPUT = json.loads((ROOT / "schemas/report/output-1.schema.json").read_text())


def steered(tailc, *arguments):
    """The member `controller` of a look-up's document, and the look-up's rung."""
    ended = tailc("lookup", CONTROLLER, *arguments, "--output-format", "json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    validate(document, OUTPUT)
    return document["result"]["controller"], document["result"]["rung_name"]


def test_without_a_word_the_controller_puts_out_what_it_begins_with(tailc):
    text = tailc("lookup", CONTROLLER, "--in-system", 11, "--age", "60ms").out
    assert text == (
        "not yet started: start at once, if it has a core\n"
        "running: medium, if it has a core\n"
        "controller: ages times 100 %\n"
        "climbs: slow, medium from 3 us, fast from 80 ms\n"
    )


def test_what_the_rung_of_a_request_hangs_on_besides_is_told(tailc):
    text = tailc("lookup", VECTORS / "lanes.json", "--rate", "30/s", "--waited", "5ms").out
    assert text.splitlines()[1:] == [
        "running: shared, if it has a core",
        "ages count over the busy period of a core",
        "a request that has waited starts on its last rung",
    ]


def test_a_scale_moves_the_climbs(tailc):
    found, rung = steered(tailc, "--in-system", 11, "--age", "60ms", "--scale", "40%")
    assert (found["output_ppm"], rung) == (400_000, "fast")
    assert [(c["age_us"], c["rung"]) for c in found["climbs"]] == [(0, 0), (1, 1), (32_000, 2)]


def test_steps_are_those_of_the_vectors(tailc):
    """Sequence `step-up` of the vectors, all at 60/s: one look-up for each of its beginnings."""
    lines = (VECTORS / "steps/controller.csv").read_text().splitlines()
    rows = [row for row in csv.DictReader(line for line in lines if line[0] != "#")
            if row["sequence"] == "step-up"]  # fmt: skip
    arguments = ["--in-system", rows[0]["load"], "--rate", "60/s"]
    for row in rows[1:6]:
        arguments += ["--measured", f"{row['measured_us']}us"]
        found, _ = steered(tailc, *arguments)
        climbs = " ".join(f"{climb['age_us']}:{climb['rung']}" for climb in found["climbs"])
        wanted = (int(row["output"]), int(row["output_ppm"]), row["climbs"])
        assert (found["output"], found["output_ppm"], climbs) == wanted


def test_steps_begin_at_the_scale(tailc):
    """At 60/s ki takes 0.25 ms of 109 ms for each ms: 10 ms too long take 2.29 %."""
    arguments = ("--in-system", 11, "--scale", "60%", "--measured", "210ms", "--rate", "60/s")
    found, _ = steered(tailc, *arguments)
    assert found["output_ppm"] == round((0.6 - 0.25 * 10 / 109) * 1_000_000)
    text = tailc("lookup", CONTROLLER, *arguments).out
    assert "controller: ages times 57.7064 % after 210 ms at 60/s\n" in text


def test_a_class_has_its_own_climbs_under_the_same_output(tailc):
    found, rung = steered(tailc, "--in-system", 0, "--class", "short", "--scale", "50%")
    assert rung == "medium"
    assert [climb["age_us"] for climb in found["climbs"]] == [0, 10_000]


def test_a_policy_without_a_controller_tells_of_none(tailc):
    ended = tailc("lookup", LUCENE, "--in-system", 3, "--output-format", "json")
    assert "controller" not in json.loads(ended.out)["result"]


@pytest.mark.parametrize(
    ("path", "arguments", "words"),
    [
        (LUCENE, ["--scale", "40%"], "this artifact has no controller: --scale does not apply"),
        (LUCENE, ["--measured", "4ms"], "has no controller: --measured does not apply"),
        (LUCENE, ["--rate", "4/s"], "on in_system: --rate does not apply, so"),
        (CONTROLLER, ["--rate", "4/s"], "a step of the controller: add `--measured`"),
        (CONTROLLER, ["--measured", "4ms"], "depend on the arrival rate: add `--rate`"),
        (CONTROLLER, ["--scale", "5%"], "'--scale': `5 %` is not within the controller's limits"),
        (CONTROLLER, ["--scale", "100.01%"], "limits, 5.0001 % to 100 %"),
        (CONTROLLER, ["--scale", "0.4"], "'--scale': `0.4` has no unit"),
        (CONTROLLER, ["--measured", "-4ms", "--rate", "4/s"], "'--measured'"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(tailc, path, arguments, words):
    ended = tailc("lookup", path, "--in-system", 3, *arguments)
    assert (ended.code, ended.out) == (64, "")
    assert words in ended.err
