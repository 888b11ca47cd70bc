"""Levels of notes and faults of test cases for each ruling of a verdict."""

from __future__ import annotations

from tailc.experiment.ruling import Ruling
from tailc.report.junit import CaseFault
from tailc.report.notes import NoteLevel

LEVELS = {
    Ruling.PASS: NoteLevel.NOTICE,
    Ruling.UNDECIDED: NoteLevel.WARNING,
    Ruling.FAIL: NoteLevel.ERROR,
}
# JUnit has no third result. `skipped` is green in most services, and an undecided verdict must not
# look like a pass; an error is a test that ended without a result.
FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: CaseFault.ERROR, Ruling.FAIL: CaseFault.FAILURE}
