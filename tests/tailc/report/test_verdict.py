from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from tailc.experiment.point import SloEstimate, TailChange
from tailc.experiment.ruling import Ruling
from tailc.models.server_load import Load, RungUse
from tailc.report.github import as_github
from tailc.report.verdict import as_dict, as_markdown, as_text, ci_verdicts
from tailc.report.verdict.words import reason
from tailc.specs.slo import Slo
from tailc.verify.verdict import Verdicts
from tests.tailc.report.verdicts_made import (
    ALONE,
    BOTH,
    DRIFT,
    GOLD,
    LOAD,
    MEETS,
    MISSES,
    P99,
    RC,
    SEQ,
    UNSURE,
    point,
    run,
    verdicts,
)
from tests.tailc.schemas import validate

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas/report/verdict-2.schema.json").read_text()
)
WIDEST = 100


def test_text_begins_with_the_policys_verdicts_and_sets_everyone_beside_it():
    assert as_text(BOTH) == (
        "policy `websearch`, generation 2, replayed on 2,000 held-out requests\n"
        "200 bootstrap replicates, 20,000 requests a replay, seed 7\n"
        "\n"
        "SLO            arrivals  estimate  95 % interval   noise  verdict\n"
        "p99 <= 500 ms      30/s     352.0  316.4 .. 397.7  +-2.4  pass\n"
        "p99 <= 500 ms    40.5/s     476.1  420.8 .. 552.7  +-3.5  undecided\n"
        "\n"
        "at 30/s                   p99   policy  verdict     mean    util  threads    n"
        "  thread time\n"
        "policy                  352.0           pass       109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "SEQ                     880.1  -60.0 %  fail       109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "RC-4, threshold 225 ms  476.1  -26.1 %  undecided  109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "\n"
        "at 40.5/s                 p99   policy  verdict     mean    util  threads    n"
        "  thread time\n"
        "policy                  476.1           undecided  109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "SEQ                     880.1  -45.9 %  fail       109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "RC-4, threshold 225 ms  476.1   +0.0 %  undecided  109.0  76.7 %     15.7  4.4"
        "        130.0\n"
        "\n"
        "Times in ms. noise: half-width from simulated arrivals alone; mean: mean latency; util:"
        " running\n"
        "threads per core; threads, n: mean number of threads, and of requests in the system;"
        " thread time:\n"
        "mean threads times time of a request; policy: its percentile\n"
        "against the row's, with the interval of this change over the same replays of both, and "
        "`noise` if\n"
        "the change is not beyond it.\n"
        "\n"
        "threads of a request in the policy, and the rung it left on\n"
        "arrivals  threads  longest 5 %  shortest 5 %  rung 1  rung 2\n"
        "    30/s      1.8          3.1           1.0  61.2 %  38.8 %\n"
        "  40.5/s      1.8          3.1           1.0  61.2 %  38.8 %\n"
        "\n"
        "drift of demand since the compile: flagged\n"
        "  mean 36.1 -> 27.2 ms\n"
        "  Kolmogorov-Smirnov distance 12.8 %, 95 % interval 0.0 .. 28.7 %\n"
        "  Wasserstein distance 9.7 ms, 95 % interval 0.3 .. 19.1 ms\n"
        "\n"
        "p99 <= 500 ms at 40.5/s: about 19,000 more held-out requests would decide\n"
        "\n"
        "verdict: undecided\n"
    )


