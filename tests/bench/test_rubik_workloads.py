"""Services and batch work that Rubik's figures are made on."""

from __future__ import annotations

import numpy as np
import pytest

from bench import rubik_batch as batch
from bench import rubik_chips as chips
from bench import rubik_workloads as workloads
from bench import trends_rubik_batch as trends


@pytest.mark.parametrize(
    "changed", [workloads.with_memory_by_cycles, workloads.with_memory_at_random]
)
def test_memory_times_are_dealt_anew_and_stay_what_they_are(changed):
    shore = workloads.service("shore")
    for before, after in (
        (shore.design, changed(shore).design),
        (shore.held_out, changed(shore).held_out),
    ):
        assert (before.cycles == after.cycles).all()
        assert (np.sort(before.memory_ns) == np.sort(after.memory_ns)).all()


def test_memory_time_by_cycles_rises_with_them_and_at_random_does_not():
    shore = workloads.service("shore")
    by_cycles, at_random = (
        np.corrcoef(one.design.cycles, one.design.memory_ns)[0, 1]
        for one in (
            workloads.with_memory_by_cycles(shore),
            workloads.with_memory_at_random(shore),
        )
    )
    assert by_cycles > 0.9
    assert abs(at_random) < 0.05


def test_servers_for_batch_work_run_no_faster_than_the_nominal_clock():
    for work in batch.BATCH:
        assert work.own_level <= batch.NOMINAL
        assert work.units[work.own_level] == pytest.approx(1)


def test_twenty_mixes_are_six_different_kinds_each_and_the_same_every_time():
    found = chips.mixes()
    assert len(found) == 20
    assert all(len({work.name for work in mix}) == 6 for mix in found)
    assert {work.name for mix in found for work in mix} == {work.name for work in batch.BATCH}
    assert chips.mixes() == found


def test_every_service_meets_every_mix(monkeypatch):
    monkeypatch.setattr(trends, "chips", lambda name, *_: name)
    pairs = list(trends._all(trends.LOW, trends.LOW))
    assert len(pairs) == len(set(pairs)) == 100


def test_batch_work_that_there_is_not_enough_of_leaves_its_core_asleep():
    # half of 0.8 units: half of 4 W, and half of 80 % of the time asleep
    found = batch.within_demand(10.0, 0.8, 0.8, 4.0, 0.4)
    assert found.power_w == pytest.approx(10 + 2 + 0.4 * workloads.SLEEP_W)
    assert found.dedicated == pytest.approx(0)


def test_batch_work_beyond_what_a_core_has_time_for_is_done_elsewhere():
    found = batch.within_demand(10.0, 0.8, 0.8, 4.0, 1.0)
    assert found.power_w == pytest.approx(14)
    assert found.dedicated == pytest.approx(0.2)


def test_caches_are_filled_in_microseconds():
    assert pytest.approx(10.67, abs=0.01) == chips.REFILL_US
