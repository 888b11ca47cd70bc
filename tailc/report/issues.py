"""What was found and what is told, as one list: for formats that know nothing but issues."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tailc.errors import Finding, Place, Severity
from tailc.report.notes import Level, Note
from tailc.units import printable

LEVELS = {
    Severity.ERROR: Level.ERROR,
    Severity.WARNING: Level.WARNING,
    Severity.NOTE: Level.NOTICE,
}


@dataclass(frozen=True)
class Issue:
    """One finding or note. `rule`: what it is one of; `place`: of a note only the file."""

    level: Level
    rule: str
    about: str
    message: str
    place: Place | None

    @property
    def fingerprint(self) -> str:
        """The same from run to run, wherever in its file the line has gone."""
        place = self.place
        named = ("", "", "") if place is None else (place.source, place.field, place.excerpt)
        parts = (self.rule, self.message, *(part or "" for part in named))
        told = "\0".join(parts).encode("utf-8", "backslashreplace")
        return hashlib.sha256(told).hexdigest()


def issues(findings: Sequence[Finding], notes: Sequence[Note], subject: str) -> Iterator[Issue]:
    """The findings, then the notes; `subject` is the file that those without a place are about."""
    whole = Place(subject) if subject else None
    for finding in findings:
        code = finding.code
        yield Issue(
            LEVELS[finding.severity],
            code.ident,
            code.title,
            _with_help(finding),
            finding.place or whole,
        )
    for note in notes:
        yield Issue(note.level, note.ident, note.title, printable(note.message), whole)


def _with_help(finding: Finding) -> str:
    """The message, the row that no such format has a place for, and what to do."""
    place = finding.place
    at = f"{place}: " if place is not None and place.row is not None else ""
    return printable(f"{at}{finding.message}{f'; help: {finding.help}' if finding.help else ''}")
