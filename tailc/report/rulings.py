"""Rulings as notes and as test cases have them."""

from __future__ import annotations

from tailc.experiment.ruling import Ruling
from tailc.report.junit import Fault
from tailc.report.notes import Level

LEVELS = {
    Ruling.PASS: Level.NOTICE,
    Ruling.UNDECIDED: Level.WARNING,
    Ruling.FAIL: Level.ERROR,
}
# JUnit has no third answer. `skipped` is green in most services, and what nobody knows must not
# look like a pass: an error is a test that came to no result.
FAULTS = {Ruling.PASS: None, Ruling.UNDECIDED: Fault.ERROR, Ruling.FAIL: Fault.FAILURE}
