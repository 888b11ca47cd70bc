"""Findings and notes as workflow commands of GitHub Actions, one per line."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.errors import Finding
from tailc.report.issues import LEVELS, limited_annotations, more_text
from tailc.report.notes import Note
from tailc.units import printable


def as_github(findings: Sequence[Finding], notes: Sequence[Note] = ()) -> str:
    """Format findings with their places, then notes, as workflow commands of GitHub.

    If there are too many, the least severe are only counted.
    """
    shown, more = limited_annotations(
        [
            *((LEVELS[finding.severity], _github_line(finding)) for finding in findings),
            *((note.level, _note_line(note)) for note in notes),
        ]
    )
    shown += [f"::notice title=more::{more_text(more)}"] if more else []
    return "".join(f"{line}\n" for line in shown)


def _note_line(note: Note) -> str:
    return f"::{note.level.value} title={_escaped_property(note.title)}::{_escape(note.message)}"


def _github_line(finding: Finding) -> str:
    place = finding.place
    properties: dict[str, str] = {}
    if place is not None:
        properties["file"] = place.source
        properties |= {"line": str(place.line)} if place.line else {}
        properties |= {"col": str(place.column)} if place.column else {}
    properties["title"] = finding.code.ident
    listing = ",".join(f"{key}={_escaped_property(text)}" for key, text in properties.items())
    message = (
        finding.message if place is None or place.row is None else f"{place}: {finding.message}"
    )
    message += f"\nhelp: {finding.help}" if finding.help else ""
    return f"::{LEVELS[finding.severity].value} {listing}::{_escape(message)}"


def _escape(text: str) -> str:
    """Escape a text as the message of a workflow command: one line of printable characters."""
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _escaped_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
