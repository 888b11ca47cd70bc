"""Lower bounds on the batch work that any policy must give up for requests, in given replays.

If a request of demand S shares its core with batch work for a time T, it takes S + s T, and gives
up S - (1 - s - b) T of batch work; s is the slowdown of the request, b that of batch work. So a
bound on the sum of all s T gives a bound on batch work. On one core a request also waits for
earlier requests, which share too; with several cores each request is assumed to start at its
arrival. The bound assumes that every request is known in advance, so it applies to any policy that
runs requests in order of arrival (docs/elfen.md has the proof).
"""

from __future__ import annotations

import math
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.queues.stretching import Queue, stretch_bound_ns

from tailc.experiment.replications import Replications
from tailc.forms.ladder.lanes import Lanes
from tailc.forms.ladder.table import Ladder
from tailc.models.outcome import NS_PER_US
from tailc.models.shared_cores.shared_power import power_unit
from tailc.percentiles import PPM, percentile_rank


def least_given_up_us(
    percentile_ppm: int, target_us: int, lanes: Lanes, replications: Replications, workers: Executor
) -> int:
    """Lower bound on the batch work that a request on SMT cores gives up if the tail is met.

    percentile_ppm, target_us: the tail, of all replays together. A mean over requests, in
    microseconds of batch work on a free core.
    """
    queues = [
        _measured_queue(replications, number, lanes) for number in range(len(replications.repeats))
    ]
    demand_ns = sum(int(queue.service_ns.sum()) for queue in queues)
    requests = sum(len(queue.service_ns) for queue in queues)
    gain_ppm = PPM - lanes.interference_ppm - lanes.batch_slowdown_ppm
    if gain_ppm <= 0:
        least_ns = demand_ns
    elif lanes.interference_ppm == 0:
        least_ns = demand_ns * lanes.batch_slowdown_ppm // PPM
    else:
        late = requests - percentile_rank(percentile_ppm, requests)
        # Tails are rounded to the nearest microsecond.
        limit_ns = target_us * NS_PER_US + NS_PER_US // 2
        lost_ns = stretch_bound_ns(queues, limit_ns, late, workers)
        least_ns = demand_ns - gain_ppm * lost_ns // lanes.interference_ppm
    return max(least_ns, 0) // requests // NS_PER_US


def least_of_work(ladder: Ladder, replications: Replications) -> int:
    """Lower bound on the batch work given up per request on shared cores, whatever the latency.

    In millionths of the batch work of a core without requests, times microseconds. It assumes that
    all work is done on the rung that gives up least.
    """
    unit = power_unit(ladder)
    assert unit is not None
    least = min(rung.cost_ppm[unit] / rung.speed_ppm for rung in ladder.rungs)
    work_ns = replications.scenario.workload.work_ns
    measured = [
        one.order[replications.scenario.warm_up(len(one.order)) :] for one in replications.repeats
    ]
    mean_ns = float(np.mean([work_ns[order].mean() for order in measured]))
    return math.floor(PPM * least * mean_ns / NS_PER_US)


def _measured_queue(replications: Replications, number: int, lanes: Lanes) -> Queue:
    """The requests of a repeat that count, after those before them that never shared."""
    one = replications.repeats[number]
    service_ns = replications.scenario.workload.work_ns[one.order]
    first = replications.scenario.warm_up(len(one.order))
    gap_ns = np.diff(one.arrival_ns, append=one.arrival_ns[-1])
    shared_ppm = PPM - lanes.interference_ppm
    stretch_ns = -(-service_ns * lanes.interference_ppm // shared_ppm)
    if lanes.cores > 1:
        # By then the longest is over.
        gap_ns = np.full(len(gap_ns), int((service_ns + stretch_ns).max()))
        return Queue(service_ns[first:], stretch_ns[first:], gap_ns[first:])
    wait_ns = _waits_ns(one.arrival_ns, service_ns)[first]
    return Queue(service_ns[first:], stretch_ns[first:], gap_ns[first:], int(wait_ns))


def _waits_ns(arrival_ns: NDArray[np.int64], service_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """How long each request waits at one server (Lindley's recursion)."""
    done_ns = np.cumsum(service_ns)
    before_ns = done_ns - service_ns
    return np.maximum.accumulate(arrival_ns - before_ns) + before_ns - arrival_ns
