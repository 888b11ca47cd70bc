"""The replay of requests that a server was sent, at the same times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from arrivals import HELD_OUT
from fidelity import Served, Step
from numpy.typing import NDArray
from policies import FAST

from tailc.artifact.envelope import Policy
from tailc.models import integrals
from tailc.models.core_types.model import CoreTypes
from tailc.models.observations import ControlSteps
from tailc.models.outcome import Outcome
from tailc.models.workload import Workload, workload
from tailc.percentiles import PPM
from tailc.traces.trace import read_trace

MOST_IN_SYSTEM = 100_000
NS_PER_US, NS_PER_MS, NS_PER_S = 1_000, 1_000_000, 1_000_000_000


def recorded(policy: Policy) -> Workload:
    """The held-out requests with the CPU times in their file."""
    return workload(read_trace(str(HELD_OUT), policy.reading).profile, policy.ladders[0])


def with_times(load: Workload, cpu_ms: NDArray[np.float64]) -> Workload:
    """Requests that take these CPU times on the fast core instead."""
    return replace(
        load,
        work_ns=(cpu_ms * NS_PER_MS).astype(np.int64),
        weight=np.ones(len(cpu_ms), np.int64),
        curve_of=np.zeros(len(cpu_ms), np.int32),
    )


def replayed(
    subject: CoreTypes, load: Workload, rows: NDArray[np.int64], arrival_us: NDArray[np.float64]
) -> Served:
    """What becomes of requests of the load that arrive at those times."""
    rate_mrps = round(1e9 * len(rows) / float(arrival_us[-1]))
    arrival_ns = (arrival_us * NS_PER_US).astype(np.int64)
    outcome = subject.engine(rate_mrps, MOST_IN_SYSTEM).replay(load, rows, arrival_ns)
    return Served(
        arrival_us=arrival_us,
        latency_ms=outcome.latency_ns / NS_PER_MS,
        held_ms=(outcome.latency_ns - outcome.wait_ns) / NS_PER_MS,
        cpu_ms=load.work_ns[rows] / NS_PER_MS,
        on_fast=outcome.rung == FAST,
        busy_ms=busy_by_core_ms(outcome),
        steps=as_told(outcome.steps),
    )


def busy_by_core_ms(outcome: Outcome) -> tuple[float, float]:
    """How long the slow and the fast core had a request, moves included."""
    slow, fast = (integrals.THREADS + integrals.POOL_COLUMNS * core for core in (0, 1))
    held = outcome.integrals.sum(axis=0) / PPM / NS_PER_MS
    return float(held[slow]), float(held[fast])


def as_told(steps: ControlSteps) -> tuple[Step, ...]:
    """What the controller did."""
    columns = (steps.measured_us, steps.rate_mrps, steps.output_ppm)
    numbers = zip(*(column.tolist() for column in columns), strict=True)
    times_s = (steps.time_ns / NS_PER_S).tolist()
    return tuple(Step(at_s, *told) for at_s, told in zip(times_s, numbers, strict=True))
