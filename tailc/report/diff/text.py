"""The differences between two policies for a person, in at most 40 lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
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
    apart_lines,
    change_text,
    example_text,
    ladder_name,
    replayed,
    side_text,
    tail_table_lines,
    whole_forms,
)
from tailc.report.fitting import TextSection, fit_sections
from tailc.report.table import aligned
from tailc.units import printable

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour

MOST_LINES = 40
# So many lines of a list stay while another can be cut; tables of results are cut last.
_KEPT_ROWS = 3
_KEPT_EXAMPLES = 2
_KEPT = 100
_CHANGES = "change of latency [ms] and mean threads"
_KEPT_QUANTITIES = ("p50", "p99", "threads")


def as_text(diff: Diff) -> str:
    """The differences in at most 40 lines."""
    sections = fit_sections(_sections(diff), MOST_LINES - 1)
    if diff.behaviour is not None and sections[-1].left_out:
        short = _short_changes(diff.behaviour)
        sections = fit_sections([*_sections(diff)[:-1], short], MOST_LINES - 1)
    text = "\n\n".join("\n".join(section.lines) for section in sections)
    cut = any(section.left_out for section in sections)
    return text + ("\n(--output-format json has all)\n" if cut else "\n")


def _sections(diff: Diff) -> list[TextSection]:
    found = diff.structure
    heading = _section([f"old  {side_text(diff.old)}", f"new  {side_text(diff.new)}"])
    if not found.differs:
        return [
            heading,
            _section(["both have the same SLO and make the same decisions", *apart_lines(found)]),
        ]
    return [
        heading,
        _section(["promise"] if found.promise else [], map(change_text, found.promise)),
        TextSection(body=tuple(map(printable, whole_forms(found)))),
        *(
            replace(section, may_fold=True)
            for form in found.forms
            for section in _form_sections(form)
        ),
        _section(["tail table"] if found.tail_table else [], tail_table_lines(found.tail_table)),
        _section(["shares"] if found.shares else [], map(change_text, found.shares)),
        *(_plan_sections(found.plan) if found.plan else []),
        _section(["controller"] if found.controller else [], map(change_text, found.controller)),
        _section(apart_lines(found)),
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
        yield _table_section(cost_title(change), cost_table(change), COST_NUMBERS, _KEPT)


def _form_sections(form: FormChange) -> Iterator[TextSection]:
    name = ladder_name(form.request_class)
    if form.settings:
        yield _section([name], map(change_text, form.settings))
    if form.rows:
        yield _table_section(f"rows of the {name}", row_table(form))


def _behaviour_sections(became: Behaviour) -> Iterator[TextSection]:
    told = became.decisions
    yield _section([replayed(became)])
    if told.unknown:
        yield _section([f"the changed requests are unknown: {told.unknown}"])
    else:
        title = "requests that run otherwise, by what differs first"
        yield _table_section(title, share_table(told), least=_KEPT)
    if told.examples:
        title = "examples, each the median demand of its kind"
        yield _section([title], map(example_text, told.examples), least=_KEPT_EXAMPLES)
    yield _table_section(_CHANGES, change_table(became), CHANGE_NUMBERS, _KEPT)


def _short_changes(became: Behaviour) -> TextSection:
    """The changes of those quantities that each arrival process is known by."""
    shown = change_table(became, _KEPT_QUANTITIES)
    section = _table_section(_CHANGES, shown, CHANGE_NUMBERS, _KEPT)
    return replace(section, left_out=len(change_table(became)) - len(shown))


def _table_section(
    title: str, rows: Rows, numbers: Collection[int] = (), least: int = _KEPT_ROWS
) -> TextSection:
    shown = [tuple(map(printable, row)) for row in rows]
    head, *body = aligned(shown, numbers).splitlines()
    return _section([title, f"  {head}"], body, least)


def _section(head: Iterable[str], body: Iterable[str] = (), least: int = _KEPT_ROWS) -> TextSection:
    """Lines that quote names out of files: what a terminal could obey is written out."""
    lines = tuple(f"  {printable(line)}" for line in body)
    return TextSection(tuple(map(printable, head)), lines, least=least)
