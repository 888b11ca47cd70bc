"""`tailc-audit` passes what compiles wrote and refutes what was changed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tailc.studies.split import write_design
from tests.runtimes.audit import TARGET, audit, cargo, lies
from tests.tailc.artifact.published import ROOT

EXAMPLES = ROOT / "examples"
MANY = [("search", 6000), ("lucene-fm", 1000), ("joint", 200), ("finance", 2000), ("rubik", 800)]
# `examples/search/auto.yaml` by the default method with `--effort quick`.
JUDGED = Path(__file__).parent / "audit_judged.json"
HOLDS, REFUTED, CANNOT_CHECK = 0, 1, 2
WHOLE = ("search", "lucene-fm", "joint", "rubik")
# Their controller, or the tails of their rates, come from replays.
PARTLY = ("finance", "lucene-as2f", "elfen")


@pytest.fixture(scope="module", autouse=True)
def program() -> None:
    cargo("build", "--bins", "--examples")


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    for name in (*WHOLE, *PARTLY):
        write_design(str(EXAMPLES / name / "service.yaml"), str(folder / f"{name}.csv"))
    return folder


def search_policy() -> dict[str, Any]:
    return json.loads((EXAMPLES / "search" / "expected.json").read_bytes())


def written(path: Path, policy: dict[str, Any]) -> str:
    """Path of the policy with its digest computed again."""
    del policy["policy_digest"]
    policy["policy_digest"] = hashlib.sha256(rfc8785.dumps(policy)).hexdigest()
    path.write_bytes(rfc8785.dumps(policy))
    return str(path)


def test_its_own_tests_pass() -> None:
    assert "test result: ok" in "\n".join(cargo("test", "--lib"))


@pytest.mark.parametrize("name", WHOLE)
def test_the_policy_of_an_example_holds(name: str, profiles: Path) -> None:
    policy = EXAMPLES / name / "expected.json"
    code, text = audit(policy, "--design", profiles / f"{name}.csv")
    assert (code, text.splitlines()[-1]) == (HOLDS, "every claim holds"), text


def test_the_shares_of_machines_hold() -> None:
    folder = EXAMPLES / "autopro"
    code, text = audit(folder / "expected.json", "--design", folder / "design.csv")
    assert (code, "stability, 2 times" in text) == (HOLDS, True), text


@pytest.mark.parametrize(
    ("name", "claim"),
    [("finance", "objective_us"), ("lucene-as2f", "bound_us"), ("elfen", "budget_us")],
)
def test_what_comes_from_replays_is_not_checked(name: str, claim: str, profiles: Path) -> None:
    policy = EXAMPLES / name / "expected.json"
    code, text = audit(policy, "--design", profiles / f"{name}.csv")
    assert code == CANNOT_CHECK
    assert f"holds    {claim}" in text
    assert text.count("cannot check") == 1
    assert "from replays" in text


def test_estimates_of_replays_hold(profiles: Path) -> None:
    code, text = audit(JUDGED, "--design", profiles / "search.csv")
    assert code == CANNOT_CHECK
    assert text.count("cannot check") == 1
    assert "cannot check `loss_ppm`" in text
    assert "holds    interval of the percentile, 2 times" in text
    assert "holds    tail_us by hand, 2 times" in text


def _raise_all_limits(row: dict[str, Any]) -> None:
    for name in ("low_us", "tail_us", "high_us"):
        row[name] *= 2


def _halve_all_limits(row: dict[str, Any]) -> None:
    for name in ("low_us", "tail_us", "high_us"):
        row[name] //= 2
    row["by_hand"]["change_ppm"] = round((row["tail_us"] / row["by_hand"]["tail_us"] - 1) * 1e6)


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (_raise_all_limits, "interval of the percentile of the estimate at 10/s"),
        (_halve_all_limits, "interval of the percentile of the estimate at 10/s"),
        (lambda row: row.update(high_us=row["tail_us"]), "high_us of the estimate at 10/s"),
        (lambda row: row.update(low_us=row["tail_us"]), "low_us of the estimate at 10/s"),
        (lambda row: row.update(standing="undecided"), "standing of the estimate at 10/s"),
        (lambda row: row.update(standing="overloaded"), "overload of the estimate at 10/s"),
        (lambda row: row.update(arrivals="11/s"), "arrivals of the estimate at 11/s"),
        (lambda row: row.update(rate_mrps=20_000), "rates of the estimates"),
        (lambda row: row["by_hand"].update(change_ppm=0), "change_ppm of FIX-2"),
        (lambda row: row["by_hand"].update(name="SEQ"), "tail_us by hand of SEQ"),
    ],
    ids=[
        "longer",
        "shorter",
        "high",
        "low",
        "undecided",
        "overloaded",
        "arrivals",
        "rate",
        "change",
        "setting",
    ],
)
def test_a_false_estimate_is_refuted(
    change: Callable[[dict[str, Any]], object], answer: str, tmp_path: Path, profiles: Path
) -> None:
    policy = json.loads(JUDGED.read_bytes())
    rows = policy["evidence"]["estimates"]["rows"]
    change(rows[0])
    # One estimate is enough: each is a replay.
    policy["rates_mrps"] = policy["rates_mrps"][:1]
    del rows[1:]
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert (code, f"refuted  {answer}" in text) == (REFUTED, True), text


def test_joint_ladders_are_not_replayed_on_the_server_of_few_to_many(
    tmp_path: Path, profiles: Path
) -> None:
    policy = search_policy()
    policy["kind"] = "joint-ladder"
    policy["evidence"]["estimates"] = json.loads(JUDGED.read_bytes())["evidence"]["estimates"]
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert (code, text.count("cannot check")) == (CANNOT_CHECK, 1), text
    assert "the server of `joint-ladder` is not simulated" in text


def test_an_unknown_setting_is_named(tmp_path: Path, profiles: Path) -> None:
    policy = search_policy()
    policy["evidence"]["settings"].append(["worst_ppm", 1])
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert code == CANNOT_CHECK
    assert "cannot check the setting `worst_ppm` of the evidence" in text


@pytest.mark.parametrize("percentile_ppm", [-(2**53) + 1, 0, 1_000_000])
def test_an_impossible_percentile_is_named(
    percentile_ppm: int, tmp_path: Path, profiles: Path
) -> None:
    policy = json.loads(JUDGED.read_bytes())
    policy["slos"][0]["percentile_ppm"] = percentile_ppm
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert code != HOLDS
    assert f"`percentile_ppm` of an SLO is {percentile_ppm}, not from 1 to 999,999" in text


@pytest.mark.fuzz
def test_planted_lies_about_replays_are_refuted(profiles: Path) -> None:
    text = lies(JUDGED, profiles / "search.csv", 300, seed=3)
    assert "300 of 300 lies refuted" in text


@pytest.mark.fuzz
def test_a_policy_with_speed_ups_by_request_holds(tmp_path: Path) -> None:
    profile = tmp_path / "bing-fm.csv"
    write_design(str(EXAMPLES / "bing-fm" / "service.yaml"), str(profile))
    code, text = audit(EXAMPLES / "bing-fm" / "expected.json", "--design", profile)
    assert code == HOLDS, text


@pytest.mark.parametrize(("name", "count"), [("search", 200), ("finance", 50), ("rubik", 8)])
def test_planted_lies_are_refuted(name: str, count: int, profiles: Path) -> None:
    policy = EXAMPLES / name / "expected.json"
    text = lies(policy, profiles / f"{name}.csv", count, seed=1)
    assert f"{count} of {count} lies refuted" in text


@pytest.mark.parametrize("name", ["autopro", "green-sla"])
def test_planted_lies_are_refuted_without_requests(name: str) -> None:
    # Plans need no design trace.
    design = EXAMPLES / "autopro" / "design.csv"
    text = lies(EXAMPLES / name / "expected.json", design, 50, seed=1)
    assert "50 of 50 lies refuted" in text


@pytest.mark.fuzz
@pytest.mark.parametrize(("name", "count"), MANY)
def test_many_planted_lies_are_refuted(name: str, count: int, profiles: Path) -> None:
    policy = EXAMPLES / name / "expected.json"
    text = lies(policy, profiles / f"{name}.csv", count, seed=2)
    assert f"{count} of {count} lies refuted" in text


def test_a_refutation_has_the_claim_the_row_and_the_difference(
    tmp_path: Path, profiles: Path
) -> None:
    policy = search_policy()
    policy["evidence"]["rows"][1]["tail_us"] = 72_460
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert code == REFUTED
    assert "refuted  tail_us of load 2: 72460 is claimed, 72467.455830" in text
    assert "off by -7.455830" in text


def _repeat_the_tolerance(policy: dict[str, Any]) -> None:
    policy["evidence"]["settings"].insert(0, ["tolerance_ppm", 1_000_000_000])


def _set(name: str, value: int) -> Callable[[dict[str, Any]], None]:
    def change(policy: dict[str, Any]) -> None:
        setting = next(pair for pair in policy["evidence"]["settings"] if pair[0] == name)
        setting[1] = value

    return change


def _rename_the_threads(policy: dict[str, Any]) -> None:
    policy["forms"][0]["cost_units"][0]["name"] = "memory"


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda policy: policy.update(restarts=3), "`restarts` of the policy"),
        (
            lambda policy: policy["evidence"].update(estimates={}),
            "`requests` is not a whole number",
        ),
        (lambda policy: policy["evidence"].update(audits=[]), "`audits` of the evidence"),
        (lambda policy: policy["forms"][0].update(overload={}), "`overload` of the ladder"),
        (lambda policy: policy["forms"][0]["rows"][2].update(lane=1), "`lane` of the row from"),
        (lambda policy: policy["schema"].update(minor=99), "minor version 99 of the schema"),
        (lambda policy: policy["forms"].append({"form": "brake"}), "the form `brake`"),
        (_repeat_the_tolerance, "states `tolerance_ppm` more than once"),
        (_set("step_us", -1), "a grid has a step above 0"),
        (_set("max_in_system", 2**53 - 1), "tables of more than 16384 loads"),
        (_rename_the_threads, "the costs of rungs"),
        (lambda policy: policy["inputs"].append(policy["inputs"][0]), "several design inputs"),
    ],
    ids=[
        "member",
        "estimates",
        "evidence",
        "ladder",
        "row",
        "minor",
        "form",
        "repeated",
        "step",
        "loads",
        "unit",
        "designs",
    ],
)
def test_what_the_program_does_not_know_is_not_said_to_hold(
    change: Callable[[dict[str, Any]], object], answer: str, tmp_path: Path, profiles: Path
) -> None:
    policy = search_policy()
    change(policy)
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert (code, answer in text) == (CANNOT_CHECK, True), text


def test_rows_are_of_requests_in_the_system(tmp_path: Path, profiles: Path) -> None:
    policy = search_policy()
    policy["forms"][0]["load_axis"] = "rate_mrps"
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert (code, "refuted  load_axis of the table" in text) == (REFUTED, True), text


@pytest.mark.parametrize(
    "name", ["finance", "elfen", pytest.param("joint", marks=pytest.mark.fuzz)]
)
def test_the_target_of_a_search_is_within_the_slo(
    name: str, tmp_path: Path, profiles: Path
) -> None:
    policy = json.loads((EXAMPLES / name / "expected.json").read_bytes())
    target_us = dict(policy["evidence"]["settings"])["target_us"]
    policy["slos"][0]["latency_us"] = target_us - 1
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / f"{name}.csv")
    assert (code, "refuted  target_us of the SLO" in text) == (REFUTED, True), text


@pytest.mark.parametrize("lie", [{"percentile_ppm": 1}, {"target_us": 2_101}])
def test_the_controller_of_rubik_has_the_slo(
    lie: dict[str, int], tmp_path: Path, profiles: Path
) -> None:
    policy = json.loads((EXAMPLES / "rubik" / "expected.json").read_bytes())
    policy["forms"][1].update(lie)
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "rubik.csv")
    assert (code, f"refuted  {next(iter(lie))} of the controller" in text) == (REFUTED, True), text


def test_evidence_of_machines_without_a_target_is_refuted(tmp_path: Path) -> None:
    folder = EXAMPLES / "autopro"
    policy = json.loads((folder / "expected.json").read_bytes())
    del policy["forms"][0]["machines"][1]["target_milli"]
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", folder / "design.csv")
    assert (code, "`machine_2_needs_ppm` is claimed, but 1 machines" in text) == (REFUTED, True)


def test_a_tail_table_has_entries(tmp_path: Path, profiles: Path) -> None:
    policy = json.loads((EXAMPLES / "rubik" / "expected.json").read_bytes())
    for row in policy["forms"][0]["memory_ns"]:
        row["left"] = []
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "rubik.csv")
    assert (code, "refuted  positions of the rows of memory_ns" in text) == (REFUTED, True), text


@pytest.mark.parametrize("setting", ["buckets", "positions_convolved"])
def test_a_table_that_takes_hours_is_not_checked(
    setting: str, tmp_path: Path, profiles: Path
) -> None:
    policy = json.loads((EXAMPLES / "rubik" / "expected.json").read_bytes())
    _set(setting, 2**53 - 1)(policy)
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "rubik.csv")
    assert (code, "tables of more than 1024 buckets or 256 pos" in text) == (CANNOT_CHECK, True)


def test_a_load_without_evidence_has_no_feasible_schedule(tmp_path: Path, profiles: Path) -> None:
    policy = search_policy()
    policy["evidence"]["rows"].pop()
    of_last_load, of_load_before = policy["forms"][0]["rows"][5], policy["forms"][0]["rows"][4]
    assert of_last_load["first_load"] == of_last_load["last_load"] == 6
    of_last_load["admission"] = {"delay_us": 0, "kind": "on-exit"}
    of_last_load["climbs"] = [{"age_us": 0, "rung": 0}, *of_load_before["climbs"][1:]]
    path = written(tmp_path / "policy.json", policy)
    code, text = audit(path, "--design", profiles / "search.csv")
    assert code == REFUTED
    assert "refuted  no feasible schedule of load 6: one on the grid has" in text


def test_another_profile_is_refuted_by_its_digest(profiles: Path) -> None:
    policy = EXAMPLES / "search" / "expected.json"
    code, text = audit(policy, "--design", profiles / "lucene-fm.csv")
    assert code == REFUTED
    assert "refuted  digest of the design input" in text


def test_another_spelling_and_a_wrong_digest_are_refuted(tmp_path: Path) -> None:
    text = (EXAMPLES / "search" / "expected.json").read_text()
    path = tmp_path / "policy.json"
    path.write_text(text + "\n")
    assert "refuted  canonical form" in audit(path)[1]
    path.write_text(text.replace('"generation":1', '"generation":2'))
    code, output = audit(path)
    assert code == REFUTED
    assert "refuted  policy_digest" in output


def test_the_digest_of_the_spec_is_compared(profiles: Path) -> None:
    policy = EXAMPLES / "search" / "expected.json"
    versions = dict(json.loads(policy.read_bytes())["evidence"]["versions"])
    profile = ("--design", profiles / "search.csv")
    assert audit(policy, *profile, "--spec-digest", versions["compiled-spec"])[0] == HOLDS
    assert audit(policy, *profile, "--spec-digest", "0" * 64)[0] == REFUTED


@pytest.mark.parametrize(
    ("name", "claim"), [("green-sla", "profit_udollars"), ("greenpar", "gap_ppm")]
)
def test_of_plans_the_value_is_not_checked(name: str, claim: str) -> None:
    code, text = audit(EXAMPLES / name / "expected.json")
    assert code == CANNOT_CHECK
    assert f"holds    {claim}" in text
    assert "cannot check the prices, the value and its bound" in text


def test_a_kind_that_is_not_checked_is_named(tmp_path: Path) -> None:
    policy = search_policy()
    policy["kind"] = "round-robin"
    code, text = audit(written(tmp_path / "policy.json", policy))
    assert code == CANNOT_CHECK
    assert "policies of the kind `round-robin` are not checked" in text


def test_of_token_budgets_the_replays_are_not_repeated() -> None:
    code, text = audit(EXAMPLES / "llm-batching" / "expected.json")
    assert code == CANNOT_CHECK
    assert "holds    standing, 4 times" in text
    assert "holds    change_ppm, 4 times" in text
    assert "cannot check the replays behind the estimates" in text


def _first_estimate(policy: dict[str, Any]) -> dict[str, Any]:
    return policy["evidence"]["estimates"]["rows"][1]


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda p: _first_estimate(p).update(standing="fail"), "standing of the estimate at 2/s"),
        (lambda p: _first_estimate(p).update(low_us=200_000), "tail_us of the estimate at 2/s"),
        (lambda p: _first_estimate(p)["by_hand"].update(change_ppm=0), "change_ppm of static"),
        (lambda p: _first_estimate(p).update(slo=0), "rates of the estimates"),
        (lambda p: p["forms"][0]["rows"][1].update(first_decoding=0), "rows of the table"),
        (lambda p: p["forms"][0]["rows"][0]["budgets"].append(1), "budgets of the row from 0"),
        (lambda p: p["forms"][0]["engine"].update(kv_blocks=0), "sizes of the engine"),
        (_set("largest_budget", 1), "largest_budget of the evidence"),
    ],
    ids=["standing", "low", "change", "slo", "rows", "budgets", "engine", "largest"],
)
def test_a_false_number_of_token_budgets_is_refuted(
    change: Callable[[dict[str, Any]], object], answer: str, tmp_path: Path
) -> None:
    policy = json.loads((EXAMPLES / "llm-batching" / "expected.json").read_bytes())
    change(policy)
    code, text = audit(written(tmp_path / "policy.json", policy))
    assert (code, f"refuted  {answer}" in text) == (REFUTED, True), text


def test_the_sealed_file_has_the_digest_of_the_json(tmp_path: Path) -> None:
    folder = EXAMPLES / "greenpar"
    sealed = (folder / "expected.tailc").read_bytes()
    text = audit(folder / "expected.json", "--sealed", folder / "expected.tailc")[1]
    assert "holds    seal" in text
    path = tmp_path / "policy.tailc"
    path.write_bytes(bytes([sealed[0] ^ 1]) + sealed[1:])
    assert audit(folder / "expected.json", "--sealed", path)[0] == REFUTED
    other = EXAMPLES / "green-sla" / "expected.tailc"
    code, text = audit(folder / "expected.json", "--sealed", other)
    assert code == REFUTED
    assert "refuted  policy_digest of the sealed file" in text


def test_what_is_no_policy_cannot_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text("{}")
    assert audit(path)[0] == CANNOT_CHECK
    assert audit(EXAMPLES / "search" / "expected.tailc")[0] == CANNOT_CHECK
    assert audit(tmp_path / "nothing.json")[0] == CANNOT_CHECK
    assert audit()[0] == CANNOT_CHECK
    code, text = audit(os.fsdecode(b"\xff.json"))
    assert (code, "not UTF-8" in text) == (CANNOT_CHECK, True), text


def test_a_verdict_that_cannot_be_written_is_none(profiles: Path) -> None:
    policy = EXAMPLES / "search" / "expected.json"
    command = [TARGET / "debug" / "tailc-audit", policy, "--design", profiles / "search.csv"]
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode == CANNOT_CHECK
    assert b"the result cannot be written" in ended.stderr
