"""The workloads that slow-to-fast is compared on have the statistics that are named."""

from __future__ import annotations

import numpy as np
import pytest

from bench import core_workloads as workloads

# Long, and what it shows is shown of another kind in every run.
pytestmark = pytest.mark.fuzz


def test_the_modified_lucene_has_the_published_mean_and_99th_percentile():
    demand_ms = workloads.lucene_mod_ms()
    # Ten thousand quantiles miss a little of the far tail.
    assert demand_ms.mean() == pytest.approx(30, rel=0.01)
    assert np.quantile(demand_ms, 0.99) == pytest.approx(180, rel=0.01)


def test_of_the_finance_server_the_published_target_is_67_percent_of_the_slow_tail():
    assert 0.67 * np.quantile(workloads.finance_ms(), 0.99) == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("server", ["micro-13s-2f", "micro-4-dvfs", "dissertation-8s-1f"])
def test_every_server_has_a_spec(server):
    assert workloads.spec_of(server).exists()


def test_a_study_has_the_changes_that_were_asked_for():
    demand_ms = np.linspace(10.0, 100.0, 200)
    found = workloads.study("micro-8s-2f", demand_ms=demand_ms, target_ms=80, control="off")
    ladder = found.policy.ladders[0]
    assert found.policy.controller is None
    assert found.policy.slos[0].latency_us == 80_000
    assert [rung.cost_ppm[-1] for rung in ladder.rungs] == [1_000_000, 4_000_000]
    assert sorted(found.load.work_ns) == [round(one * 1e6) for one in demand_ms]
