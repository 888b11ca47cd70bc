"""Detect held-out requests from which the policy was compiled.

A policy contains quantiles of its compile demand. Each is the demand of one compile request in
whole nanoseconds. Those at whole percents are an even sample of the compile requests: if a share of
these was copied into the held-out trace, about the same share of the quantiles occurs there.

Other requests of the service may have the same demand by chance. The probability that one more
request has a demand that occurs once among n is about 2 f2 / n, where f2 demands occur twice (Good,
Biometrika 1953); the variance of that estimate is at most (4 f2 + 6 f3) / n^2. Only demands that
occur once are compared, so a demand of many requests, such as that of a cache hit, does not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, Severity
from tailc.experiment.compatibility import is_compile_trace
from tailc.percentiles import PPM
from tailc.traces.counted_times import tells_points
from tailc.traces.profile import NS_PER_MS, DemandProfile
from tailc.traces.summary import GRID_PPM, DemandSummary

_PERCENT_PPM = 10_000
# Percents from 1 to 99.
_SAMPLED = 99
# Added to f2: if none of a few requests occurs twice, the probability need not be 0.
_UNSEEN_PAIRS = 3
# Fewer equal demands, or a smaller excess in standard deviations, may be chance.
_LEAST_SHARED = 5
_LEAST_DEVIATIONS = 4
_DIGITS = 2


@dataclass(frozen=True)
class TraceOverlap:
    """Estimate of the requests of the design trace that occur in the held-out trace as well.

    shared: number of the `compared` design demands that have an equal demand in the held-out trace.
    by_chance: expected number of equal demands if no request is in both. requests: estimated number
    of requests in both.
    """

    compared: int
    shared: int
    by_chance: float
    requests: int


def trace_overlap(policy: Policy, held_out: DemandProfile) -> TraceOverlap | None:
    """Estimate the number of requests that design trace and held-out trace have in common.

    None if chance explains equal demands, if the two traces are equal, if the policy has no summary
    of its demand, or if a trace has only percentiles.
    """
    of_points = held_out.is_of_points or tells_points(policy.reading.measured.note)
    design = _design(policy)
    if design is None or of_points or is_compile_trace(policy, held_out):
        return None
    compiled, design_requests = design
    demand_ns, count = _occurrences(held_out)
    sample_ns = _even_sample(compiled)
    compared = len(sample_ns)
    shared = int(np.isin(sample_ns, demand_ns[count == 1]).sum())
    pairs, triples = int((count == 2).sum()) + _UNSEEN_PAIRS, int((count == 3).sum())
    per_request = min(_SAMPLED, design_requests) / held_out.total_weight
    by_chance = 2 * pairs * per_request
    deviation = math.sqrt(by_chance + (4 * pairs + 6 * triples) * per_request**2)
    if shared < max(_LEAST_SHARED, by_chance + _LEAST_DEVIATIONS * deviation):
        return None
    share = (shared - by_chance) / (compared - by_chance)
    requests = min(round(share * design_requests), held_out.total_weight)
    return TraceOverlap(compared, shared, by_chance, requests)


def overlap_findings(
    policies: Iterable[Policy], held_out: DemandProfile, source: str
) -> tuple[Finding, ...]:
    """Warn of each policy whose compile trace shares requests with the trace at `source`."""
    overlaps = ((policy, trace_overlap(policy, held_out)) for policy in policies)
    findings = (_finding(policy, shared, source) for policy, shared in overlaps if shared)
    return tuple(dict.fromkeys(findings))


def _finding(policy: Policy, overlap: TraceOverlap, source: str) -> Finding:
    requests = round(overlap.requests, _DIGITS - len(str(overlap.requests)))
    by_chance = math.ceil(overlap.by_chance)
    message = (
        f"`{source}` contains about {requests:,} requests of the trace that policy "
        f"`{policy.name}` was compiled from: {overlap.shared} of {overlap.compared} demands that "
        f"the policy records occur in it once, where about {by_chance} would by chance"
    )
    hint = "verify on requests that were held out, such as the part that `tailc split` writes"
    return Finding(Code.SHARED_REQUESTS, message, Place(source), hint, Severity.WARNING)


def _design(policy: Policy) -> tuple[DemandSummary, int] | None:
    """The summary of the compile demand, and its number of requests."""
    for part in policy.inputs:
        if part.role is InputRole.DESIGN and part.demand is not None:
            return part.demand, part.requests
    return None


def _even_sample(compiled: DemandSummary) -> NDArray[np.int64]:
    """The demands at each whole percent from 1 to 99 %, without duplicates [ns]."""
    quantiles = zip(GRID_PPM, compiled.quantiles_ns, strict=True)
    return np.unique([ns for ppm, ns in quantiles if 0 < ppm < PPM and ppm % _PERCENT_PPM == 0])


def _occurrences(profile: DemandProfile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different demands [ns], ascending, and the number of requests with each."""
    whole_ns = np.rint(profile.demand_ms * NS_PER_MS).astype(np.int64)
    demand_ns, index = np.unique(whole_ns, return_inverse=True)
    count = np.zeros(len(demand_ns), np.int64)
    np.add.at(count, index, profile.weight)
    return demand_ns, count
