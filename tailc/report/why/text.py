"""What decides in a cell of a table, and what that buys, for people."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tailc.forms.ladder.table import AdmissionKind, Climb, Ladder, Row, Rule
from tailc.report.overload import overload_text
from tailc.report.sharing import sharing_text, start_text
from tailc.report.steering import climbs_text
from tailc.report.table import aligned
from tailc.studies.why.paired_effect import MeasuredEffect, Overloaded
from tailc.studies.why.perturbations import Edit, step_us
from tailc.studies.why.units import held_unit, used_unit
from tailc.units import format_percentile, format_us, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tailc.studies.why.answer import Bought
    from tailc.studies.why.decision import Decision
    from tailc.studies.why.paired_effect import Effect
    from tailc.studies.why.perturbations import Edited

_PERCENT = 10_000
_WHOLE = 1_000_000


def as_text(at: Decision, found: Bought | None) -> str:
    """The decision, and below it what was replayed."""
    lines = aligned(_decision(at))
    if found is None:
        return lines
    parts = [lines, _presence(at, found), _effects(at, found), _binding(at, found)]
    return "\n\n".join(parts)


def _decision(at: Decision) -> list[tuple[str, str]]:
    table = at.table
    return [
        ("row", _row(at)),
        ("admission", start_text(table) or _admission(at.row)),
        ("climbs", climbs_text(at.row.climbs, table)),
        ("runs on", _running(at)),
        ("next", _next(at)),
        ("ages", _ages(table)),
        *(_named(text) for text in (sharing_text(table), overload_text(table)) if text),
    ]


def _named(text: str) -> tuple[str, str]:
    """A rule's name and what it says."""
    name, _, said = text.partition(": ")
    return name, said


def _row(at: Decision) -> str:
    guard = at.table.guard
    said = f"of {_loads(at.row)} in the system"
    if not at.is_outside:
        return said
    beyond = "holds beyond" if at.row in at.table.rows else "all stay on the first rung beyond"
    return f"{said}; compiled for {guard.min_load} to {guard.max_load}, {beyond}"


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


def _running(at: Decision) -> str:
    name = printable(at.table.rungs[at.rung].name)
    core = "" if at.table.power is None else ", if it has a core"
    if at.gave_up:
        return f"{name} at {format_us(at.age_us)}, as it has given up{core}"
    if at.rung != at.climb.rung:
        return f"{name} at {format_us(at.age_us)}, until {_tick(at, at.climb)}{core}"
    since = "from the start" if at.climb.age_us == 0 else f"from {_tick(at, at.climb)}"
    return f"{name} at {format_us(at.age_us)}, {since}{core}"


def _next(at: Decision) -> str:
    if at.gave_up:
        return "none: it stays there"
    upcoming = at.upcoming if at.rung == at.climb.rung else at.climb
    if upcoming is None:
        return "none: this is the row's last"
    name = printable(at.table.rungs[upcoming.rung].name)
    return f"{name} from {format_us(upcoming.age_us)}: {_tick(at, upcoming)}"


def _tick(at: Decision, climb: Climb) -> str:
    low_us, high_us = at.happens_us(climb)
    if low_us == high_us:
        return f"the tick at {format_us(low_us)}"
    return f"the first tick between {format_us(low_us)} and {format_us(high_us)}"


def _ages(table: Ladder) -> str:
    rules = table.rules
    since = "arrival" if Rule.AGE_FROM_ARRIVAL in rules else "the start of execution"
    row = "the tick" if Rule.REREAD_ROW in rules else "its start"
    ticks = f"a tick every {format_us(table.quantum_us)} of execution"
    descends = ", and no request descends" if Rule.NEVER_DESCEND in rules else ""
    return f"from {since}; {ticks}; the row is that of {row}{descends}"


def _presence(at: Decision, found: Bought) -> str:
    # The replay takes half a second to import, which a decision alone can do without.
    from tailc.models.arrivals import Poisson

    base, there = found.as_it_is, found.presence
    arrivals = found.asked.arrivals
    under = "at" if isinstance(arrivals, Poisson) else "under"
    used, held = printable(used_unit(at.table)), printable(held_unit(at.table))
    head = (
        f"{format_percentile(found.asked.percentile_ppm)} {under} {arrivals.name}: "
        f"{format_us(base.tail_us)}, {_used(base)} {used}, in {found.replays} replays of "
        f"{found.asked.requests:,} requests"
    )
    rows = [
        ("where", "requests", f"{held} x time"),
        ("while the row holds", *map(_share, (there.requests_ppm, there.held_time_ppm))),
        (
            f"there at {format_us(at.age_us)}; then and later",
            *map(_share, (there.turning_ppm, there.older_held_time_ppm)),
        ),
    ]
    return f"{head}\n{aligned(rows, numbers=(1, 2))}"


