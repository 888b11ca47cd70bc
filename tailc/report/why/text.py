"""The explanation of a table cell as text."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tailc.forms.ladder.table import AdmissionKind, Climb, Ladder, Row, Rule
from tailc.report.ages import age_origin
from tailc.report.overload import overload_text
from tailc.report.sharing import sharing_text, start_text
from tailc.report.steering import climbs_text
from tailc.report.table import align_columns
from tailc.studies.why.paired_effect import MeasuredEffect, OverloadEffect
from tailc.studies.why.perturbations import RowEdit, step_us
from tailc.studies.why.units import held_unit, used_unit
from tailc.units import format_percentile, format_us, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tailc.studies.why.cell_explanation import CellExplanation
    from tailc.studies.why.decision import Decision
    from tailc.studies.why.paired_effect import Effect
    from tailc.studies.why.perturbations import EditedTable

_PERCENT = 10_000
_WHOLE = 1_000_000


def as_text(decision: Decision, answer: CellExplanation | None) -> str:
    """Format the decision of the cell, then the replayed effects of changes."""
    lines = align_columns(_decision(decision))
    if answer is None:
        return lines
    parts = [
        lines,
        _presence(decision, answer),
        _effects(decision, answer),
        _binding(decision, answer),
    ]
    return "\n\n".join(parts)


def _decision(decision: Decision) -> list[tuple[str, str]]:
    table = decision.table
    return [
        ("row", _row(decision)),
        ("admission", start_text(table) or _admission(decision.row)),
        ("climbs", climbs_text(decision.row.climbs, table)),
        ("runs on", _running(decision)),
        ("next", _next(decision)),
        ("ages", _ages(table)),
        *(_split_rule(text) for text in (sharing_text(table), overload_text(table)) if text),
    ]


def _split_rule(text: str) -> tuple[str, str]:
    """Split the text of a rule into its name and its content."""
    name, _, row_text = text.partition(": ")
    return name, row_text


def _row(decision: Decision) -> str:
    guard = decision.table.guard
    row_text = f"of {_loads(decision.row)} in the system"
    if not decision.is_outside:
        return row_text
    beyond = (
        "also applies beyond"
        if decision.row in decision.table.rows
        else "requests stay on the first rung beyond"
    )
    return f"{row_text}; compiled for {guard.min_load} to {guard.max_load}, {beyond}"


def _loads(row: Row) -> str:
    if row.last_load is None:
        return f"{row.first_load} and more"
    if row.first_load == row.last_load:
        return str(row.first_load)
    return f"{row.first_load} to {row.last_load}"


def _admission(row: Row) -> str:
    return {
        AdmissionKind.AT_ONCE: "at once",
        AdmissionKind.DELAY: f"after {format_us(row.admission.delay_us)}",
        AdmissionKind.ON_EXIT: "when a request exits",
    }[row.admission.kind]


def _running(decision: Decision) -> str:
    name = printable(decision.table.rungs[decision.rung].name)
    core = "" if decision.table.power is None else ", if it has a core"
    if decision.gave_up:
        return f"{name} at {format_us(decision.age_us)}, as it has given up{core}"
    if decision.rung != decision.climb.rung:
        return (
            f"{name} at {format_us(decision.age_us)}, until {_tick(decision, decision.climb)}{core}"
        )
    since = (
        "from the start"
        if decision.climb.age_us == 0
        else f"from {_tick(decision, decision.climb)}"
    )
    return f"{name} at {format_us(decision.age_us)}, {since}{core}"


def _next(decision: Decision) -> str:
    if decision.gave_up:
        return "none: it stays there"
    upcoming = decision.upcoming if decision.rung == decision.climb.rung else decision.climb
    if upcoming is None:
        return "none: this is the row's last"
    name = printable(decision.table.rungs[upcoming.rung].name)
    return f"{name} from {format_us(upcoming.age_us)}: {_tick(decision, upcoming)}"


def _tick(decision: Decision, climb: Climb) -> str:
    low_us, high_us = decision.happens_us(climb)
    if low_us == high_us:
        return f"the tick at {format_us(low_us)}"
    return f"the first tick between {format_us(low_us)} and {format_us(high_us)}"


def _ages(table: Ladder) -> str:
    rules = table.rules
    since = age_origin(table)
    row = "the tick" if Rule.REREAD_ROW in rules else "its start"
    ticks = f"a tick every {format_us(table.quantum_us)} of execution"
    descends = ", and no request descends" if Rule.NEVER_DESCEND in rules else ""
    return f"from the {since}; {ticks}; the row is that of {row}{descends}"


def _presence(decision: Decision, answer: CellExplanation) -> str:
    # Importing the replay takes half a second, which a decision without replays does not need.
    from tailc.models.arrivals import Poisson

    base, there = answer.as_it_is, answer.presence
    arrivals = answer.query.arrivals
    preposition = "at" if isinstance(arrivals, Poisson) else "under"
    sample = "the design sample" if answer.query.is_design else "held-out data"
    used, held_name = printable(used_unit(decision.table)), printable(held_unit(decision.table))
    head = (
        f"{format_percentile(answer.query.percentile_ppm)} {preposition} {arrivals.name}: "
        f"{format_us(base.tail_us)}, {_usage_text(base)} {used}, in {answer.replays} replays of "
        f"{answer.query.requests:,} requests of {sample}"
    )
    rows = [
        ("where", "requests", f"{held_name} x time"),
        ("while the row applies", *map(_share, (there.requests_ppm, there.held_time_ppm))),
        (
            f"there at {format_us(decision.age_us)}; then and later",
            *map(_share, (there.turning_ppm, there.older_held_time_ppm)),
        ),
    ]
    return f"{head}\n{align_columns(rows, numbers=(1, 2))}"


def _effects(decision: Decision, answer: CellExplanation) -> str:
    """Format tables of effects in the same columns: changes of the row, the formula, the inputs."""
    tail = format_percentile(answer.query.percentile_ppm)
    used = printable(used_unit(decision.table))
    head = ("otherwise", tail, "change", "95 % interval", used, "95 % interval")
    groups = [
        [_effect(_edit(decision, one), answer, other) for one, other in answer.edits],
        _formula(answer),
        [_effect(one, answer, other) for one, other in answer.inputs],
    ]
    lines = align_columns([head, *itertools.chain(*groups)], numbers=(1, 2, 4)).splitlines()
    rest, parts = iter(lines[1:]), [lines[0]]
    for group in filter(None, groups):
        parts += [*itertools.islice(rest, len(group)), ""]
    return "\n".join(parts[:-1])


def _formula(answer: CellExplanation) -> list[tuple[str, ...]]:
    theirs = answer.formula
    if theirs is None:
        return []
    rows = [] if theirs.row is None else [_effect("the formula's row alone", answer, theirs.row)]
    return [*rows, _effect("the formula's whole table", answer, theirs.table)]


def _effect(name: str, answer: CellExplanation, other: Effect) -> tuple[str, ...]:
    match other:
        case OverloadEffect():
            return (name, "overloaded", "", "", "", "")
        case MeasuredEffect():
            return (name, *_measured_cells(answer.as_it_is, other))


def _measured_cells(base: MeasuredEffect, other: MeasuredEffect) -> tuple[str, ...]:
    tail, base_us = other.tail, max(base.tail_us, 1)
    return (
        format_us(other.tail_us),
        f"{100 * tail.mean / base_us:+.2f} %",
        f"{100 * tail.low / base_us:+.2f} .. {100 * tail.high / base_us:+.2f} %",
        _usage_text(other),
        f"{other.used.low / _WHOLE:+.3f} .. {other.used.high / _WHOLE:+.3f}",
    )


def _edit(decision: Decision, one: EditedTable) -> str:
    if one.climb is None:
        return "no waiting in the row"
    names = [printable(rung.name) for rung in decision.table.rungs]
    rung, step = one.climb.rung, format_us(step_us(decision.table))
    return {
        RowEdit.EARLIER: f"{names[rung]} {step} earlier",
        RowEdit.LATER: f"{names[rung]} {step} later",
        RowEdit.LOWER: f"{names[max(rung - 1, 0)]} instead of {names[rung]}",
        RowEdit.HIGHER: f"{names[min(rung + 1, len(names) - 1)]} instead of {names[rung]}",
        RowEdit.NO_WAIT: "no waiting in the row",
    }[one.edit]


def _binding(decision: Decision, answer: CellExplanation) -> str:
    tail = format_percentile(answer.query.percentile_ppm)
    lines = [f"binds: {_verdict(decision, answer, tail)}"]
    if answer.formula is not None:
        theirs = answer.formula.decision
        row = f"{_admission(theirs.row)}; {climbs_text(theirs.row.climbs, theirs.table)}"
        rung = printable(theirs.table.rungs[theirs.rung].name)
        lines.append(f"formula: {rung} here; its row: {row}")
    return "\n".join(lines)


def _verdict(decision: Decision, answer: CellExplanation, tail: str) -> str:
    if answer.better:
        listed = _list_edits(decision, answer.better)
        return (
            f"the row is not at its best for this rate: {tail} is less beyond chance with {listed}"
        )
    if answer.worse:
        listed = _list_edits(decision, answer.worse)
        return (
            f"the row is at its local best: no change makes {tail} less beyond chance, and it is "
            f"more with {listed}"
        )
    return f"nothing in the row: no change of it moves {tail} beyond chance"


def _list_edits(decision: Decision, edits: Iterable[EditedTable]) -> str:
    return "; ".join(_edit(decision, one) for one in edits)


def _usage_text(answer: MeasuredEffect) -> str:
    return f"{answer.used_ppm / _WHOLE:.2f}"


def _share(ppm: int) -> str:
    return f"{ppm / _PERCENT:.2f} %"
