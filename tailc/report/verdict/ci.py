"""Verdicts for CI services: notes, and JUnit test cases."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.experiment.point import Point, SloEstimate
from tailc.models.columns import ms
from tailc.report.junit import JUnitCase
from tailc.report.notes import Note
from tailc.report.rulings import FAULTS, LEVELS
from tailc.report.verdict.words import decimals, energy_share, limits, sentences, subject
from tailc.specs.slo import Slo
from tailc.verify.verdict import Verdicts


def as_notes(verdicts: Verdicts) -> tuple[Note, ...]:
    """Build a note per verdict on the policy."""
    return tuple(
        Note(
            LEVELS[verdict.ruling],
            f"SLO {verdict.ruling.value}",
            f"policy `{verdicts.policy_name}` at {point.arrivals}: "
            f"{_verdict_sentence(verdicts, point, number)}",
        )
        for point, number, _, verdict in _verdicts(verdicts)
    )


def as_cases(verdicts: Verdicts) -> tuple[JUnitCase, ...]:
    """Build a test case per verdict on the policy."""
    return tuple(
        JUnitCase(
            group=verdicts.policy_name,
            name=f"{slo} at {point.arrivals}",
            fault=FAULTS[verdict.ruling],
            kind=verdict.ruling.value,
            message=_verdict_sentence(verdicts, point, number),
        )
        for point, number, slo, verdict in _verdicts(verdicts)
    )


def _verdicts(verdicts: Verdicts) -> Iterator[tuple[Point, int, Slo, SloEstimate]]:
    for number, slo in enumerate(verdicts.slos):
        for point in verdicts.points:
            yield point, number, slo, point.policy.estimates[number]


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