def _effects(at: Decision, found: Bought) -> str:
    """Tables below each other in the same columns: of the row, of the formula, of the inputs."""
    tail = format_percentile(found.asked.percentile_ppm)
    used = printable(used_unit(at.table))
    head = ("otherwise", tail, "change", "95 % interval", used, "95 % interval")
    groups = [
        [_effect(_edit(at, one), found, other) for one, other in found.edits],
        _formula(found),
        [_effect(one, found, other) for one, other in found.inputs],
    ]
    lines = aligned([head, *itertools.chain(*groups)], numbers=(1, 2, 4)).splitlines()
    rest, parts = iter(lines[1:]), [lines[0]]
    for group in filter(None, groups):
        parts += [*itertools.islice(rest, len(group)), ""]
    return "\n".join(parts[:-1])


def _formula(found: Bought) -> list[tuple[str, ...]]:
    theirs = found.formula
    if theirs is None:
        return []
    rows = [] if theirs.row is None else [_effect("the formula's row alone", found, theirs.row)]
    return [*rows, _effect("the formula's whole table", found, theirs.table)]


def _effect(name: str, found: Bought, other: Effect) -> tuple[str, ...]:
    match other:
        case Overloaded():
            return (name, "overloaded", "", "", "", "")
        case MeasuredEffect():
            return (name, *_measured(found.as_it_is, other))


def _measured(base: MeasuredEffect, other: MeasuredEffect) -> tuple[str, ...]:
    tail, base_us = other.tail, max(base.tail_us, 1)
    return (
        format_us(other.tail_us),
        f"{100 * tail.mean / base_us:+.2f} %",
        f"{100 * tail.low / base_us:+.2f} .. {100 * tail.high / base_us:+.2f} %",
        _used(other),
        f"{other.used.low / _WHOLE:+.3f} .. {other.used.high / _WHOLE:+.3f}",
    )


def _edit(at: Decision, one: Edited) -> str:
    if one.climb is None:
        return "no waiting in the row"
    names = [printable(rung.name) for rung in at.table.rungs]
    rung, step = one.climb.rung, format_us(step_us(at.table))
    return {
        Edit.EARLIER: f"{names[rung]} {step} earlier",
        Edit.LATER: f"{names[rung]} {step} later",
        Edit.LOWER: f"{names[max(rung - 1, 0)]} instead of {names[rung]}",
        Edit.HIGHER: f"{names[min(rung + 1, len(names) - 1)]} instead of {names[rung]}",
        Edit.NO_WAIT: "no waiting in the row",
    }[one.edit]


def _binding(at: Decision, found: Bought) -> str:
    tail = format_percentile(found.asked.percentile_ppm)
    lines = [f"binds: {_verdict(at, found, tail)}"]
    if found.formula is not None:
        theirs = found.formula.decision
        row = f"{_admission(theirs.row)}; {climbs_text(theirs.row.climbs, theirs.table)}"
        rung = printable(theirs.table.rungs[theirs.rung].name)
        lines.append(f"formula: {rung} here; its row: {row}")
    return "\n".join(lines)


def _verdict(at: Decision, found: Bought, tail: str) -> str:
    if found.better:
        listed = _listed(at, found.better)
        return (
            f"the row is not at its best for this rate: {tail} is less beyond chance with {listed}"
        )
    if found.worse:
        listed = _listed(at, found.worse)
        return (
            f"the row is at its local best: no change makes {tail} less beyond chance, and it is "
            f"more with {listed}"
        )
    return f"nothing in the row: no change of it moves {tail} beyond chance"


def _listed(at: Decision, edits: Iterable[Edited]) -> str:
    return "; ".join(_edit(at, one) for one in edits)


def _used(found: MeasuredEffect) -> str:
    return f"{found.used_ppm / _WHOLE:.2f}"


def _share(ppm: int) -> str:
    return f"{ppm / _PERCENT:.2f} %"
