"""Rates that overload a table of threads: one answer, whatever the number of SLOs."""

from __future__ import annotations

import json

import pytest

from tests.tailc.policies.few_to_many.case import SPEC, write
from tests.tailc.texts import swapped
from tests.tailc.tuning.short import brief_estimates

ONE = "slo: [{percentile: 95%, latency: 150ms}]"
TWO = "slo: [{percentile: 95%, latency: 150ms}, {percentile: 50%, latency: 150ms}]"
SEARCH = "search: {method: grid, step: 20ms}"
SERVER = "server: {cores: 4, target_parallelism: 6, quantum: 5ms}"
RATES = "rates: [60/s]"


@pytest.fixture(scope="module", autouse=True)
def _brief():
    with brief_estimates():
        yield


@pytest.fixture
def compiled(tmp_path, tailc):
    """How a compile by the dual ends on that server at those rates, and where its policy is."""

    def call(slo: str, server: str, rates: str):
        case = write(tmp_path)
        changes = (ONE, slo), (SEARCH, "search: {method: dual}"), (SERVER, server), (RATES, rates)
        case.spec.write_text(swapped(SPEC, *changes))
        return tailc("compile", case.spec, "-o", tmp_path / "out"), tmp_path / "out.json"

    return call


@pytest.mark.parametrize("slo", [ONE, TWO])
@pytest.mark.parametrize(
    ("server", "rates"),
    [
        ("server: {cores: 1, target_parallelism: 100}", "rates: [1000000/s]"),
        ("server: {cores: 1, target_parallelism: 1}", "rates: [40/s]"),
        ("server: {cores: 4, target_parallelism: 3}", "rates: [60/s, 140/s]"),
    ],
)
def test_a_rate_beyond_the_cores_is_refused_by_one_slo_and_by_two(slo, server, rates, compiled):
    done, written = compiled(slo, server, rates)
    assert done.code == 6
    assert "overload" in done.err
    assert not written.exists()


@pytest.mark.parametrize("slo", [ONE, TWO])
@pytest.mark.parametrize("target", [1, 2, 3])
def test_a_target_below_the_cores_locks_no_table_up(slo, target, compiled):
    """Its rows let requests wait for an exit; at 30 ms and 60/s four cores are 45 % busy."""
    server = f"server: {{cores: 4, target_parallelism: {target}}}"
    done, written = compiled(slo, server, RATES)
    assert done.code == 0
    rows = json.loads(written.read_text())["evidence"]["estimates"]["rows"]
    assert all(row["tail_us"] < 150_000 for row in rows)
