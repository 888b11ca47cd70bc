import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from tailc.report.verdict import as_dict, as_github, as_text
from tailc.specs.slo import Slo
from tailc.verify.verdict import Load, Point, Ruling, Verdict, Verdicts

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/verdict-1.schema.json").read_text()
)
LOAD = Load(109_000, 767_400, 15_720, 4_390, is_overloaded=False)
MEETS = Verdict(352_044, 316_400, 397_700, 2_400, Ruling.PASS, None, None, LOAD)
UNSURE = Verdict(476_085, 420_784, 552_699, 3_515, Ruling.UNDECIDED, 19_000, None, LOAD)
MISSES = Verdict(871_494, 790_068, 952_918, 944, Ruling.FAIL, None, None, LOAD)
P99 = Slo(990_000, 500_000)


def verdicts(*points: Point) -> Verdicts:
    return Verdicts("websearch", 2, "SEQ", "ab" * 32, 2000, False, 7, 20_000, 200, points)


BOTH = verdicts(Point(P99, 30_000, MEETS, MISSES), Point(P99, 40_500, UNSURE, MISSES))


def test_text_is_a_table_with_a_last_word():
    assert as_text(BOTH) == (
        "policy `websearch`, generation 2, replayed on 2,000 held-out requests\n"
        "200 bootstrap replicates, 20,000 requests a replay, seed 7\n"
        "\n"
        "SLO              rate          estimate  95 % interval   noise  verdict     mean    util"
        "  threads    n\n"
        "p99 <= 500 ms    30/s  policy     352.0  316.4 .. 397.7  +-2.4  pass       109.0  76.7 %"
        "     15.7  4.4\n"
        "                       SEQ        871.5  790.1 .. 952.9  +-0.9  fail       109.0  76.7 %"
        "     15.7  4.4\n"
        "p99 <= 500 ms  40.5/s  policy     476.1  420.8 .. 552.7  +-3.5  undecided  109.0  76.7 %"
        "     15.7  4.4\n"
        "                       SEQ        871.5  790.1 .. 952.9  +-0.9  fail       109.0  76.7 %"
        "     15.7  4.4\n"
        "\n"
        "Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util:\n"
        "threads that ran over cores; threads and n: mean threads, and mean requests in the"
        " system.\n"
        "\n"
        "p99 <= 500 ms at 40.5/s: about 19,000 more held-out requests would decide\n"
        "\n"
        "verdict: undecided\n"
    )


def test_an_overloaded_point_says_so_instead_of_asking_for_requests():
    full = dataclasses.replace(LOAD, is_overloaded=True)
    text = as_text(verdicts(Point(P99, 1, dataclasses.replace(MISSES, load=full), MISSES)))
    assert "fail, overloaded" in text
    assert "the server is overloaded, the estimate grows with the replay's length" in text


def test_an_unknown_upper_limit_is_called_unknown():
    few = dataclasses.replace(UNSURE, high_us=None, more_requests=None)
    text = as_text(verdicts(Point(P99, 1, few, MISSES)))
    assert "420.8 .. unknown" in text
    assert "the estimate is on the target" in text


def test_github_gets_a_line_a_point():
    assert as_github(BOTH) == (
        "::notice title=SLO pass::policy `websearch` at 30/s: p99 <= 500 ms, estimate 352.0 ms,"
        " 95 %25 interval 316.4 .. 397.7 ms, SEQ 871.5 ms\n"
        "::warning title=SLO undecided::policy `websearch` at 40.5/s: p99 <= 500 ms, estimate"
        " 476.1 ms, 95 %25 interval 420.8 .. 552.7 ms, SEQ 871.5 ms;"
        " about 19,000 more held-out requests would decide\n"
    )
    assert as_github(verdicts(Point(P99, 1, MISSES, MISSES))).startswith("::error title=SLO fail::")


WINDOW = Slo(999_000, 1, window_requests=1000, request_class="gold")
NO_LIMITS = Verdict(
    *(1, 0, None, 0, Ruling.UNDECIDED, None, 500_000),
    Load(1, None, 0, 0, is_overloaded=True),
)


@pytest.mark.parametrize(
    "found", [BOTH, verdicts(Point(WINDOW, 1, NO_LIMITS, NO_LIMITS))], ids=["usual", "bare"]
)
def test_the_json_form_follows_its_schema(found):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(json.dumps(as_dict(found), allow_nan=False))
    jsonschema.validate(document, SCHEMA)
    assert document["version"] == 1
    assert len(document["points"]) == len(found.points)


def test_the_schema_allows_nothing_else():
    document = as_dict(BOTH)
    document["points"][0]["policy"]["p_value"] = 0.05
    with pytest.raises(jsonschema.ValidationError, match="p_value"):
        jsonschema.validate(document, SCHEMA)


def test_a_policy_cannot_forge_a_line_by_its_name():
    named = dataclasses.replace(BOTH, policy_name="x\nverdict: pass\x1b[2K")
    assert "policy `x\\x0averdict: pass\\x1b[2K`" in as_text(named)
    for text in (as_text(named), as_github(named)):
        assert "\x1b" not in text
        assert "verdict: pass" not in text.splitlines()


def test_an_slo_says_its_class_and_window_in_a_table_too():
    slo = dataclasses.replace(P99, window_requests=1000, request_class="gold\x1b")
    text = as_text(verdicts(Point(slo, 30_000, MEETS, MISSES)))
    assert "p99 <= 500 ms for class gold\\x1b over 1000 requests  30/s  policy" in text


def test_one_miss_outweighs_one_doubt():
    points = [Point(P99, i, v, MISSES) for i, v in enumerate((MEETS, UNSURE, MISSES), 1)]
    assert [verdicts(*points[:n]).exit_code for n in (1, 2, 3)] == [0, 4, 1]
