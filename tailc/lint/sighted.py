"""From what checks see to findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tailc.errors import Finding, Place
from tailc.lint.defect import Check, Sighting


def sighted(checks: Iterable[Check], views: Iterable[object], source: str) -> Iterator[Finding]:
    """What the checks find in views of the source of that name."""
    views = tuple(views)
    for check in checks:
        for view in views:
            if isinstance(view, check.view):
                yield from (_finding(check, one, source) for one in check.find(view))


def _finding(check: Check, sighting: Sighting, source: str) -> Finding:
    defect = check.defect
    place = Place(
        source,
        line=sighting.lines[0] if sighting.lines else None,
        row=sighting.rows[0] if sighting.rows else None,
        field=sighting.column,
    )
    return Finding(
        defect, sighting.message + _others(sighting), place, defect.help, defect.severity
    )


def _others(sighting: Sighting) -> str:
    """How often it is so, and where first."""
    at, noun = (sighting.rows, "row") if sighting.rows else (sighting.lines, "line")
    if sighting.count == 1 or not at:
        return ""
    dots = ", ..." if sighting.count > len(at) else ""
    return f" ({sighting.count:,} {noun}s: {', '.join(map(str, at))}{dots})"