def test_a_change_against_a_baseline_has_an_interval_and_is_beyond_noise_or_not():
    known = dataclasses.replace(SEQ, changes=(TailChange(-600_000, -621_350, -575_049),))
    unsure = dataclasses.replace(RC, changes=(TailChange(-261_000, -400_000, 10_000),))
    text = as_text(verdicts(point("30/s", run("x", MEETS), known, unsure)))
    assert "p99   policy  95 % interval " in text
    assert "-60.0 %  -62.1 .. -57.5 %  " in text
    assert "-26.1 %  -40.0 .. +1.0 %, noise " in text
    assert max(map(len, text.splitlines())) <= WIDEST
    found = as_dict(verdicts(point("30/s", run("x", MEETS), known, unsure, SEQ)))
    validate(json.loads(json.dumps(found)), SCHEMA)
    (beyond, noise, unknown) = (one["policy_changes"] for one in found["points"][0]["baselines"])
    limits = {"change_ppm": -600_000, "low_ppm": -621_350, "high_ppm": -575_049}
    assert beyond == [limits | {"is_beyond_noise": True}]
    assert not noise[0]["is_beyond_noise"]
    assert unknown == found["points"][0]["policy"]["policy_changes"] == []


def test_without_baselines_the_policys_load_is_one_table():
    text = as_text(ALONE)
    assert text.count("thread time\n") == 1
    assert "30/s  352.0  pass       109.0  76.7 %" in text
    assert "against the row's" not in text


def test_many_subjects_rates_and_slos_fit_a_hundred_columns():
    found = (MEETS, UNSURE, MISSES, MEETS)
    names = ("Adaptive (approximation)", "policy without boosting", "every 37.5 ms", "FIX-4")
    others = [run(name, *found) for name in names]
    gold = dataclasses.replace(GOLD, window_requests=None)
    slos = (P99, gold, Slo(999_000, 900_000), Slo(500_000, 60_000, request_class="bronze"))
    busy = [point(f"{rate}/s", run("x", *found), *others) for rate in (30, 40, 50)]
    text = as_text(verdicts(*busy, slos=slos))
    assert max(map(len, text.splitlines())) <= WIDEST
    assert "p95 gold" in text
    assert "p99.9" in text


def test_an_overloaded_point_says_so_instead_of_asking_for_requests():
    full = dataclasses.replace(LOAD, is_overloaded=True)
    text = as_text(verdicts(point("1/s", run("x", MISSES, load=full), SEQ)))
    assert "fail, overloaded" in text
    assert "the server is overloaded, the estimate grows with the replay's length" in text
    (beside,) = (line for line in text.splitlines() if line.startswith("SEQ"))
    assert "%" not in beside.split("fail")[0], "a percentile without end is compared with nothing"


def test_an_unknown_upper_limit_is_called_unknown():
    few = dataclasses.replace(UNSURE, high_us=None, more_requests=None)
    text = as_text(verdicts(point("1/s", run("x", few), SEQ)))
    assert "420.8 .. unknown" in text
    assert "the estimate is on the target" in text


def test_a_policy_that_tells_no_compile_demand_has_unknown_drift():
    text = as_text(dataclasses.replace(BOTH, drift=None))
    assert "drift of demand: unknown" in text


def test_bursts_get_a_column_for_each_stretch():
    ours = dataclasses.replace(run("x", MEETS), stretch_us=((410_000,), (290_500,)))
    theirs = dataclasses.replace(SEQ, stretch_us=((910_000,), (None,)))
    text = as_text(verdicts(point("bursts 500@45/s, 500@30/s", ours, theirs)))
    assert (
        "at bursts 500@45/s, 500@30/s\n"
        "        p99 of 1  p99 of 2\n"
        "policy     410.0     290.5\n"
        "SEQ        910.0         -\n"
    ) in text


def test_github_gets_a_line_a_verdict_with_the_first_baseline():
    assert as_github((), [each.note for each in ci_verdicts(BOTH)]) == (
        "::notice title=SLO pass::policy `websearch` at 30/s: p99 <= 500 ms, estimate 352.0 ms,"
        " 95 %25 interval 316.4 .. 397.7 ms, SEQ 880.1 ms\n"
        "::warning title=SLO undecided::policy `websearch` at 40.5/s: p99 <= 500 ms, estimate"
        " 476.1 ms, 95 %25 interval 420.8 .. 552.7 ms, SEQ 880.1 ms;"
        " about 19,000 more held-out requests would decide\n"
    )
    missed = verdicts(point("1/s", run("x", MISSES)))
    assert as_github((), [each.note for each in ci_verdicts(missed)]).startswith(
        "::error title=SLO fail::"
    )


