"""tailc fleet: a summary of all services, and the exit code of the worst one."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.tailc.schemas import validate
from tests.tailc.toy import SPEC, TRACE

REPORTS = Path(__file__).parents[3] / "schemas/report"


@pytest.fixture
def services(in_folder):
    for name, rate in (("fine", 10), ("missed", 1000)):
        folder = in_folder / f"fleet/{name}"
        folder.mkdir(parents=True)
        (folder / "toy.csv").write_text(TRACE)
        (folder / "toy.yaml").write_text(SPEC.replace("rates: [10/s]", f"rates: [{rate}/s]"))
    return in_folder


def test_the_summary_counts_services_and_lists_failures(tailc, services):
    ended = tailc("fleet", "compile", "fleet", "-o", "out", "--jobs", "1")
    assert ended.code == 6
    first, *rest = ended.out.splitlines()
    assert first.startswith("2 services: 1 compiled, 1 failed; estimates: 1 ")
    assert [line.split()[:3] for line in rest if line.startswith(("fine", "missed"))] == [
        ["fine/toy", "few-to-many", "compiled"],
        ["missed/toy", "-", "failed"],
    ]
    assert "fleet/missed/toy.yaml" in ended.err
    assert sorted(str(path) for path in Path("out").rglob("*")) == [
        "out/fine",
        *(f"out/fine/toy.{suffix}" for suffix in ("inputs.json", "json", "tailc")),
    ]


def test_the_json_has_all_services(tailc, services):
    words = ("fleet", "compile", "fleet", "-o", "out", "--jobs", "1", "--output-format", "json")
    tailc(*words)
    ended = tailc(*words)
    document = json.loads(ended.out)
    validate(document, json.loads((REPORTS / "output-1.schema.json").read_text()))
    result = document["result"]
    validate(result, json.loads((REPORTS / "fleet-1.schema.json").read_text()))
    fine, missed = result["services"]
    assert (fine["status"], fine["exit_code"], fine["reasons"]) == ("unchanged", 0, [])
    assert (
        fine["policy"]["digest"]
        == json.loads(Path("out/fine/toy.json").read_text())["policy_digest"]
    )
    assert (missed["status"], missed["exit_code"], missed["policy"]) == ("failed", 6, None)


def test_processes_and_a_cluster_exclude_each_other(tailc, services):
    words = ("fleet", "compile", "fleet", "-o", "out", "--jobs", "1", "--cluster", "local:2")
    ended = tailc(*words)
    assert ended.code == 64
    assert "either `--jobs` or `--cluster`" in ended.err


def test_a_folder_that_is_absent_is_a_mistake(tailc, in_folder):
    assert tailc("fleet", "compile", "absent", "-o", "out").code == 64


def test_markdown_has_the_same_table(tailc, services):
    ended = tailc(
        "fleet", "compile", "fleet", "-o", "out", "--jobs", "1", "--output-format", "markdown"
    )
    assert "| fine/toy | few-to-many | compiled |" in ended.out


def test_the_page_has_the_gain_of_each_service_and_the_failures(tailc, services):
    words = ("fleet", "compile", "fleet", "-o", "out", "--jobs", "1", "--report", "fleet.html")
    ended = tailc(*words)
    assert (ended.code, ended.out.splitlines()[-1]) == (6, "wrote fleet.html")
    page = Path("fleet.html").read_text()
    assert "fine/toy: " in page
    assert "missed/toy  -            failed" in page
    assert ">fail<" in page


@pytest.fixture
def policies(tailc, services):
    """The policies of two services in two folders, `old` and `new`."""
    tailc("fleet", "compile", "fleet", "-o", "old", "--jobs", "1", "--allow-misses")
    shutil.copytree("old", "new")
    return services


def fleet_runs(ended):
    document = json.loads(ended.out)
    validate(document, json.loads((REPORTS / "output-1.schema.json").read_text()))
    validate(document["result"], json.loads((REPORTS / "fleet-runs-1.schema.json").read_text()))
    return {one["name"]: one for one in document["result"]["services"]}


def test_verify_judges_each_service_on_its_own_trace(tailc, policies):
    Path("held/fine").mkdir(parents=True)
    rows = "".join(f"{number},{50 + number % 2 * 90}\n" for number in range(400))
    Path("held/fine/toy.csv").write_text(f"request,demand_ms\n{rows}")
    words = ("fleet", "verify", "new", "--trace", "held/{service}.csv", "--jobs", "1")
    ended = tailc(*words, "--output-format", "json", "--", "--requests", "2000")
    assert ended.code == 66
    runs = fleet_runs(ended)
    assert {name: one["result"] for name, one in runs.items()} == {
        "fine/toy": "pass",
        "missed/toy": "failed",
    }
    verdicts = runs["fine/toy"]["output"]
    assert verdicts["format"] == "tailc-verdict"
    assert verdicts["replay"]["requests"] == 2000
    assert runs["missed/toy"]["findings"][0]["code"] == "TC0701"


@pytest.fixture
def heavier_trace(policies):
    """A held-out trace whose demand is twice that of the compile."""
    Path("held/fine").mkdir(parents=True)
    rows = "".join(f"{number},{150 + number % 3 * 120}\n" for number in range(400))
    Path("held/fine/toy.csv").write_text(f"request,demand_ms\n{rows}")
    for path in Path("new/missed").iterdir():
        path.unlink()
    return "held/{service}.csv"


def test_verify_lists_policies_whose_demand_has_drifted(tailc, heavier_trace):
    old = time.time() - 3 * 86_400
    os.utime("new/fine/toy.tailc", (old, old))
    words = (
        "fleet",
        "verify",
        "new",
        "--trace",
        heavier_trace,
        "--jobs",
        "1",
        "--report",
        "p.html",
    )
    ended = tailc(*words, "--", "--requests", "2000")
    heads, row = (line.split() for line in ended.out.splitlines() if line.startswith(("se", "fi")))
    assert heads == ["service", "result", "gain", "drift", "age", "finding"]
    assert row[0] == "fine/toy"
    assert "yes 3 d" in " ".join(row)
    page = Path("p.html").read_text()
    assert "fine/toy" in page
    assert "Estimated gains" in page
    drift = tailc(*words[:-2], "--output-format", "json", "--", "--drift")
    assert drift.code == 2
    assert fleet_runs(drift)["fine/toy"]["result"] == "drift"


def test_a_pattern_without_the_service_is_a_mistake(tailc, policies):
    ended = tailc("fleet", "verify", "new", "--trace", "held.csv", "--jobs", "1")
    assert ended.code == 64
    assert "{service}" in ended.err


@pytest.mark.parametrize("word", ["--help", "--output-format=text", "--report", "--trace"])
def test_an_option_that_is_for_one_service_is_a_mistake(tailc, policies, word):
    words = ("fleet", "verify", "new", "--trace", "{service}.csv", "--jobs", "1", "--", word, "x")
    ended = tailc(*words)
    assert ended.code == 64
    assert f"`{word}` after `--`" in ended.err


def test_a_cluster_without_its_library_names_the_extra(tailc, services, monkeypatch):
    monkeypatch.delitem(sys.modules, "tailc.tasks.cluster", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    ended = tailc("fleet", "compile", "fleet", "-o", "out", "--cluster", "local:2")
    assert ended.code == 69
    assert "error[TC0703]: a cluster needs `distributed`" in ended.err
    assert "pip install 'tailc[fleet]'" in ended.err


def test_a_folder_without_policies_is_an_error(tailc, services):
    ended = tailc("fleet", "verify", "fleet", "--trace", "{service}.csv", "--jobs", "1")
    assert ended.code == 66
    assert "has no policy" in ended.err


def test_diff_finds_services_that_differ_or_are_missing(tailc, policies):
    words = ("fleet", "diff", "old", "new", "--jobs", "1")
    same = tailc(*words)
    assert (same.code, same.out) == (0, "2 services: 2 same\n")
    spec = Path("fleet/fine/toy.yaml")
    spec.write_text(spec.read_text().replace("target_parallelism: 6", "target_parallelism: 4"))
    tailc("fleet", "compile", "fleet", "-o", "new", "--jobs", "1", "--allow-misses")
    ended = tailc(*words, "--output-format", "json")
    assert ended.code == 2
    assert [one["result"] for one in fleet_runs(ended).values()] == ["differs", "same"]
    Path("old/missed/toy.tailc").unlink()
    ended = tailc(*words)
    assert ended.code == 66
    assert "2 services: 1 differs, 1 failed" in ended.out


def test_a_family_is_judged_with_wider_intervals(tailc, policies):
    rows = "".join(f"{number},{50 + number % 2 * 90}\n" for number in range(400))
    for service in ("fine", "missed"):
        Path(f"held/{service}").mkdir(parents=True)
        Path(f"held/{service}/toy.csv").write_text(f"request,demand_ms\n{rows}")
    words = ("fleet", "verify", "new", "--trace", "held/{service}.csv", "--jobs", "1")
    ended = tailc(*words, "--family-wise", "--output-format", "json", "--", "--requests", "2000")
    found = [one["output"]["replay"] for one in fleet_runs(ended).values()]
    assert [one["comparisons"] for one in found] == [2, 2]
