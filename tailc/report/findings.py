"""Findings as text for a terminal, as JSON data and as Markdown."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from typing import Any

from tailc.errors import Finding, Place, Severity
from tailc.report.table import escaped_markdown
from tailc.units import printable

_EXCERPT_WIDTH = 100
# Number of characters to the left of the caret if a long line is cut.
_CONTEXT = 40
_COLOURS = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.NOTE: "\x1b[1;36m",
}
_BOLD, _BLUE, _RESET = "\x1b[1m", "\x1b[1;34m", "\x1b[0m"


def as_text(findings: Sequence[Finding], colour: bool = False) -> str:
    """Format findings for a terminal: message, place, source line with a caret, and help.

    Findings in a row with the same place and help are a line each, before place and help. Text from
    files is escaped, so that the terminal obeys no control characters.
    """
    groups = itertools.groupby(findings, key=_place_and_help)
    return "\n".join("\n".join(_text_lines(list(group), colour)) + "\n" for _, group in groups)


def as_lines(findings: Sequence[Finding]) -> str:
    """Format each finding as one line that begins with its place, as compilers do."""
    return "".join(f"{_one_line(finding)}\n" for finding in findings)


def _one_line(finding: Finding) -> str:
    place = f"{finding.place}: " if finding.place else ""
    line = f"{place}{finding.severity.value}[{finding.code.ident}]: {finding.message}"
    return printable(f"{line}; help: {finding.help}" if finding.help else line)


def _place_and_help(finding: Finding) -> tuple[object, ...]:
    """What findings of a group share; those without both are alone."""
    is_alone = finding.place is None or finding.help is None
    return (finding.place, finding.help, *((id(finding),) if is_alone else ()))


def as_dicts(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Convert findings to JSON data with every key present."""
    return [_as_dict(finding) for finding in findings]


def as_markdown(findings: Sequence[Finding]) -> str:
    """Format findings as a Markdown list for a comment."""
    return "".join(_markdown_item(finding) for finding in findings)


def _text_lines(group: Sequence[Finding], colour: bool) -> list[str]:
    first = group[0]
    place = first.place
    gutter = " " * len(str(place.line)) if place and place.line and place.excerpt else " "
    lines = [_headline(finding, colour) for finding in group]
    if place is not None:
        lines.append(f"{gutter}{_paint('-->', _BLUE, colour)} {printable(str(place))}")
        lines += _excerpt_lines(place, gutter, _COLOURS[first.severity], colour)
    if first.help is not None:
        lines.append(f"{gutter} {_paint('=', _BLUE, colour)} help: {printable(first.help)}")
    return lines


def _headline(finding: Finding, colour: bool) -> str:
    head = f"{finding.severity.value}[{finding.code.ident}]"
    message = _paint(": " + printable(finding.message), _BOLD, colour)
    return f"{_paint(head, _COLOURS[finding.severity], colour)}{message}"


def _excerpt_lines(place: Place, gutter: str, tone: str, colour: bool) -> list[str]:
    if not place.excerpt or place.line is None:
        return []
    excerpt, column = _cut_line(place.excerpt, place.column or 1)
    bar = _paint("|", _BLUE, colour)
    lines = [f"{gutter} {bar}", f"{_paint(str(place.line), _BLUE, colour)} {bar} {excerpt}"]
    if place.column is not None:
        marked = excerpt[column - 1 : column - 1 + place.width]
        caret = _paint("^" * max(1, _cells(marked)), tone, colour)
        lines.append(f"{gutter} {bar} {_indent(excerpt[: column - 1])}{caret}")
    return lines


def _cut_line(excerpt: str, column: int) -> tuple[str, int]:
    """Cut a long line around `column`; return the printable part and the column in it."""
    start = 0 if len(excerpt) <= _EXCERPT_WIDTH else max(0, column - 1 - _CONTEXT)
    part = excerpt[start : start + _EXCERPT_WIDTH]
    shown = "".join(char if char.isprintable() or char == "\t" else "?" for char in part)
    return shown, column - start


def _indent(before: str) -> str:
    """Blanks as wide as the text before a caret; tabs stay tabs, so that columns align."""
    return "".join("\t" if char == "\t" else " " * _cells(char) for char in before)


def _cells(text: str) -> int:
    """Width of a text in terminal columns."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    joined = sum(unicodedata.combining(char) != 0 for char in text)
    return len(text) + wide - joined


def _paint(text: str, tone: str, colour: bool) -> str:
    return f"{tone}{text}{_RESET}" if colour else text


def _as_dict(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "code": finding.code.ident,
        "severity": finding.severity.value,
        "message": finding.message,
        "help": finding.help,
        "source": place.source if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "width": place.width if place and place.column else None,
        "row": place.row if place else None,
        "field": place.field if place else None,
    }


def _markdown_item(finding: Finding) -> str:
    place = "" if finding.place is None else f" ({escaped_markdown(str(finding.place))})"
    hint = "" if finding.help is None else f"<br>help: {escaped_markdown(finding.help)}"
    head = f"**{finding.severity.value} {finding.code.ident}**"
    return f"- {head}: {escaped_markdown(finding.message)}{place}{hint}\n"
