"""Profiles as cores with a clock take them."""

from dataclasses import replace

import numpy as np

from tailc.models.core_queues.model import CoreQueues
from tailc.traces.profile import DemandProfile, Measure
from tests.tailc.models.core_queues.servers import GHZ, clocks, tail_table

PROFILE = DemandProfile(
    np.array([2.0, 1e-9, 0.001]),
    np.array([1, 2, 3]),
    np.ones((1, 1)),
    np.zeros(3, np.int32),
    (),
    Measure.DEMAND_CPU,
    "core",
    np.array([0.5, 1e-9, 0.0005004]),
)
SUBJECT = CoreQueues("x", clocks(tail_table((0, 0)), reference_khz=3 * GHZ))


def test_times_are_whole_nanoseconds_and_none_is_nothing():
    load = SUBJECT.workload(PROFILE)
    assert load.work_ns.tolist() == [2_000_000, 1, 1_000]
    assert load.memory_ns.tolist() == [500_000, 0, 500]
    assert load.requests == 6


def test_cycles_are_the_rest_of_the_demand_at_the_reference_clock():
    clocked = SUBJECT.workload(PROFILE).clocked
    assert clocked.cycles.tolist() == [4_500_000, 3, 1_500]
    assert clocked.memory_ns.tolist() == [500_000, 0, 500]
    assert clocked.rate.shape == (3, 2)


def test_a_trace_without_memory_time_is_all_compute():
    load = SUBJECT.workload(replace(PROFILE, memory_ms=None))
    assert load.memory_ns is None
    assert load.clocked.cycles.tolist() == [6_000_000, 3, 3_000]
