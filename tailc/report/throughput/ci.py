"""Throughput verdicts for CI services: notes, and JUnit test cases."""

from __future__ import annotations

from tailc.report.junit import JUnitCase
from tailc.report.notes import Note
from tailc.report.rulings import FAULTS, LEVELS
from tailc.report.throughput.words import verdict_sentence
from tailc.verify.throughput.verdict import ThroughputVerdicts


def as_notes(verdicts: ThroughputVerdicts) -> tuple[Note, ...]:
    """Build a note per machine."""
    return tuple(
        Note(
            LEVELS[machine.ruling],
            f"throughput {machine.ruling.value}",
            f"policy `{verdicts.policy_name}`, `{machine.name}`: "
            f"{verdict_sentence(verdicts, machine)}",
        )
        for machine in verdicts.machines
    )


def as_cases(verdicts: ThroughputVerdicts) -> tuple[JUnitCase, ...]:
    """Build a test case per machine."""
    return tuple(
        JUnitCase(
            group=verdicts.policy_name,
            name=f"throughput of {machine.name}",
            fault=FAULTS[machine.ruling],
            kind=machine.ruling.value,
            message=verdict_sentence(verdicts, machine),
        )
        for machine in verdicts.machines
    )
