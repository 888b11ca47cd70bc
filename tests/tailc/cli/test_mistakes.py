"""What people read of mistakes in specs of every kind, in traces, and in what they ingest.

Regenerate with `pytest --snapshot-update`. Those of few-to-many specs alone are in
tests/tailc/specs/test_messages.py.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tailc.policies import KINDS
from tests.tailc.cli.ingest_case import SAMPLES
from tests.tailc.held_out_days import write_days
from tests.tailc.policies.cases import Change, mistakes_of, write_case
from tests.tailc.texts import swapped

# Of a document of days to judge a plan on.
DAYS: tuple[Change, ...] = (
    ("share: 50%", "share: 150%"),
    ("at_start: 24h", "at_start: 24"),
    ("price: 10c/kWh", "price: cheap"),
    ('start: "2012-07-02T00:00Z"', 'start: "2012-07-02"'),
    ("unit: kW}", "unit: kVA}"),
    ("submit: submit, ", ""),
)

# Of the trace of the few-to-many instance: its lines.
HEAD = "demand_ms\n"
TRACES = {
    "nothing": "",
    "a header alone": HEAD,
    "another column": "demand\n5\n",
    "the column twice": "demand_ms,demand_ms\n5,5\n",
    "a word": f"{HEAD}5\nfast\n",
    "an empty cell": "id,demand_ms\n1,5\n2,\n",
    "not a number": f"{HEAD}5\nNaN\n",
    "infinite": f"{HEAD}5\ninf\n",
    "zero": f"{HEAD}0\n5\n",
    "negative": f"{HEAD}5\n-5\n-6\n",
    "too large": f"{HEAD}5\n1e300\n",
    "too small": f"{HEAD}5\n1e-12\n",
    "a cell too many": f"{HEAD}5\n5,6\n",
    "a cell too few": "id,demand_ms\n1,5\n2\n",
    "a decimal comma": f'{HEAD}5\n"5,5"\n',
    "with a unit": f"{HEAD}5ms\n6\n",
    "microseconds": HEAD + "0.001\n" * 50,
}

# What is ingested, and how; an input is a sample, or its own text.
INGESTED = {
    "a closed loop": ("hey.csv", ()),
    "a summary": ("hey.txt", ()),
    "wrk without percentiles": ("wrk.txt", ()),
    "an unstated loop": ("k6.csv", ()),
    "a response for a demand": ("vegeta.csv", ("--measure", "demand-busy")),
    "another unit": ("vegeta.csv", ("--unit", "s")),
    "a log without unit": ("jHiccup-2.0.7S.logV2.hlog", ("--measure", "response-open")),
    "an interval of an open loop": ("vegeta.csv", ("--expected-interval", "5ms")),
    "no format": ("README.md", ()),
    "a column that is not there": ("k6.csv", ("--column", "time", "--unit", "ms")),
    "a column without unit": ("k6.csv", ("--column", "metric_value")),
    "a file that is not there": ("gone.csv", ()),
    "spans of two services": ("spans.jaeger.json", ("--measure", "response-open")),
    "an own time for a demand": (
        "spans.jaeger.json",
        ("--service", "web", "--measure", "demand-cpu"),
    ),
    "an attribute without unit": ("spans.pb", ("--service", "web", "--attribute", "cpu")),
    "an attribute that is not there": (
        "spans.pb",
        ("--service", "web", "--attribute", "cpu", "--unit", "ms"),
    ),
    "an attribute of no span": ("hey.csv", ("--attribute", "cpu")),
    "a histogram for a demand": ("prometheus.txt", ("--measure", "demand-busy")),
    "a metric that is not there": ("prometheus.txt", ("--metric", "http_seconds")),
    "a label that is not there": ("prometheus.txt", ("--label", "page=/b")),
    "a sum without unit": ("prometheus.sum.json", ("--measure", "response-open")),
    "scrapes in the wrong order": (
        "prometheus.earlier.txt",
        ("--since", SAMPLES / "prometheus.txt"),
    ),
    "a metric of no scrape": ("hey.csv", ("--metric", "http_seconds")),
}


def mistakes_of_specs() -> list[tuple[str, Change]]:
    """Every (kind, change)."""
    return [(kind, change) for kind in KINDS for change in mistakes_of(kind)]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """The quick instance of every kind, by its name."""
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in KINDS}
    return {kind: write_case(kind, folder) for kind, folder in folders.items()}


@pytest.fixture
def told(tailc):
    """The findings of a command line as text, which has a place and a help for each of them."""

    def of(folder: Path, *words: object) -> str:
        ended = tailc(*words, "--output-format", "json")
        findings = json.loads(ended.out)["findings"]
        assert findings, "nothing is wrong"
        for one in findings:
            assert one["source"], one["message"]
            assert one["help"], one["message"]
            assert one["message"][0] in "`'" or not one["message"][0].isupper()
        text = tailc(*words).err.replace(f"{folder}/", "")
        for word in ("input should", "validation", "traceback", "nonetype", "keyerror", "_ppm"):
            assert word not in text.lower()
        return text

    return of


def test_every_kind_has_mistakes_and_there_are_a_hundred():
    assert all(mistakes_of(kind) for kind in KINDS)
    assert len(mistakes_of_specs()) + len(DAYS) + len(TRACES) + len(INGESTED) >= 100


@pytest.mark.parametrize("mistake", mistakes_of_specs(), ids=lambda it: f"{it[0]}: {it[1][1]}")
def test_a_mistake_in_a_spec(cases, told, snapshot: SnapshotAssertion, mistake):
    kind, change = mistake
    case = cases[kind]
    path = case.spec.parent / "broken.yaml"
    path.write_text(swapped(case.spec.read_text(), change))
    assert told(case.spec.parent, "check", "--with-trace", path) == snapshot


@pytest.mark.parametrize("change", DAYS, ids=lambda it: it[1] or it[0])
def test_a_mistake_in_a_document_of_days(tmp_path, told, snapshot: SnapshotAssertion, change):
    assert told(tmp_path, "check", "--with-trace", write_days(tmp_path, change)) == snapshot


@pytest.mark.parametrize("name", TRACES)
def test_a_mistake_in_a_trace(cases, told, snapshot: SnapshotAssertion, name):
    case = cases["few-to-many"]
    path = case.spec.parent / "broken.yaml"
    (case.spec.parent / "broken.csv").write_text(TRACES[name])
    path.write_text(swapped(case.spec.read_text(), ("design.csv", "broken.csv")))
    assert told(case.spec.parent, "check", "--with-trace", path) == snapshot


@pytest.mark.parametrize("name", INGESTED)
def test_a_mistake_in_what_is_ingested(tmp_path, told, snapshot: SnapshotAssertion, name):
    file, options = INGESTED[name]
    path = tmp_path / file
    if (SAMPLES / file).exists():
        shutil.copy(SAMPLES / file, path)
    text = told(tmp_path, "ingest", path, *options, "-o", tmp_path / "x.profile")
    assert re.sub(r"\d+ bytes", "N bytes", text) == snapshot


@pytest.mark.parametrize("name", ["/dev/zero", "n" * 300, "n/" * 3000, "nul\0"])
@pytest.mark.parametrize("command", ["check", "inspect", "lint-trace", "fmt", "split"])
def test_a_path_that_is_no_file_cannot_be_read(tailc, in_folder, command, name):
    ended = tailc(command, name)
    assert ended.code == 66
    assert "TC0701" in ended.err


def test_a_file_that_vanishes_while_it_is_read_is_no_bug(tailc, in_folder, monkeypatch):
    def gone(*_):
        raise FileNotFoundError(2, "No such file or directory", "policy.tailc")

    monkeypatch.setattr("tailc.artifact.files.content_of", gone)
    ended = tailc("inspect", "policy.tailc")
    assert ended.code == 66
    assert "`policy.tailc` cannot be read: no such file or directory" in ended.err
