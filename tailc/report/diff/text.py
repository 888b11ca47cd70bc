"""The differences between two policies as text of about 40 lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tailc.diff.compare import Diff
from tailc.diff.plans import PlanChange
from tailc.diff.structure import FormChange
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
    Rows,
    change_table,
    row_table,
    share_table,
)
from tailc.report.diff.words import (
    change_text,
    example_text,
    inert_change_lines,
    ladder_name,
    replay_line,
    side_text,
    tail_table_lines,
    whole_forms,
)
from tailc.report.fitting import TextSection, fit_sections
from tailc.report.table import align_columns
from tailc.units import printable

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour

MOST_LINES = 40
# Minimum number of lines of a list while another one can be cut; result tables are cut last.
_LEAST_ROWS = 3
_LEAST_EXAMPLES = 2
_ALL_ROWS = 100
_CHANGES = "change of latency [ms] and mean threads"
_MAIN_QUANTITIES = ("p50", "p99", "threads")


def as_text(diff: Diff) -> str:
    """Format the differences in at most 40 lines, or more if percentiles of SLOs need them."""
    sections = fit_sections(_sections(diff), MOST_LINES - 1)
    if diff.behaviour is not None and sections[-1].left_out:
        sections = _with_short_changes(diff, diff.behaviour)
    text = "\n\n".join("\n".join(section.lines) for section in sections)
    cut = any(section.left_out for section in sections)
    return text + ("\n(--output-format json has all)\n" if cut else "\n")


def _sections(diff: Diff) -> list[TextSection]:
    structure = diff.structure
    heading = _section([f"old  {side_text(diff.old)}", f"new  {side_text(diff.new)}"])
    if not structure.differs:
        return [
            heading,
            _section(
                [
                    "both have the same SLO and make the same decisions",
                    *inert_change_lines(structure),
                ]
            ),
        ]
    return [
        heading,
        _section(["promise"] if structure.promise else [], map(change_text, structure.promise)),
        TextSection(body=tuple(map(printable, whole_forms(structure)))),
        *(
            replace(section, may_fold=True)
            for form in structure.forms
            for section in _form_sections(form)
        ),
        _section(
            ["tail table"] if structure.tail_table else [], tail_table_lines(structure.tail_table)
        ),
        _section(["shares"] if structure.shares else [], map(change_text, structure.shares)),
        *(_plan_sections(structure.plan) if structure.plan else []),
        _section(
            ["budgets"] if structure.budget_table else [],
            map(change_text, structure.budget_table),
        ),
        _section(
            ["controller"] if structure.controller else [], map(change_text, structure.controller)
        ),
        _section(inert_change_lines(structure)),
        *([] if diff.behaviour is None else _behaviour_sections(diff.behaviour)),
    ]


def _plan_sections(change: PlanChange) -> Iterator[TextSection]:
    if change.settings:
        yield _section(["plan"], map(change_text, change.settings))
    if change.jobs:
        yield _section([summary_text(change)], map(job_text, change.jobs))
    if change.epochs:
        yield _section(["epochs that bring something else"], map(epoch_text, change.epochs))
    if change.costs:
        yield _table_section(cost_title(change), cost_table(change), COST_NUMBERS, _ALL_ROWS)


def _form_sections(form: FormChange) -> Iterator[TextSection]:
    name = ladder_name(form.request_class)
    if form.settings:
        yield _section([name], map(change_text, form.settings))
    if form.rows:
        yield _table_section(f"rows of the {name}", row_table(form))


def _behaviour_sections(behaviour: Behaviour) -> Iterator[TextSection]:
    decisions = behaviour.decisions
    yield _section([replay_line(behaviour)])
    if decisions.unknown:
        yield _section([f"the changed requests are unknown: {decisions.unknown}"])
    else:
        title = "requests that run otherwise, by what differs first"
        yield _table_section(title, share_table(decisions), least=_ALL_ROWS)
    if decisions.examples:
        title = "examples, each the median demand of its kind"
        yield _section([title], map(example_text, decisions.examples), least=_LEAST_EXAMPLES)
    yield _table_section(_CHANGES, change_table(behaviour), CHANGE_NUMBERS, _ALL_ROWS)


def _with_short_changes(diff: Diff, behaviour: Behaviour) -> tuple[TextSection, ...]:
    """The sections with a short table of changes: the percentiles of SLOs, and others if they
    fit."""
    others = _sections(diff)[:-1]
    for only in (_MAIN_QUANTITIES, ()):
        sections = fit_sections([*others, _short_changes(behaviour, only)], MOST_LINES - 1)
        if _count_lines(sections) < MOST_LINES:
            break
    return sections


def _count_lines(sections: Sequence[TextSection]) -> int:
    return sum(len(section.lines) + 1 for section in sections) - 1


def _short_changes(behaviour: Behaviour, only: Collection[str]) -> TextSection:
    """Table of the changes of the percentiles of SLOs and of `only`, which cannot be cut."""
    printed_rows = change_table(behaviour, only)
    section = _table_section(_CHANGES, printed_rows, CHANGE_NUMBERS, _ALL_ROWS)
    left_out = len(change_table(behaviour)) - len(printed_rows)
    return TextSection((*section.head, *section.body), left_out=left_out)


def _table_section(
    title: str, rows: Rows, numbers: Collection[int] = (), least: int = _LEAST_ROWS
) -> TextSection:
    printed_rows = [tuple(map(printable, row)) for row in rows]
    head, *body = align_columns(printed_rows, numbers).splitlines()
    return _section([title, f"  {head}"], body, least)


def _section(
    head: Iterable[str], body: Iterable[str] = (), least: int = _LEAST_ROWS
) -> TextSection:
    """Build a section; lines are escaped, so that the terminal obeys no control characters."""
    lines = tuple(f"  {printable(line)}" for line in body)
    return TextSection(tuple(map(printable, head)), lines, least=least)
