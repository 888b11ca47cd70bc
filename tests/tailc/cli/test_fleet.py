"""tailc fleet compile: a summary of all services, and the exit code of the worst one."""

from __future__ import annotations

import json
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
