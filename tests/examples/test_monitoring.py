"""The dashboard and alert rules use metrics that the runtimes and the agent write."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tailc_runtime import Scheduler, open_policy

from tests.tailc.artifact.published import ROOT, VECTORS

FOLDER = ROOT / "examples" / "monitoring"
ALERTS: list[dict[str, Any]] = [
    rule
    for group in YAML(typ="safe").load(FOLDER / "alerts.yaml")["groups"]
    for rule in group["rules"]
]
PANELS: list[dict[str, Any]] = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
EXPRESSIONS = [
    *(rule["expr"] for rule in ALERTS),
    *(target["expr"] for panel in PANELS for target in panel["targets"]),
]
_NAME = r"\btailc_\w+"


@pytest.fixture(scope="module")
def metrics() -> str:
    key = (VECTORS / "signed" / "test-key-1.pem").read_text()
    policy = open_policy(VECTORS / "signed" / "expiring-9999.tailc", trusted=key)
    with Scheduler(policy, 2) as scheduler:
        scheduler.run([partial(int)])
        return scheduler.metrics()


def samples_of_agent() -> set[str]:
    """Names of samples in the source of the agent; those of counters have a suffix."""
    sources = [path.read_text() for path in (ROOT / "runtimes" / "agent" / "src").rglob("*.rs")]
    found = re.findall(r"(counter|gauges?)\(\s*\"(tailc_\w+)\"", "\n".join(sources))
    return {name + ("_total" if kind == "counter" else "") for kind, name in found}


def test_every_metric_is_written(metrics: str) -> None:
    samples = set(re.findall(rf"^({_NAME})", metrics, re.MULTILINE)) | samples_of_agent()
    used = {name for text in EXPRESSIONS for name in re.findall(_NAME, text)}
    assert len(used) > 15
    assert used <= samples


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_brackets_are_closed(expression: str) -> None:
    for opening, closing in ("()", "[]", "{}"):
        assert expression.count(opening) == expression.count(closing)


def test_labels_are_those_of_the_metrics(metrics: str) -> None:
    written = set(re.findall(r"[{,](\w+)=", metrics)) | {"job", "instance", "machine"}
    grouped = {
        label.strip() for text in EXPRESSIONS for by in re.findall(r"by \(([^)]+)\)", text)
        for label in by.split(",")
    }  # fmt: skip
    legends = [target["legendFormat"] for panel in PANELS for target in panel["targets"]]
    shown = {label for legend in legends for label in re.findall(r"\{\{(\w+)\}\}", legend)}
    assert grouped | shown <= written


def test_each_alert_says_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in ALERTS]
    assert len(set(names)) == len(names)
    for rule in ALERTS:
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"].keys() == {"summary", "action"}


def test_panels_have_numbers_and_places_of_their_own() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in PANELS]
    assert len(set(places)) == len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_the_page_has_every_metric_of_the_runtimes(metrics: str) -> None:
    page = Path(ROOT / "docs" / "metrics.md").read_text()
    families = re.findall(rf"^# TYPE ({_NAME}) (\w+)", metrics, re.MULTILINE)
    rows = {
        name: [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| `tailc_")
        for name in re.findall(_NAME, line.split("|")[1])
    }
    assert dict(families) == {name: row[1] for name, row in rows.items()}
    for name, row in rows.items():
        labels = set(
            re.findall(r"(\w+)=", "".join(re.findall(rf"^{name}\w*{{(.*)}}", metrics, re.M)))
        )
        assert set(re.findall(r"`(\w+)`", row[2])) == labels
