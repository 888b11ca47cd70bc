"""Services and batch work that Rubik's figures are made on, and clocks blind to requests."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bench import rubik_batch as batch
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


def test_the_clocks_of_most_work_per_joule_are_the_best_of_all():
    running = [batch.BATCH[0], batch.BATCH[-1]]
    levels = range(len(batch.KHZ))

    def efficiency(pair):
        done = sum(w.ipc * w.speed[at] for w, at in zip(running, pair, strict=True))
        drawn = sum(w.power_w[at] for w, at in zip(running, pair, strict=True))
        return done / (drawn + workloads.UNCORE_W)

    best = max(itertools.product(levels, levels), key=efficiency)
    assert efficiency(trends.most_per_joule(running)) == pytest.approx(efficiency(best))


def test_the_clocks_of_most_work_leave_no_room_within_the_limit():
    running = list(batch.BATCH[:6])
    levels = trends.most_work(running)
    drawn = workloads.UNCORE_W + sum(w.power_w[at] for w, at in zip(running, levels, strict=True))
    more = min(
        w.power_w[at + 1] - w.power_w[at]
        for w, at in zip(running, levels, strict=True)
        if at + 1 < len(batch.KHZ)
    )
    assert drawn <= trends.TDP_W < drawn + more
