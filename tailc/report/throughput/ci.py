"""Throughput verdicts for CI services: annotations of GitHub Actions, cases of JUnit reports."""

from __future__ import annotations

from tailc.report.findings import escaped
from tailc.report.junit import Case, Fault
from tailc.report.throughput.words import said
from tailc.verify.throughput.verdict import ThroughputVerdicts
from tailc.verify.verdict import Ruling

_GITHUB = {Ruling.PASS: "notice", Ruling.UNDECIDED: "warning", Ruling.FAIL: "error"}
# As for latency: what nobody knows must not look like a pass.
_FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: Fault.ERROR, Ruling.FAIL: Fault.FAILURE}


def as_github(verdicts: ThroughputVerdicts) -> str:
    """One workflow command for each machine, one a line."""
    lines = []
    for machine in verdicts.machines:
        told = f"policy `{verdicts.policy_name}`, `{machine.name}`: {said(verdicts, machine)}"
        title = f"throughput {machine.ruling.value}"
        lines.append(f"::{_GITHUB[machine.ruling]} title={title}::{escaped(told)}\n")
    return "".join(lines)


def as_cases(verdicts: ThroughputVerdicts) -> tuple[Case, ...]:
    """A test case for each machine."""
    return tuple(
        Case(
            group=verdicts.policy_name,
            name=f"throughput of {machine.name}",
            fault=_FAULTS[machine.ruling],
            kind=machine.ruling.value,
            message=said(verdicts, machine),
        )
        for machine in verdicts.machines
    )
