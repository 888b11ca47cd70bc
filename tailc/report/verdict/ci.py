"""Verdicts for CI services: annotations of GitHub Actions, and cases of JUnit reports."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.report.findings import escaped
from tailc.report.junit import Case, Fault
from tailc.report.verdict.words import decimals, energy_share, limits, ms, sentences, subject
from tailc.specs.slo import Slo
from tailc.verify.verdict import Point, Ruling, Verdict, Verdicts

_GITHUB = {Ruling.PASS: "notice", Ruling.UNDECIDED: "warning", Ruling.FAIL: "error"}
# JUnit has no third answer. `skipped` is green in most services, and what nobody knows must not
# look like a pass: an error is a test that came to no result.
_FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: Fault.ERROR, Ruling.FAIL: Fault.FAILURE}


def as_github(verdicts: Verdicts) -> str:
    """One workflow command for each verdict of the policy, one a line."""
    lines = []
    for point, number, _, verdict in _verdicts(verdicts):
        judged = _said(verdicts, point, number)
        said = f"policy `{verdicts.policy_name}` at {point.arrivals}: {judged}"
        title = f"SLO {verdict.ruling.value}"
        lines.append(f"::{_GITHUB[verdict.ruling]} title={title}::{escaped(said)}\n")
    return "".join(lines)


def as_cases(verdicts: Verdicts) -> tuple[Case, ...]:
    """A test case for each verdict of the policy."""
    return tuple(
        Case(
            group=verdicts.policy_name,
            name=f"{slo} at {point.arrivals}",
            fault=_FAULTS[verdict.ruling],
            kind=verdict.ruling.value,
            message=_said(verdicts, point, number),
        )
        for point, number, slo, verdict in _verdicts(verdicts)
    )


def _verdicts(verdicts: Verdicts) -> Iterator[tuple[Point, int, Slo, Verdict]]:
    for number, slo in enumerate(verdicts.slos):
        for point in verdicts.points:
            yield point, number, slo, point.policy.verdicts[number]


def _said(verdicts: Verdicts, point: Point, number: int) -> str:
    slo = verdicts.slos[number]
    verdict = point.policy.verdicts[number]
    digits = decimals(verdicts)
    estimate, interval = ms(verdict.estimate_us, digits), limits(verdict, digits)
    parts = [f"{slo}, estimate {estimate} ms, 95 % interval {interval} ms"]
    parts += [
        f"{subject(run)} {ms(run.verdicts[number].estimate_us, digits)} ms"
        for run in point.baselines[:1]
    ]
    parts += [f"energy {share} of {point.reference}"] if (share := energy_share(point)) else []
    return "; ".join([", ".join(parts), *sentences(verdicts, point, number)])
