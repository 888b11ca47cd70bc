"""The compiled replay of frequencies beside SimPy, on one busy core."""

import numpy as np
import pytest

from tailc.models import streams
from tests.reference.replay_frequencies_simpy import replay_frequencies_simpy
from tests.tailc.models.core_queues.servers import GHZ, MS, clocks, replayed, tail_table

REQUESTS = 5_000
# SimPy's times are floats, and a request's cycles are cut at other places.
TOLERANCE_MS = 1e-4


@pytest.mark.parametrize("rate_rps", [300, 700])
def test_every_request_takes_as_long_as_in_simpy(rate_rps):
    rng = np.random.default_rng(rate_rps)
    work_ns = np.rint(rng.gamma(4, 0.25, REQUESTS) * MS).astype(np.int64) + 1
    memory_ns = work_ns * 3 // 10
    arrival_ns = np.empty(REQUESTS, np.int64)
    streams.poisson_arrivals(streams.stream(1, rate_rps), rate_rps * 1000, arrival_ns)
    table = tail_table(
        (0, *[i * 1_400_000 for i in range(1, 9)]),
        (700_000, *[i * 1_300_000 for i in range(1, 9)]),
        memory_ns=((0, *[i * 400_000 for i in range(1, 9)]),),
        bound_us=4_000,
        ghz=(0.8, 1.2, 1.6, 2, 2.4),
        power_mw=(1, 2, 3, 4, 5),
    )
    ours = replayed(clocks(table, reference_khz=GHZ), arrival_ns, work_ns, memory_ns)
    theirs = replay_frequencies_simpy(
        (arrival_ns / MS).tolist(),
        ((work_ns - memory_ns) / MS).tolist(),
        (memory_ns / MS).tolist(),
        table,
    )
    assert len(set(ours.rung.tolist())) == 5
    apart_ms = np.abs(ours.latency_ns / MS - [job.latency_ms for job in theirs])
    assert apart_ms.max() < TOLERANCE_MS
