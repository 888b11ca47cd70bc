"""Verdicts on latency SLOs for CI services."""

from __future__ import annotations

from tailc.experiment.point import Point
from tailc.models.columns import ms
from tailc.report.ci_verdict import CiVerdict
from tailc.report.verdict.words import decimals, energy_share, limits, sentences, subject
from tailc.verify.verdict import Verdicts


def ci_verdicts(verdicts: Verdicts) -> tuple[CiVerdict, ...]:
    """Build a CI verdict per SLO and arrival process."""
    return tuple(
        CiVerdict(
            policy_name=verdicts.policy_name,
            ruling=point.policy.estimates[number].ruling,
            requirement="SLO",
            place=f" at {point.arrivals}",
            case=f"{slo} at {point.arrivals}",
            sentence=_verdict_sentence(verdicts, point, number),
        )
        for number, slo in enumerate(verdicts.slos)
        for point in verdicts.points
    )


def _verdict_sentence(verdicts: Verdicts, point: Point, number: int) -> str:
    slo = verdicts.slos[number]
    verdict = point.policy.estimates[number]
    digits = decimals(verdicts)
    estimate, interval = ms(verdict.estimate_us, digits), limits(verdict, digits)
    parts = [f"{slo}, estimate {estimate} ms, 95 % interval {interval} ms"]
    parts += [
        f"{subject(run)} {ms(run.estimates[number].estimate_us, digits)} ms"
        for run in point.baselines[:1]
    ]
    parts += [f"energy {share} of {point.reference}"] if (share := energy_share(point)) else []
    return "; ".join([", ".join(parts), *sentences(verdicts, point, number)])
