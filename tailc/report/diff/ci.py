"""Reports of a diff for CI services and for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tailc.diff.compare import Diff
from tailc.diff.plans import PlanChange
from tailc.report.diff.plans import (
    COST_NUMBERS,
    cost_table,
    cost_title,
    epoch_text,
    job_text,
    summary_text,
)
from tailc.report.diff.tables import (
    CHANGE_NUMBERS,
    change_table,
    row_table,
    share_table,
)
from tailc.report.diff.words import (
    change_text,
    example_text,
    generations,
    inert_change_lines,
    ladder_name,
    replay_line,
    side_text,
    summary,
    tail_table_lines,
    whole_forms,
)
from tailc.report.notes import Note, NoteLevel
from tailc.report.table import as_markdown as table_markdown
from tailc.report.table import escaped_markdown

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour


def as_notes(diff: Diff) -> tuple[Note, ...]:
    """Build notes for a CI service: the number of differences, and each worsened quantity."""
    message = f"`{diff.new.name}` {generations(diff)}: {summary(diff.structure)}"
    worse = () if diff.behaviour is None else _worse(diff.behaviour)
    return (
        Note(NoteLevel.NOTICE, "policy diff", message),
        *(Note(NoteLevel.WARNING, "worse", text) for text in worse),
    )


def as_markdown(diff: Diff) -> str:
    """Format all differences as Markdown lists and tables."""
    structure = diff.structure
    parts = [
        f"### {escaped_markdown(diff.new.name)}: {escaped_markdown(summary(structure))}",
        _list([f"old: {side_text(diff.old)}", f"new: {side_text(diff.new)}"]),
        _list([change_text(change) for change in structure.promise]),
        _list(whole_forms(structure)),
    ]
    for form in structure.forms:
        parts.append(escaped_markdown(ladder_name(form.request_class)))
        parts.append(_list([change_text(change) for change in form.settings]))
        parts += [table_markdown(row_table(form)).rstrip()] if form.rows else []
    if structure.tail_table:
        parts += ["tail table", _list(tail_table_lines(structure.tail_table))]
    if structure.shares:
        parts += ["shares", _list([change_text(change) for change in structure.shares])]
    if structure.budget_table:
        parts += ["budgets", _list([change_text(change) for change in structure.budget_table])]
    parts += _plan(structure.plan) if structure.plan else []
    if structure.controller:
        parts += ["controller", _list([change_text(change) for change in structure.controller])]
    parts.append(escaped_markdown("; ".join(inert_change_lines(structure))))
    parts += [] if diff.behaviour is None else _behaviour(diff.behaviour)
    return "\n\n".join(part for part in parts if part) + "\n"


def _plan(change: PlanChange) -> Iterator[str]:
    yield _list([change_text(setting) for setting in change.settings])
    if change.jobs:
        yield escaped_markdown(summary_text(change))
        yield _list([job_text(job) for job in change.jobs])
    yield _list([epoch_text(epoch) for epoch in change.epochs])
    if change.costs:
        yield escaped_markdown(cost_title(change))
        yield table_markdown(cost_table(change), COST_NUMBERS).rstrip()


def _behaviour(behaviour: Behaviour) -> Iterator[str]:
    decisions = behaviour.decisions
    yield escaped_markdown(replay_line(behaviour))
    if decisions.unknown:
        yield escaped_markdown(f"the changed requests are unknown: {decisions.unknown}")
    else:
        yield table_markdown(share_table(decisions)).rstrip()
        yield _list([example_text(example) for example in decisions.examples])
    yield table_markdown(change_table(behaviour), CHANGE_NUMBERS).rstrip()


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {escaped_markdown(line)}" for line in lines)


def _worse(behaviour: Behaviour) -> Iterator[str]:
    """Yield a line per quantity that is significantly worse."""
    arrivals = ""
    for row in change_table(behaviour)[1:]:
        arrivals = row[0] or arrivals
        if row[-1] == "worse":
            _, name, old, new, difference, limits, _ = row
            yield f"{name} at {arrivals}: {old} -> {new}, {difference} ({limits})"
