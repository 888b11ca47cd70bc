"""Run checks on views of a trace, and convert occurrences of defects to findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tailc.errors import Finding, Place
from tailc.lint.defect import Check, Sighting

# Of one check in one view, such as one for each column of a wide table.
_MOST = 20


def view_findings(
    checks: Iterable[Check], views: Iterable[object], source: str
) -> Iterator[Finding]:
    """Run all checks on the views of a source, and yield their findings."""
    views = tuple(views)
    for check in checks:
        for view in views:
            if isinstance(view, check.view):
                yield from (_finding(check, one, source) for one in _first(check.find(view)))


def _first(sightings: Iterable[Sighting]) -> Iterator[Sighting]:
    """The first sightings; the last of them says how many follow."""
    every = list(sightings)
    left = len(every) - _MOST
    yield from every[: _MOST - 1]
    for one in every[_MOST - 1 : _MOST]:
        more = f"; {left:,} more are the same" if left > 0 else ""
        yield replace(one, message=one.message + more)


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
    """Text with the number of occurrences, and the first places."""
    at, noun = (sighting.rows, "row") if sighting.rows else (sighting.lines, "line")
    if sighting.count == 1 or not at:
        return ""
    dots = ", ..." if sighting.count > len(at) else ""
    return f" ({sighting.count:,} {noun}s: {', '.join(map(str, at))}{dots})"