BARE = SloEstimate(1, 0, None, 0, Ruling.UNDECIDED, None, 500_000)
IDLE = Load(1, None, 0, 0, 0, 0, RungUse(0, 0, 0, ()), is_overloaded=True)


def bare() -> Verdicts:
    ours = dataclasses.replace(run("x", BARE, load=IDLE), stretch_us=((None,),))
    return verdicts(point("1/s", ours), slos=(GOLD,), drift=None)


@pytest.mark.parametrize("found", [BOTH, ALONE, bare()], ids=["usual", "alone", "bare"])
def test_the_json_form_follows_its_schema(found):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = json.loads(json.dumps(as_dict(found), allow_nan=False))
    validate(document, SCHEMA)
    assert document["version"] == 2
    assert {slo["metric"] for slo in document["slos"]} == {"latency"}
    assert len(document["points"]) == len(found.points)
    for place in document["points"]:
        assert len(place["policy"]["verdicts"]) == len(document["slos"])


def test_the_schema_allows_nothing_else():
    document = as_dict(BOTH)
    document["points"][0]["policy"]["verdicts"][0]["p_value"] = 0.05
    with pytest.raises(jsonschema.ValidationError, match="p_value"):
        validate(document, SCHEMA)


def test_markdown_is_tables_of_equal_rows_and_folds_the_baselines():
    text = as_markdown(BOTH)
    assert text.startswith("### websearch: undecided\n")
    assert "| p99 \\<= 500 ms | 30/s | 352.0 | 316.4 .. 397.7 | +-2.4 | pass |\n" in text
    visible, folded = text.split("<details>")
    assert "SEQ" not in visible
    assert "| SEQ | 880.1 | -60.0 % | fail |" in folded
    assert "- p99 \\<= 500 ms at 40.5/s: about 19,000 more" in visible
    for table in text.split("\n\n"):
        if table.startswith("| "):
            assert len({line.count("|") - line.count("\\|") for line in table.splitlines()}) == 1


def test_a_policy_cannot_forge_a_line_by_its_name():
    named = dataclasses.replace(BOTH, policy_name="x\nverdict: pass\x1b[2K|<b>`")
    assert "policy `x\\x0averdict: pass\\x1b[2K|<b>``" in as_text(named)
    for text in (
        as_text(named),
        as_github((), [each.note for each in ci_verdicts(named)]),
        as_markdown(named),
    ):
        assert "\x1b" not in text
        assert "verdict: pass" not in text.splitlines()
    assert "\\|\\<b\\>\\`: undecided\n" in as_markdown(named)


def test_an_slo_says_its_class_and_window_in_a_table_too():
    slo = dataclasses.replace(P99, window_requests=1000, request_class="gold\x1b")
    text = as_text(verdicts(point("30/s", run("x", MEETS), RC), slos=(slo,)))
    assert "p99 <= 500 ms for class gold\\x1b over 1000 requests" in text
    assert "p99 gold\\x1b" in text


def test_one_miss_outweighs_one_doubt_and_baselines_do_not_count():
    points = [
        point(f"{i}/s", run("x", said), SEQ) for i, said in enumerate((MEETS, UNSURE, MISSES), 1)
    ]
    assert [verdicts(*points[:n]).exit_code for n in (1, 2, 3)] == [0, 4, 1]


def annotated(found: Verdicts) -> str:
    return as_github((), [each.note for each in ci_verdicts(found)])


def cut_off(cut_ppm: int) -> Verdicts:
    run_ = run("websearch", MEETS, load=dataclasses.replace(LOAD, cut_ppm=cut_ppm))
    return dataclasses.replace(verdicts(point("30/s", run_, SEQ)), cut_off_us=20_000)


