"""Findings and notes as one list of issues, for formats that know only issues."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tailc.errors import Finding, Place, Severity
from tailc.report.notes import Note, NoteLevel
from tailc.units import printable

# Annotations of a run.
MOST_ANNOTATIONS = 50
LEVELS = {
    Severity.ERROR: NoteLevel.ERROR,
    Severity.WARNING: NoteLevel.WARNING,
    Severity.NOTE: NoteLevel.NOTICE,
}


@dataclass(frozen=True)
class Issue:
    """A finding or note in a form that every CI service knows.

    rule: code of the finding, or type of the note. place: where the cause is; for notes, the file
    alone.
    """

    level: NoteLevel
    rule: str
    about: str
    message: str
    place: Place | None

    @property
    def fingerprint(self) -> str:
        """Hash that identifies the issue even if it moves to another line of its file."""
        place = self.place
        named = ("", "", "") if place is None else (place.source, place.field, place.excerpt)
        parts = (self.rule, self.message, *(part or "" for part in named))
        identity = "\0".join(parts).encode("utf-8", "backslashreplace")
        return hashlib.sha256(identity).hexdigest()


def issues(findings: Sequence[Finding], notes: Sequence[Note], subject: str) -> Iterator[Issue]:
    """Convert findings, then notes, to issues of a CI service.

    subject: the file of issues that have no place of their own.
    """
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
    """Join the row (these formats have no field for it), the message and the help text."""
    place = finding.place
    row_place = f"{place}: " if place is not None and place.row is not None else ""
    return printable(
        f"{row_place}{finding.message}{f'; help: {finding.help}' if finding.help else ''}"
    )


def limited_annotations(lines: Sequence[tuple[NoteLevel, str]]) -> tuple[list[str], int]:
    """Select the most severe annotations, in their order, and count those left out.

    Services show few annotations of a run, and hide the rest.
    """
    ranks = {NoteLevel.ERROR: 0, NoteLevel.WARNING: 1, NoteLevel.NOTICE: 2}
    by_rank = sorted(range(len(lines)), key=lambda index: ranks[lines[index][0]])
    shown = sorted(by_rank[:MOST_ANNOTATIONS])
    return [lines[index][1] for index in shown], len(lines) - len(shown)


def more_text(count: int) -> str:
    """Make a sentence about annotations that are not shown."""
    return f"{count:,} more findings are in the log of the command"
