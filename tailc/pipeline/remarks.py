"""Warnings about a trace or solution that is valid but suspicious."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, Place, Severity
from tailc.percentiles import PPM, percentile_rank
from tailc.problems.ladder import LadderProblem
from tailc.specs.slo import Slo
from tailc.traces.profile import DemandProfile
from tailc.traces.reading import DemandReading, TraceReading
from tailc.units import format_us, printable

US_PER_MS = 1_000
# Range of the demand at the SLO's percentile, in latencies. Outside of it, a unit wrong by a factor
# of a thousand is more likely than a loose or unattainable SLO.
MOST_LATENCIES = 20
LEAST_LATENCIES = 1 / 200


def dominated_degrees(problem: LadderProblem, _solution: object) -> tuple[Finding, ...]:
    """Warn of every degree that is no faster, on average, than a cheaper one."""
    if problem.supplies:
        # Rungs on different cores may be as fast as one another.
        return ()
    speeds = problem.profile.mean_curve().tolist()
    return tuple(
        _warning(
            Code.RUNG_DOMINATED,
            f"degree {degree} is on average not faster than a lower degree, and costs more",
            f"set `max_degree` below {degree}",
        )
        for degree in range(2, len(speeds) + 1)
        if speeds[degree - 1] <= max(speeds[: degree - 1])
    )


def suspect_unit(
    profile: DemandProfile, slos: Sequence[Slo], place: Place | None = None
) -> tuple[Finding, ...]:
    """Warn if the first SLO's latency and the demand at its percentile differ too much."""
    slo = slos[0]
    rank = percentile_rank(slo.percentile_ppm, profile.total_weight)
    demand_us = round(profile.demand_at(rank) * US_PER_MS)
    latencies = demand_us / slo.latency_us
    if LEAST_LATENCIES <= latencies <= MOST_LATENCIES:
        return ()
    message = (
        f"the demand at the SLO's percentile is {format_us(demand_us)}, "
        f"but its latency is {format_us(slo.latency_us)}"
    )
    return (_warning(Code.UNIT_SUSPECT, message, "check the unit of the trace", place),)


def other_measure(policy: Policy, own: DemandReading, place: Place) -> tuple[Finding, ...]:
    """Warn if a trace has other reference units, measures or speed-ups than the design trace."""
    theirs = policy.reading
    pairs = {
        "reference": (own.measured.reference, theirs.measured.reference),
        "measure": (own.measured.measure.value, theirs.measured.measure.value),
    }
    if own.curves and theirs.curves:
        pairs["speed-up"] = (_curves_text(own), _curves_text(theirs))
    return tuple(
        _warning(
            Code.OTHER_MEASURE,
            f"the {what} is `{printable(ours)}`, but the policy was compiled from "
            f"`{printable(wanted)}`",
            "give demand of the same service and machine as in the compile",
            place,
        )
        for what, (ours, wanted) in pairs.items()
        if ours != wanted
    )


def _curves_text(reading: TraceReading) -> str:
    return "; ".join(", ".join(f"{s / PPM:g}" for s in c.speedup_ppm) for c in reading.curves)


def _warning(code: Code, message: str, hint: str, place: Place | None = None) -> Finding:
    return Finding(code, message, place, hint, Severity.WARNING)
