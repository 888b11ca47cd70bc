"""Check SLOs against a trace: those that no policy can meet, and those with too few requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.percentiles import fewest_requests, percentile_rank
from tailc.specs.load import LoadedSpec
from tailc.specs.slo import EndToEnd, Slo, promise
from tailc.traces.profile import NS_PER_MS, DemandProfile
from tailc.units import format_us, plural

NS_PER_US = 1_000


def fastest_ns(profile: DemandProfile) -> NDArray[np.int64]:
    """Time of each request without waiting, always at its fastest degree [ns]."""
    best = profile.curves.max(axis=1)[profile.curve_of]
    return np.rint(profile.demand_ms / best * NS_PER_MS).astype(np.int64)


def check_attainable_slos(
    slos: Sequence[Slo], profile: DemandProfile, alone_ns: NDArray[np.int64], loaded: LoadedSpec
) -> tuple[Finding, ...]:
    """Find SLOs that requests miss even if no request waits.

    The first SLO gets a warning only, since a kind minimises its miss. Raises TailcError
    (INFEASIBLE) with a finding for each later SLO that is missed, with the nearest latency.
    """
    missed = list(_missed_slos(slos, profile, alone_ns, loaded))
    refused = [finding for number, finding in missed if number]
    if refused:
        raise TailcError(refused)
    return tuple(
        replace(finding, code=Code.PREDICTED_MISS, severity=Severity.WARNING)
        for _, finding in missed
    )


def unattainable_slos(findings: Iterable[Finding]) -> frozenset[int]:
    """Numbers of the SLOs that requests miss even if no request waits: the first SLO, or none.

    They are read from the warnings of `check_attainable_slos`, which refuses any later SLO.
    """
    is_missed = any(one.code is Code.PREDICTED_MISS for one in findings)
    return frozenset({0} if is_missed else ())


def _missed_slos(
    slos: Sequence[Slo], profile: DemandProfile, alone_ns: NDArray[np.int64], loaded: LoadedSpec
) -> Iterator[tuple[int, Finding]]:
    for number, slo in enumerate(slos):
        chosen = requests_of(slo, profile)
        if not chosen.any():
            continue
        least_us = percentile_us(alone_ns[chosen], profile.weight[chosen], slo.percentile_ppm)
        if least_us <= slo.latency_us:
            continue
        message = (
            f"`{slo}` cannot be met: even without waiting, requests take {format_us(least_us)} at "
            "that percentile on the fastest rung"
        )
        hint = f"relax the latency to more than {format_us(least_us)}"
        place = loaded.place("slo", number, "latency")
        yield number, Finding(Code.INFEASIBLE, message, place, hint)


def requests_of(slo: Slo, profile: DemandProfile) -> NDArray[np.bool_]:
    """Mask of the requests that an SLO applies to; all false if the trace lacks its class."""
    if slo.request_class is None:
        return np.ones(profile.demand_ms.shape, dtype=np.bool_)
    named = np.array([name == slo.request_class for name in profile.curve_names], dtype=np.bool_)
    return named[profile.curve_of] if named.size else np.zeros(profile.demand_ms.shape, np.bool_)


def percentile_us(time_ns: NDArray[np.int64], weight: NDArray[np.int64], ppm: int) -> int:
    """The weighted percentile of times, rounded up [us]."""
    order = np.argsort(time_ns, kind="stable")
    reached = np.cumsum(weight[order])
    at = np.searchsorted(reached, percentile_rank(ppm, int(reached[-1])))
    return -(-int(time_ns[order[at]]) // NS_PER_US)


def undersampled_slos(
    slos: Sequence[Slo],
    end_to_ends: Sequence[EndToEnd | None],
    profile: DemandProfile,
    loaded: LoadedSpec,
) -> tuple[Finding, ...]:
    """Warn of each SLO whose percentile needs more requests than the trace has."""
    return tuple(
        Finding(
            Code.SMALL_SAMPLE,
            f"{plural(profile.total_weight, 'request')} cannot estimate the percentile of "
            f"{_slo_text(slo, end_to_end)}: the sample may have no request above it",
            loaded.place("slo", number, "percentile"),
            f"measure at least {enough:,} requests, or use a lower percentile",
            Severity.WARNING,
        )
        for number, (slo, end_to_end) in enumerate(zip(slos, end_to_ends, strict=True))
        if profile.total_weight < (enough := fewest_requests(slo.percentile_ppm))
    )


def _slo_text(slo: Slo, end_to_end: EndToEnd | None) -> str:
    own = f"`{promise(slo.percentile_ppm, slo.latency_us)}`"
    return own if end_to_end is None else f"{own} (for {end_to_end})"