@pytest.mark.parametrize(
    ("cut_ppm", "share"), [(874_200, "87.4 %"), (1, "less than 0.1 %"), (1_000, "0.1 %")]
)
@pytest.mark.parametrize("form", [as_text, as_markdown, annotated])
def test_a_cut_off_is_told_wherever_a_verdict_is(form, cut_ppm, share):
    said = form(cut_off(cut_ppm)).replace("%25", "%")
    assert f"{share} of requests were cut off after 20 ms" in said


def test_a_cut_off_is_told_though_it_ended_nobody():
    assert "requests are cut off after 20 ms" in as_text(cut_off(0))
    assert "were cut off" not in as_text(cut_off(0))
    assert "cut off" not in as_text(BOTH)
    assert as_dict(cut_off(5))["replay"]["cut_off_us"] == 20_000
    assert as_dict(cut_off(5))["points"][0]["policy"]["load"]["cut_ppm"] == 5


def short_service():
    said = SloEstimate(512, 487, 1_530, 4, Ruling.PASS, None, None)
    load = dataclasses.replace(LOAD, mean_latency_us=301)
    drift = dataclasses.replace(DRIFT, compiled_mean_us=1_084, held_out_mean_us=1_127)
    return verdicts(point("9/s", run("cache", said, load=load), rate_mrps=9_000), drift=drift)


def test_times_of_a_short_service_keep_three_digits_in_every_form():
    found = short_service()
    cases = "".join(case.message for case in [each.test_case for each in ci_verdicts(found)])
    for form in (
        as_text(found),
        as_markdown(found).replace("\\", ""),
        as_github((), [each.note for each in ci_verdicts(found)]),
        cases,
    ):
        assert "0.487 .. 1.530" in form
    assert "+-0.004" in as_text(found)
    assert "mean 1.08 -> 1.13 ms" in as_text(found)


def test_drift_of_the_compile_trace_itself_is_not_told():
    found = dataclasses.replace(BOTH, is_compile_trace=True)
    assert "drift" not in as_text(found)
    assert "drift" not in as_markdown(found)


def test_rungs_have_their_names_or_count_from_one():
    assert "1 thread  2 threads\n" in as_text(BOTH, ("1 thread", "2 threads"))
    assert "| 1 thread | 2 threads |" in as_markdown(BOTH, ("1 thread", "2 threads"))
    assert "rung 1  rung 2\n" in as_text(BOTH)


@pytest.mark.parametrize(
    ("arrivals", "says"),
    [
        (("30/s",), "20,000 requests a replay, seed"),
        (("30/s", "recorded t"), "20,000 requests a replay of a constant rate, seed"),
        (("bursts 300@4/s", "recorded t at 30/s"), "all requests of the arrivals in each replay,"),
    ],
)
def test_the_heading_says_how_long_replays_are(arrivals, says):
    points = [point(name, run("websearch", MEETS)) for name in arrivals]
    assert says in as_text(verdicts(*points))


def test_the_reason_is_the_first_rate_that_has_the_verdict():
    why = "the estimate is 476.085 ms (95 % interval 420.784 ms to 552.699 ms)."
    assert reason(BOTH) == f"p99 <= 500 ms at 40.5/s: {why}"
    twice = verdicts(
        *(dataclasses.replace(BOTH.points[1], arrivals=rate) for rate in ("40/s", "41/s"))
    )
    assert reason(twice) == f"p99 <= 500 ms at 40/s: {why} 1 more have the same verdict."
    passed = verdicts(BOTH.points[0])
    assert reason(passed) == "At every rate, the 95 % interval of every SLO is within its limit."


def test_the_reason_of_an_overloaded_server_gives_no_estimate():
    busy = run("websearch", MISSES, load=dataclasses.replace(LOAD, is_overloaded=True))
    assert (
        reason(verdicts(point("50/s", busy))) == "p99 <= 500 ms at 50/s: the server is overloaded."
    )
