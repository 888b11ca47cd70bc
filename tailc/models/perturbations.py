"""Perturb a workload: change its demands, speed-ups, or the shares of its classes of requests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.models import streams
from tailc.models.core_queues.level_progress import stretch
from tailc.models.streams import Purpose
from tailc.models.workload import Workload
from tailc.percentiles import percentile_rank


def with_more_work(load: Workload, factor: float) -> Workload:
    """Multiply the work of every request of a workload by a factor."""
    return with_work(load, load.work_ns * factor)


def with_longer_tail(load: Workload, from_ppm: int, part: float) -> Workload:
    """Stretch the demands above a percentile: the part above it grows by the factor 1 + `part`.

    from_ppm: the percentile [1e-6].
    """
    from_ns = load.work_at(percentile_rank(from_ppm, load.requests))
    return with_work(load, load.work_ns + part * np.maximum(load.work_ns - from_ns, 0))


def with_slower_rungs(load: Workload, part: float) -> Workload:
    """Reduce all rung speeds above 1 by the fraction `part`, but not below 1."""
    less = np.maximum(load.speed * (1 - part), np.minimum(load.speed, 1.0))
    return replace(load, speed=np.ascontiguousarray(less))


def with_slower_cores(load: Workload, part: float) -> Workload:
    """Reduce rung speeds by the fraction `part`; speeds above 1 stay at least 1."""
    less = np.where(load.speed < 1, load.speed * (1 - part), with_slower_rungs(load, part).speed)
    return replace(load, speed=np.ascontiguousarray(less))


def bootstrap(load: Workload, seed: int) -> Workload:
    """Draw as many requests as the workload has, with replacement (a bootstrap sample)."""
    counts = np.zeros(len(load.work_ns), np.int64)
    state = streams.stream(seed, Purpose.RESAMPLE)
    streams.count_drawn(state, load.last_request_of, load.requests, counts)
    return load.reweight(counts)


def with_more_of(load: Workload, chosen: NDArray[np.bool_], part: float) -> Workload:
    """Replace a share `part` of all requests by requests of a chosen kind; their number stays.

    chosen: which records are of this kind. Shares are rounded to whole requests; rounding errors
    cancel between requests of similar work.
    """
    share = load.weight * (1 - part)
    share[chosen] += part * load.requests * load.weight[chosen] / load.weight[chosen].sum()
    by_work = np.argsort(load.work_ns, kind="stable")
    reached = np.rint(np.cumsum(share[by_work])).astype(np.int64)
    reached[-1] = load.requests
    weight = np.empty_like(load.weight)
    weight[by_work] = np.diff(reached, prepend=0)
    return load.reweight(weight)


def with_work(load: Workload, work_ns: NDArray[np.floating]) -> Workload:
    """Replace the work of every request of a workload; the share of memory time stays."""
    work_ns = np.maximum(np.rint(work_ns), 1)
    factor = work_ns / load.work_ns
    memory_ns = None if load.memory_ns is None else np.rint(load.memory_ns * factor)
    return replace(
        load,
        work_ns=work_ns.astype(np.int64),
        memory_ns=None if memory_ns is None else memory_ns.astype(np.int64),
        clocked=load.clocked and stretch(load.clocked, factor),
    )
