"""Check speed-up curves for odd shapes, and suggest a maximum degree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, Severity
from tailc.traces.profile import DemandProfile

# Below this a further thread does less than a tenth of the work of the first.
MARGINAL_EFFICIENCY = 0.1
# Speed-ups are kept in millionths; less is rounding.
ROUNDING = 1.5e-6
EXTREME_SHARE = 0.05
# A smaller share of odd curves or timings is no finding.
LEAST_ODD_SHARE = 0.001
REPEAT = "repeat each timing at least 10 times; a curve that is right needs no change"
DEGREES_SHOWN = 8

Curve = NDArray[np.float64]
Mask = NDArray[np.bool_]


def falls(speedup: Curve) -> Mask:
    """Whether a curve, on the last axis, is lower at some degree than at the degree before."""
    return np.any(np.diff(speedup) < 0, axis=-1)


def exceeds_degree(speedup: Curve, degrees: Curve) -> Mask:
    """Whether a speed-up is above the number of threads at some degree (superlinear)."""
    return np.any(speedup > degrees + ROUNDING, axis=-1)


def is_superlinear(speedup: Curve, degrees: Curve) -> Mask:
    """Whether the efficiency (speed-up / degree) rises with the degree at some point."""
    return np.any(np.diff(speedup / degrees) > ROUNDING, axis=-1)


def curve_findings(profile: DemandProfile, source: str) -> tuple[Finding, ...]:
    """Warn of odd speed-up curves, if at least a thousandth of the requests follow such curves."""
    used = np.flatnonzero(np.bincount(profile.curve_of))
    speedup = profile.curves[used]
    degrees = np.arange(1, profile.degrees + 1, dtype=np.float64)
    checks = (
        (
            Code.SPEEDUP_NOT_FROM_ONE,
            np.abs(speedup[:, 0] - 1) > ROUNDING,
            "are not 1 at degree 1, at which demand was measured",
        ),
        (Code.SPEEDUP_FALLS, falls(speedup), "fall as the degree rises"),
        (Code.SPEEDUP_EXCEEDS, exceeds_degree(speedup, degrees), "exceed the degree"),
        (
            Code.SPEEDUP_SUPERLINEAR,
            is_superlinear(speedup, degrees),
            "are superlinear: a higher degree is more efficient",
        ),
    )
    return tuple(
        _warning(code, odd, what, profile, used, source)
        for code, odd, what in checks
        if odd.any() and odd.mean() >= LEAST_ODD_SHARE
    )


def _warning(
    code: Code, odd: Mask, what: str, profile: DemandProfile, used: NDArray, source: str
) -> Finding:
    first = int(used[np.flatnonzero(odd)[0]])
    name = f"`{profile.curve_names[first]}`: " if profile.curve_names else ""
    values = ", ".join(f"{value:g}" for value in profile.curves[first, :DEGREES_SHOWN])
    if profile.degrees > DEGREES_SHOWN:
        values += ", ..."
    return Finding(
        code,
        f"{int(odd.sum())} of {len(odd)} speed-up curves {what}; the first is {name}{values}",
        Place(source),
        REPEAT,
        Severity.WARNING,
    )


def suggest_max_degree(curve: Curve, marginal_efficiency: float = MARGINAL_EFFICIENCY) -> int:
    """The largest number of threads that is worth using, by a speed-up curve.

    It is the last degree with a gain, over the best lower degree, of at least `marginal_efficiency`
    for each additional thread; 1 if there is none. So a dip in a measured curve is skipped, and a
    return to an earlier speed-up is not a gain.
    """
    suggested, best = 0, 0
    for degree in range(1, len(curve)):
        if curve[degree] - curve[best] >= marginal_efficiency * (degree - best):
            suggested = degree
        if curve[degree] > curve[best]:
            best = degree
    return suggested + 1


@dataclass(frozen=True, eq=False)
class SpeedupSummary:
    """Mean speed-up (total work / total time) at degree 1, 2, ... of groups of requests.

    everyone: all requests. longest, shortest: the 5 % with the largest and smallest demands.
    """

    everyone: Curve
    longest: Curve
    shortest: Curve


def speedup_summary(profile: DemandProfile) -> SpeedupSummary:
    """Compute mean speed-ups of all requests, and of the longest and the shortest 5 %.

    Requests are sorted by demand. Groups have whole rows and at least 5 % of the weight; equal
    demands are taken in trace order.
    """
    order = np.argsort(profile.demand_ms, kind="stable")
    return SpeedupSummary(
        profile.mean_curve(),
        _leading(profile, order[::-1]).mean_curve(),
        _leading(profile, order).mean_curve(),
    )


def _leading(profile: DemandProfile, order: NDArray[np.intp]) -> DemandProfile:
    reached = np.cumsum(profile.weight[order])
    wanted = EXTREME_SHARE * profile.total_weight
    rows = int(np.searchsorted(reached, wanted)) + 1
    chosen = np.zeros(len(order), dtype=bool)
    chosen[order[:rows]] = True
    return profile.select(chosen)
