"""What differs between two policies as a person, a program or a CI service wants to read it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tailc.diff.compare import Diff, Side
from tailc.diff.rows import ClimbChange, RowChange
from tailc.diff.structure import Change, FormChange, Structure
from tailc.forms.ladder.table import Admission, LoadAxis
from tailc.report.findings import escaped
from tailc.report.fitting import Section, fitted
from tailc.report.policy import admission_text
from tailc.report.table import aligned
from tailc.units import format_mrps, format_us, printable, shorten

FORMAT = "tailc-diff"
VERSION = 1

MOST_LINES = 40
_DIGITS_OF_DIGEST = 12
_LONGEST_VALUE = 60


def as_text(diff: Diff) -> str:
    """The differences in at most 40 lines."""
    sections = fitted(_sections(diff), MOST_LINES - 1)
    text = "\n\n".join("\n".join(section.lines) for section in sections)
    cut = any(section.left_out for section in sections)
    return text + ("\n(--output-format json has all)\n" if cut else "\n")


def as_dict(diff: Diff) -> dict[str, Any]:
    """The differences for a program; schemas/report/diff-1.schema.json describes them."""
    found = diff.structure
    return {
        "format": FORMAT,
        "version": VERSION,
        "old": _side_dict(diff.old),
        "new": _side_dict(diff.new),
        "differs": found.differs,
        "promise": [_change_dict(change) for change in found.promise],
        "forms": {
            "added": list(found.added),
            "removed": list(found.removed),
            "changed": [_form_dict(form) for form in found.forms],
        },
        "apart": [_change_dict(change) for change in found.apart],
    }


def as_github(diff: Diff) -> str:
    """One notice of GitHub Actions that says how much differs."""
    said = f"`{diff.old.name}` {_generations(diff)}: {_summary(diff.structure)}"
    return f"::notice title=policy diff::{escaped(said)}\n"


def _sections(diff: Diff) -> list[Section]:
    found = diff.structure
    heading = Section((f"old  {_side_text(diff.old)}", f"new  {_side_text(diff.new)}"))
    if not found.differs:
        return [heading, Section(("both promise and do the same", *_apart_lines(found)))]
    promised = tuple(f"  {_change_text(change)}" for change in found.promise)
    return [
        heading,
        Section(("promise",) if promised else (), promised),
        Section((), tuple(_whole_forms(found))),
        *(section for form in found.forms for section in _form_sections(form)),
        Section(_apart_lines(found)),
    ]


def _side_text(side: Side) -> str:
    return (
        f"`{printable(side.name)}` ({printable(side.kind)}), generation {side.generation}, "
        f"digest {side.digest[:_DIGITS_OF_DIGEST]}"
    )


def _whole_forms(found: Structure) -> list[str]:
    gone = [f"{_ladder_name(name)}: only in old" for name in found.removed]
    return gone + [f"{_ladder_name(name)}: only in new" for name in found.added]


def _ladder_name(request_class: str | None) -> str:
    return "ladder" if request_class is None else f"ladder for class {printable(request_class)}"


def _form_sections(form: FormChange) -> list[Section]:
    name = _ladder_name(form.request_class)
    sections = []
    if form.settings:
        settings = tuple(f"  {_change_text(change)}" for change in form.settings)
        sections.append(Section((name,), settings))
    if form.rows:
        title, *rows = _row_lines(form)
        sections.append(Section((f"rows of the {name}", title), tuple(rows)))
    return sections


def _row_lines(form: FormChange) -> list[str]:
    head = "in system" if form.load_axis is LoadAxis.IN_SYSTEM else "rate"
    rows = [(head, "start", "climbs, by age")]
    rows += [(_loads(row, form.load_axis), _start(row), _climbs(row)) for row in form.rows]
    if not any(start for _, start, _ in rows[1:]):
        rows = [(loads, climbs) for loads, _, climbs in rows]
    return [f"  {line}" for line in aligned(rows).splitlines()]


def _loads(row: RowChange, axis: LoadAxis) -> str:
    if axis is LoadAxis.RATE:
        last = "up" if row.last_load is None else f"to {format_mrps(row.last_load)}"
        return f"{format_mrps(row.first_load)} {last}"
    if row.last_load is None:
        return f"{row.first_load} and more"
    first, last = row.first_load, row.last_load
    return str(first) if first == last else f"{first} to {last}"


def _start(row: RowChange) -> str:
    parts = []
    if row.admission is not None:
        parts.append(" -> ".join(map(admission_text, row.admission)))
    if row.first_rung is not None:
        parts.append(f"on {' -> '.join(map(printable, row.first_rung))}")
    return ", ".join(parts)


def _climbs(row: RowChange) -> str:
    return ", ".join(_climb_text(climb) for climb in row.climbs)


def _climb_text(climb: ClimbChange) -> str:
    old, new = (
        "never" if age_us is None else format_us(age_us) for age_us in (climb.old_us, climb.new_us)
    )
    return f"{printable(climb.rung)} {old} -> {new}"


def _change_text(change: Change) -> str:
    old, new = (
        "none" if side is None else shorten(side, _LONGEST_VALUE)
        for side in (change.old, change.new)
    )
    return f"{printable(change.what)}: {old} -> {new}"


def _apart_lines(found: Structure) -> tuple[str, ...]:
    """What changes nothing a runtime does, counted by where it stands."""
    values = Counter(change.what.split(".")[0].split("[")[0] for change in found.apart)
    parts = []
    for change in found.apart:
        if change.what == "generation":
            parts.append(_change_text(change))
    parts += [f"{what} ({count})" for what, count in values.items() if what != "generation"]
    return (f"apart from what a runtime does: {', '.join(parts)}",) if parts else ()


def _generations(diff: Diff) -> str:
    return f"generation {diff.old.generation} -> {diff.new.generation}"


def _summary(found: Structure) -> str:
    if not found.differs:
        return "both promise and do the same"
    settings = sum(len(form.settings) for form in found.forms)
    ranges = sum(len(form.rows) for form in found.forms)
    counts = {
        "of the promise": len(found.promise),
        "of forms": len(found.added) + len(found.removed),
        "of settings": settings,
        "of rows": ranges,
    }
    return "changes " + ", ".join(f"{what}: {count}" for what, count in counts.items() if count)


def _side_dict(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "kind": side.kind,
        "generation": side.generation,
        "digest": side.digest,
    }


def _change_dict(change: Change) -> dict[str, Any]:
    return {"what": change.what, "old": change.old, "new": change.new}


def _form_dict(form: FormChange) -> dict[str, Any]:
    return {
        "request_class": form.request_class,
        "load_axis": form.load_axis.value,
        "settings": [_change_dict(change) for change in form.settings],
        "rows": [_row_dict(row) for row in form.rows],
    }


def _row_dict(row: RowChange) -> dict[str, Any]:
    starts, rungs = row.admission, row.first_rung
    return {
        "first_load": row.first_load,
        "last_load": row.last_load,
        "admission": starts
        and {"old": _admission_dict(starts[0]), "new": _admission_dict(starts[1])},
        "first_rung": rungs and {"old": rungs[0], "new": rungs[1]},
        "climbs": [
            {"rung": climb.rung, "old_us": climb.old_us, "new_us": climb.new_us}
            for climb in row.climbs
        ],
    }


def _admission_dict(admission: Admission) -> dict[str, Any]:
    return {"kind": admission.kind.value, "delay_us": admission.delay_us}
