"""Choose frequencies of requests and batch work; find the effect of the chip's power limit.

Inputs and results are whole numbers; watts and shares are floating point in between.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from tailc_solvers.colocation import core, limit
from tailc_solvers.colocation.core import FrequencyPair, SharedCore

from tailc.errors import Code, Finding, TailcError
from tailc.models.core_queues import batch_model
from tailc.percentiles import PPM
from tailc.problems.colocation import (
    BatchPair,
    BatchWork,
    Host,
    PairSearch,
    PowerLimitEffect,
    Throttling,
)
from tailc.problems.tail_table import TailProblem, TailSolution
from tailc.units import format_khz, format_mrps, plural

MW_PER_W = 1_000
KHZ_PER_GHZ = 1_000_000
# Thousandths of a request per second times nanoseconds.
_PER_NS = 10**12


def best_pair(problem: TailProblem) -> BatchPair | None:
    """Search for the pair of frequencies with the most batch work per joule.

    None without batch work. Raises TailcError (OVERLOADED) if requests leave no time at any
    frequency.
    """
    if problem.batch is None:
        return None
    assert problem.host is not None
    shared = shared_core(problem, problem.host, problem.batch)
    result = efficient_pair(shared, problem.batch)
    if result.critical is None or result.batch is None:
        raise _overload_error(problem, problem.host, problem.batch)
    return BatchPair(
        least_level=result.critical,
        level=result.batch,
        busy_ppm=round(float(shared.busy()[result.critical]) * PPM),
        micro_work_per_joule=round(result.work_per_joule * PPM),
        best_levels=result.best_batch,
    )


def efficient_pair(shared: SharedCore, batch: BatchWork, least_critical: int = 0) -> FrequencyPair:
    """Find the best pair of frequencies by the search method of the spec.

    least_critical: lowest frequency (number) allowed for requests.
    """
    climbs = batch.search is PairSearch.HILL_CLIMBING
    return (core.climbed_pair if climbs else core.best_pair)(shared, least_critical)


def shared_core(problem: TailProblem, host: Host, batch: BatchWork) -> SharedCore:
    """Model of one core that serves requests and batch work, for the choice of frequencies.

    It includes a core's part of the power drawn outside the cores. Requests have the mean work of
    the design trace, so their mean time is right at any frequency.
    """
    weight = problem.profile.weight
    mean_ns = float(np.average(problem.service_ns(problem.clock_khz), weights=weight))
    memory_ns = float(np.average(problem.memory_ns, weights=weight))
    beside_mw = host.uncore_mw + host.rest_mw
    return SharedCore(
        freq_ghz=np.array([level.frequency_khz / KHZ_PER_GHZ for level in problem.levels]),
        nominal_ghz=problem.clock_khz / KHZ_PER_GHZ,
        critical_power_w=_watts([level.power_mw for level in problem.levels]),
        batch_power_w=_watts(batch.power_mw),
        critical_memory=memory_ns / mean_ns,
        batch_memory=batch.memory_ppm / PPM,
        utilization=batch.rate_mrps * mean_ns / (_PER_NS * host.cores),
        throughput=batch.throughput_ppm / PPM,
        shared_w=beside_mw / (MW_PER_W * host.cores),
    )


def _watts(power_mw: tuple[int, ...] | list[int]) -> np.ndarray:
    """Powers in W. A model may round a power down to 0; it is raised to 1 mW, the smallest unit."""
    return np.maximum(np.array(power_mw, np.float64), 1.0) / MW_PER_W


def _overload_error(problem: TailProblem, host: Host, batch: BatchWork) -> TailcError:
    message = (
        f"at {format_mrps(batch.rate_mrps)} requests keep {plural(host.cores, 'core')} busy all "
        f"the time at {format_khz(problem.highest_khz)}, the highest frequency, and leave none for "
        "batch work"
    )
    nearest = format_mrps(problem.highest_mrps(host.cores))
    hint = f"the nearest rate that leaves any is {nearest}; or take more cores"
    return TailcError(Finding(Code.OVERLOADED, message, help=hint))


def pair_settings(problem: TailProblem, solution: TailSolution) -> dict[str, int]:
    """Frequencies of requests and batch work and their work per joule, for the evidence."""
    pair, batch, host = solution.pair, problem.batch, problem.host
    if pair is None or batch is None or host is None:
        return {}
    frequencies = [level.frequency_khz for level in problem.levels]
    powers = zip(frequencies, batch.power_mw, strict=True)
    by_level = {batch_model.power_field(khz): power_mw for khz, power_mw in powers} | {
        batch_model.best_field(khz): frequencies[best]
        for khz, best in zip(frequencies, pair.best_levels, strict=True)
        if best is not None
    }
    climbed = {"batch_hill_climbing": 1} if batch.search is PairSearch.HILL_CLIMBING else {}
    chosen = {
        "batch_busy_ppm": pair.busy_ppm,
        "batch_khz": frequencies[pair.level],
        "batch_least_khz": frequencies[pair.least_level],
        "batch_micro_work_per_joule": pair.micro_work_per_joule,
        "batch_rate_mrps": batch.rate_mrps,
        batch_model.MEMORY: batch.memory_ppm,
        batch_model.OUTSIDE: host.uncore_mw + host.rest_mw,
        batch_model.THROUGHPUT: batch.throughput_ppm,
    }
    return by_level | climbed | chosen


def power_limit_effects(
    problem: TailProblem, pair: BatchPair | None
) -> tuple[PowerLimitEffect, ...]:
    """Compute how far the chip's power limit reduces frequencies at the highest request frequency.

    Requests are on all cores, on half of them and on none, with batch work on the other cores.
    Empty without a limit.
    """
    host = problem.host
    if host is None or host.tdp_mw is None:
        return ()
    if pair is None:
        return (_power_limit_effect(problem, host, None, host.cores),)
    counts = dict.fromkeys((host.cores, host.cores // 2, 0))
    return tuple(_power_limit_effect(problem, host, pair, requests) for requests in counts)


def _power_limit_effect(
    problem: TailProblem, host: Host, pair: BatchPair | None, requests: int
) -> PowerLimitEffect:
    assert host.tdp_mw is not None
    cores = tuple(_cores(problem, host, pair, requests))
    watts = {"idle_core_w": host.idle_core_mw / MW_PER_W, "shared_w": host.uncore_mw / MW_PER_W}
    unlimited = limit.within_limit(cores, math.inf, **watts)
    result = limit.within_limit(cores, host.tdp_mw / MW_PER_W, **watts)
    khz = [level.frequency_khz for level in problem.levels]
    slowed = [each.level for each in result.cores if not each.is_batch]
    batch = [each.level for each in result.cores if each.is_batch]
    return PowerLimitEffect(
        requests=requests,
        unlimited_mw=round(unlimited.power_w * MW_PER_W),
        outcome=_OUTCOMES[result.status],
        requests_khz=khz[slowed[0] or 0] if slowed else None,
        batch_khz=tuple(khz[level] for level in batch if level is not None),
        stopped=batch.count(None),
        power_mw=round(result.power_w * MW_PER_W),
    )


# A limit below the least power is refused with the spec.
_OUTCOMES = {
    limit.LimitOutcome.UNCHANGED: Throttling.NONE,
    limit.LimitOutcome.BATCH_SLOWED: Throttling.BATCH_SLOWED,
    limit.LimitOutcome.BATCH_STOPPED: Throttling.BATCH_STOPPED,
    limit.LimitOutcome.REQUESTS_SLOWED: Throttling.REQUESTS_SLOWED,
}


def _cores(
    problem: TailProblem, host: Host, pair: BatchPair | None, requests: int
) -> Iterator[limit.BusyCore]:
    """The busy cores, those with requests first. Power is made non-decreasing in frequency."""
    top = len(problem.levels) - 1
    critical = _rising([level.power_mw for level in problem.levels])
    yield from itertools.repeat(limit.BusyCore(False, top, critical), requests)
    if pair is not None and problem.batch is not None:
        power, memory = _rising(problem.batch.power_mw), problem.batch.memory_ppm / PPM
        own = limit.BusyCore(True, pair.level, power, memory)
        yield from itertools.repeat(own, host.cores - requests)


def _rising(power_mw: tuple[int, ...] | list[int]) -> tuple[float, ...]:
    return tuple(np.maximum.accumulate(_watts(power_mw)).tolist())
