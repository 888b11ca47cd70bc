"""A verdict for CI services, as a note and as a JUnit test case."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.experiment.ruling import Ruling
from tailc.report.junit import CaseFault, JUnitCase
from tailc.report.notes import Note, NoteLevel

_LEVELS = {
    Ruling.PASS: NoteLevel.NOTICE,
    Ruling.UNDECIDED: NoteLevel.WARNING,
    Ruling.FAIL: NoteLevel.ERROR,
}
# JUnit has no third result. `skipped` is green in most services, and an undecided verdict must not
# look like a pass; an error is a test that ended without a result.
_FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: CaseFault.ERROR, Ruling.FAIL: CaseFault.FAILURE}


@dataclass(frozen=True)
class CiVerdict:
    """A ruling on a policy (pass, fail or undecided) in the report for a CI service.

    requirement: what is judged, such as `SLO`. place: continues the name of the policy in the note,
    such as ` at 40/s`. case: name of the test case.
    """

    policy_name: str
    ruling: Ruling
    requirement: str
    place: str
    case: str
    sentence: str

    @property
    def note(self) -> Note:
        """Convert the ruling to a note for a CI service, whose level is its severity."""
        return Note(
            _LEVELS[self.ruling],
            f"{self.requirement} {self.ruling.value}",
            f"policy `{self.policy_name}`{self.place}: {self.sentence}",
        )

    @property
    def test_case(self) -> JUnitCase:
        """Make a JUnit test case from the ruling, in the group of the policy."""
        return JUnitCase(
            group=self.policy_name,
            name=self.case,
            fault=_FAULTS[self.ruling],
            kind=self.ruling.value,
            message=self.sentence,
        )
