"""Look-ups in a tail table: requests alike, of 240,000 cycles and 100 us of memory time each.

Under 3 ms the request in position i needs 240,000 (i + 1) cycles in 3 ms - age - 100 us (i + 1).
"""

import json

import pytest

from tests.tailc.artifact.published import ROOT
from tests.tailc.policies.rubik.case import swapped, write
from tests.tailc.schemas import validate

OUTPUT = json.loads((ROOT / "schemas/report/output-1.schema.json").read_text())
FEEDBACK = "feedback: {epoch: 20ms, window: 80ms}"
SMALL = "table: {positions: 2, most_positions: 2}\n"


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    """Where a policy with feedback lies."""
    return _compiled(tmp_path_factory.mktemp("tails"), FEEDBACK)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory):
    """Where one without lies."""
    return _compiled(tmp_path_factory.mktemp("fixed"), "feedback: off")


def _compiled(folder, feedback):
    from tailc.cli import run

    case = write(folder, swapped((FEEDBACK, SMALL + feedback)))
    case.design.write_text("cycles,memory_us\n" + "240000,100\n" * 20)
    assert run(["compile", str(case.spec), "-o", str(folder / "policy")]) == 0
    return folder / "policy"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        # 240,000 in 2.9 ms are 83 MHz.
        (["--held", "0ms"], "needs 82.759 MHz: 240,000 cycles in 2,900.000 us; the lowest"),
        # 240,000 in 0.2 ms are 1.2 GHz.
        (["--held", "2.7ms", "--held", "0ms"], "because the running request needs 1.2 GHz: "),
        # 480,000 in 0.3 ms are 1.6 GHz; the running one needs 480 MHz.
        (
            ["--held", "2.4ms", "--held", "2.5ms"],
            "because the request with 1 before it needs 1.6 GHz: 480,000 cycles in 300.000 us\n",
        ),
        (["--held", "2.85ms"], "needs 4.8 GHz: 240,000 cycles in 50.000 us, beyond the highest"),
        (["--held", "2.9ms"], "because the running request has no time left for its cycles"),
        (["--held", "0ms"] * 3, "because the core has 3 requests, more than the table's 2 pos"),
        (["--held", "0ms", "--cycles", "240001"], "has had more cycles than any that was measured"),
        (["--held", "0ms", "--memory", "101us"], "has had more memory time than any"),
    ],
)
def test_the_request_that_asks_for_the_frequency_is_named(policy, tailc, arguments, said):
    assert said in tailc("lookup", policy, *arguments).out


def test_the_level_is_the_lowest_at_which_the_binding_request_is_in_time(fixed, tailc):
    held = ("--held", "2.4ms", "--held", "2.5ms")
    text = tailc("lookup", fixed, *held).out
    assert text.startswith("frequency: 1.6 GHz (level 5 of 14), ")
    assert "controller" not in text
    document = json.loads(tailc("lookup", fixed, *held, "--output-format", "json").out)
    validate(document, OUTPUT)
    result = document["result"]
    assert (result["level"], result["frequency_khz"]) == (4, 1_600_000)
    assert [need["frequency_khz"] for need in result["needs"]] == [480_000, 1_600_000]


def test_a_scale_shortens_the_bound(policy, tailc):
    """240,000 cycles in 1.5 ms - 1.2 ms - 0.1 ms: 1.2 GHz instead of 141 MHz."""
    text = tailc("lookup", policy, "--held", "1.2ms", "--scale", "50%").out
    assert "frequency: 1.2 GHz" in text
    assert text.endswith("controller: bound times 50 %, 1.5 ms\n")


def test_measured_tails_step_the_feedback(policy, tailc):
    """Of a target of 2.94 ms ki is 0.13: 0.36 ms too much, 12 % of the bound, take off 1.56 %."""
    arguments = ("--held", "0ms", "--measured", "3.3ms", "--rate", "500/s")
    assert (
        "bound times 98.44 % after 3.3 ms at 500/s, 2.953 ms"
        in tailc("lookup", policy, *arguments).out
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "a core without requests sleeps: give `--held`"),
        (["--in-system", "1"], "this artifact has a tail table: --in-system does not apply"),
        (["--held", "0ms", "--age", "5ms"], "--age does not apply"),
        (["--held", "0ms", "--class", "a"], "--class does not apply"),
        (["--held", "0ms", "--rate", "5/s"], "add `--measured`"),
        (["--held", "0ms", "--scale", "300%"], "is not within the controller's limits"),
    ],
)
def test_what_does_not_fit_a_tail_table_is_a_usage_error(policy, tailc, arguments, words):
    ended = tailc("lookup", policy, *arguments)
    assert ended.code == 64
    assert words in ended.err


def test_a_ladder_has_no_requests_of_a_core(tailc):
    ended = tailc("lookup", ROOT / "schemas/vectors/v1/lucene.tailc", "--held", "0ms")
    assert ended.code == 64
    assert "this artifact has no tail table: --held does not apply" in ended.err
