"""Servers of every runtime: the same metrics, and a demand log that tailc reads."""

from __future__ import annotations

import re
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tailc_runtime import DemandLog, Scheduler, open_policy

from tailc.cli import run as cli
from tailc.traces.profile import Measure
from tailc.traces.reading import (
    CommonCurve,
    Curve,
    DemandColumn,
    DemandReading,
    Rows,
    TimeUnit,
    ValueMeaning,
)
from tailc.traces.request_log import request_log_in
from tailc.traces.source import open_source
from tailc.traces.trace import read_trace
from tests.runtimes.conformance import Reader
from tests.runtimes.readers import READERS
from tests.tailc.artifact.published import VECTORS

POLICY = VECTORS / "signed" / "expiring-9999.tailc"
KEY = (VECTORS / "signed" / "test-key-1.pem").read_text()
# Three requests of two parts of 3 ms; a part ends when it sees that its time is over.
LEAST_US, MOST_US = 6_000, 12_000
READING = DemandReading(
    ValueMeaning(Measure.DEMAND_CPU, "one thread", TimeUnit.US),
    Rows(),
    DemandColumn("demand_us"),
    CommonCurve(Curve(None, (1_000_000,))),
    weight="weight",
)


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return READERS[request.param](tmp_path_factory)


def serve_in_python(log_path: Path, policy_path: Path, key: str) -> str:
    with DemandLog(log_path, 1, has_times=True) as log:
        policy = open_policy(policy_path, trusted=key or ())
        with Scheduler(policy, 2, log=log) as scheduler:
            for _ in range(3):
                scheduler.run([partial(int)] * 2)
            return scheduler.metrics()


def shape(metrics: str) -> list[str]:
    """Every line without its value, and without the values of labels."""
    lines = metrics.splitlines()
    names = [line if line.startswith("#") else line.rsplit(" ", 1)[0] for line in lines]
    return [re.sub(r'"[^"]*"', '""', name) for name in names]


@pytest.mark.parametrize(("policy", "key"), [(POLICY, KEY), (VECTORS / "settings.tailc", "")])
def test_metrics_have_the_same_names_and_labels_everywhere(
    reader: Reader, tmp_path: Path, policy: Path, key: str
) -> None:
    lines = reader.run("serving", policy, key, tmp_path / "demand.csv")
    ours = serve_in_python(tmp_path / "other.csv", policy, key)
    assert shape("\n".join(lines)) == shape(ours)
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values["tailc_requests_total"] == values["tailc_exits_total"] == "3"
    rungs = {line.rsplit(" ", 1)[0] for line in ours.splitlines() if "tailc_lookups_total" in line}
    assert sum(int(values[rung]) for rung in rungs) >= 3
    if key:
        year_9999_days = (253_402_300_799 - time.time()) / 86_400
        days_left = float(values["tailc_signature_days_left"])
        assert days_left == pytest.approx(year_9999_days, abs=1)


def test_a_demand_log_is_a_trace_of_processor_times(
    reader: Reader, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, counted = tmp_path / "demand.csv", tmp_path / "profile.parquet"
    reader.run("serving", POLICY, KEY, path)
    demand_us = read_trace(str(path), READING).requests.demand_ms * 1e3
    assert len(demand_us) == 3
    assert all(demand_us >= LEAST_US)
    assert all(demand_us < MOST_US)
    words = ("--column", "demand_us", "--weight", "weight", "--unit", "us")
    with open_source(str(path)) as source:
        log = request_log_in(source)
    assert all(log.run_us >= LEAST_US / 2)
    assert all(log.granted_us >= log.run_us)
    assert all(log.thread_us >= demand_us / 2)
    assert all(log.run_us - log.late_us >= 0)
    assert (np.diff(log.arrival_us) > 0).all()
    assert cli(["ingest", str(path), *words, "--measure", "demand-cpu", "-o", str(counted)]) == 0
    assert "3 requests, demand-cpu" in capsys.readouterr().out
