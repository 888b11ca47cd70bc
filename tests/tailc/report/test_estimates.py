"""Estimates in words, in JSON and on the page of a policy."""

import json
from dataclasses import replace

import jsonschema

from tailc.artifact.envelope import Policy
from tailc.artifact.estimates import Sample, Standing
from tailc.report.estimates import estimates_result, estimates_text
from tailc.report.page.html_file import page_bytes
from tailc.report.page.pages import policy_page
from tailc.report.policy import policy_result, policy_text
from tests.tailc.artifact.published import ROOT, lucene_policy, policy_of

POLICY = policy_of("estimates")
FORGED = "d1\nfail\x1b[1A"


def changed(**changes: object) -> Policy:
    """With every row changed so."""
    estimates = POLICY.evidence.estimates
    assert estimates
    rows = tuple(replace(row, **changes) for row in estimates.rows)  # type: ignore[arg-type]
    told = replace(estimates, sample=Sample.IN_SAMPLE, repeats=1, rows=rows)
    return replace(POLICY, evidence=replace(POLICY.evidence, estimates=told))


def test_a_table_tells_the_estimates_and_what_they_come_from():
    assert estimates_text(POLICY).splitlines() == [
        "estimates, no verdict, on 2,000 requests that the search did not use: 4 replays of 5,000 "
        "requests at each rate",
        "rate  percentile    95 % interval      limit   result      best setting by hand          "
        "change",
        "30/s  p99 320 ms    300 ms to 345 ms   500 ms  pass        always 2 threads, 410 ms      "
        "-22.0 %, cost +3.0 %",
        "30/s  p99.9 870 ms  790 ms to unknown  900 ms  undecided   always 4 threads, overloaded",
        "40/s  p99                              500 ms  overloaded  none",
    ]


def test_requests_that_the_policy_was_made_from_are_named():
    assert estimates_text(changed()).startswith(
        "estimates, no verdict, on 2,000 requests that the policy was compiled from: 1 replay of"
    )


def test_a_policy_in_words_has_the_estimates_above_its_tables():
    head, first, *_ = policy_text(POLICY).split("\n\n")
    assert head.startswith("estimates (few-to-many), generation 1")
    assert first == estimates_text(POLICY)
    assert not estimates_text(lucene_policy())
    assert "estimates, no verdict" not in policy_text(lucene_policy())


def test_names_in_estimates_cannot_forge_lines():
    assert POLICY.evidence.estimates
    by_hand = POLICY.evidence.estimates.rows[0].by_hand
    assert by_hand
    forged = changed(arrivals=FORGED, by_hand=replace(by_hand, name=FORGED))
    assert len(estimates_text(forged).splitlines()) == 5
    assert "\x1b" not in estimates_text(forged)


def test_the_result_leaves_out_what_an_overloaded_server_does_not_have():
    told = policy_result(POLICY)["estimates"]
    assert {"estimates": told} == estimates_result(POLICY)
    assert isinstance(told, dict)
    assert [told["sample"], told["requests"], told["repeats"]] == ["kept-back", 2_000, 4]
    passes, undecided, overloaded = told["rows"]
    assert passes["by_hand"] == {
        "name": "always 2 threads",
        "overloaded": False,
        "estimate_us": 410_000,
        "change_ppm": -219_512,
        "cost_change_ppm": 30_000,
    }
    assert undecided["high_us"] is None
    assert undecided["by_hand"] == {"name": "always 4 threads", "overloaded": True}
    assert overloaded == {
        "slo": "p99 <= 500 ms",
        "arrivals": "40/s",
        "rate_mrps": 40_000,
        "limit_us": 500_000,
        "result": "overloaded",
    }
    assert "estimates" not in policy_result(lucene_policy())


def test_the_result_is_as_its_schema_says():
    schema = json.loads((ROOT / "schemas/report/output-1.schema.json").read_text())
    jsonschema.validate(estimates_result(POLICY)["estimates"], schema["$defs"]["estimates"])
    members = [part.get("properties", {}) for part in schema["$defs"].values()]
    # The result of `tailc test` has the path of a policy, not the policy.
    with_policy = [one for one in members if one.get("policy", {}).get("type") == "object"]
    assert len(with_policy) == 9
    assert all("estimates" in one for one in with_policy)


def test_no_change_is_told_of_a_policy_that_is_overloaded():
    (first, *_) = estimates_result(changed(standing=Standing.OVERLOADED))["estimates"]["rows"]  # type: ignore[index]
    assert first["by_hand"].keys() == {"name", "overloaded", "estimate_us"}
    assert "-22.0 %" not in estimates_text(changed(standing=Standing.OVERLOADED))


def test_a_page_begins_with_the_estimates_and_draws_those_of_two_rates():
    section = policy_page(POLICY).sections[0]
    assert (section.title, section.text) == ("Estimates", estimates_text(POLICY))
    # At one of the two rates the server is overloaded.
    assert not section.figures
    estimates = POLICY.evidence.estimates
    assert estimates
    first, *others = estimates.rows
    later = replace(first, arrivals="40/s", rate_mrps=40_000, high_us=None)
    told = replace(estimates, rows=(first, later, *others))
    policy = replace(POLICY, evidence=replace(POLICY.evidence, estimates=told))
    (figure,) = policy_page(policy).sections[0].figures
    assert figure.title == "p99 latency by rate, estimated"
    assert [row[0] for row in figure.numbers[0].rows] == ["30/s", "40/s", "40/s"]
    svg = str(figure.svg)
    assert "always 2 threads at 30/s: 410 ms" in svg
    assert svg.count('class="dot t0"') == svg.count('class="bar t0"') == 2
    assert b"estimates, no verdict" in page_bytes(policy_page(policy))
    assert policy_page(lucene_policy()).sections[0].title == "Policy map"
