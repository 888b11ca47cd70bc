"""The parts of a diff in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.diff.causes import Cause
from tailc.diff.compare import Diff, Side
from tailc.diff.rows import ClimbChange, RowChange
from tailc.diff.structure import Change, Structure
from tailc.diff.tail_tables import TailRowChange, TailTableChange
from tailc.forms.ladder.table import LoadAxis
from tailc.report.policy import admission_text
from tailc.units import format_mrps, format_us, shorten

if TYPE_CHECKING:
    from tailc.diff.behaviour import Behaviour
    from tailc.diff.decisions import Example

_DIGITS_OF_DIGEST = 12
_LONGEST_VALUE = 60
_US_PER_MS = 1_000
# Tenths of a percent.
_PER_MILLE = 1_000
# What OLD and NEW answer to a request that waits.
_STARTS = {Cause.STARTS_EARLIER: ("wait", "start"), Cause.STARTS_LATER: ("start", "wait")}


def side_text(side: Side) -> str:
    """A policy, such as `search` (few-to-many), generation 2, with its digest."""
    return (
        f"`{side.name}` ({side.kind}), generation {side.generation}, "
        f"digest {side.digest[:_DIGITS_OF_DIGEST]}"
    )


def ladder_name(request_class: str | None) -> str:
    """What the ladder for a class of requests is called."""
    return "ladder" if request_class is None else f"ladder for class {request_class}"


def whole_forms(found: Structure) -> list[str]:
    """Ladders that only one policy has."""
    gone = [f"{ladder_name(name)}: only in old" for name in found.removed]
    return gone + [f"{ladder_name(name)}: only in new" for name in found.added]


def loads(row: RowChange, axis: LoadAxis) -> str:
    """The range of loads that a change is for."""
    if axis is LoadAxis.RATE:
        last = "up" if row.last_load is None else f"to {format_mrps(row.last_load)}"
        return f"{format_mrps(row.first_load)} {last}"
    if row.last_load is None:
        return f"{row.first_load} and more"
    first, last = row.first_load, row.last_load
    return str(first) if first == last else f"{first} to {last}"


def start(row: RowChange) -> str:
    """How admission and first rung change."""
    parts = []
    if row.admission is not None:
        parts.append(" -> ".join(map(admission_text, row.admission)))
    if row.first_rung is not None:
        parts.append(f"on {' -> '.join(row.first_rung)}")
    return ", ".join(parts)


def climbs(row: RowChange) -> str:
    """How the ages of climbs change."""
    return ", ".join(_climb_text(climb) for climb in row.climbs)


def _climb_text(climb: ClimbChange) -> str:
    old, new = (
        "never" if age_us is None else format_us(age_us) for age_us in (climb.old_us, climb.new_us)
    )
    return f"{climb.rung} {old} -> {new}"


def change_text(change: Change) -> str:
    """One value, before and after."""
    old, new = (
        "none" if side is None else shorten(side, _LONGEST_VALUE)
        for side in (change.old, change.new)
    )
    return f"{change.what}: {old} -> {new}"


def tail_table_lines(change: TailTableChange) -> list[str]:
    """The settings that differ, and a line each for the entries of cycles and of memory time."""
    lines = [change_text(setting) for setting in change.settings]
    for what, rows in (("cycles", change.cycles), ("memory time", change.memory_ns)):
        if rows:
            lines.append(f"{what} left: {_entries_text(rows)}")
    return lines


def _entries_text(rows: Sequence[TailRowChange]) -> str:
    """How many entries differ, and by how much of what they were."""
    entries = sum(row.entries for row in rows)
    all_of_them = sum(max(len(row.old), len(row.new)) for row in rows)
    ranges = "1 range" if len(rows) == 1 else f"{len(rows)} ranges"
    told = f"{entries} of {all_of_them} entries in {ranges}"
    relative = sorted(part for row in rows for part in row.relative)
    if not relative:
        return told
    least, most = (f"{round(part * _PER_MILLE) / 10:+.1f} %" for part in
                   (relative[0], relative[-1]))  # fmt: skip
    return f"{told}, {least}" if least == most else f"{told}, {least} to {most}"


def apart_lines(found: Structure) -> tuple[str, ...]:
    """What changes nothing a runtime does, counted by where it stands."""
    values = Counter(change.what.split(".")[0].split("[")[0] for change in found.apart)
    parts = []
    for change in found.apart:
        if change.what == "generation":
            parts.append(change_text(change))
    parts += [f"{what} ({count})" for what, count in values.items() if what != "generation"]
    return (f"apart from what a runtime does: {', '.join(parts)}",) if parts else ()


def replayed(became: Behaviour) -> str:
    """What the numbers below it rest on."""
    return (
        f"replayed on {became.held_out_requests:,} held-out requests, {became.replicates} "
        f"bootstrap replicates, {became.requests_per_replay:,} requests a replay, "
        f"seed {became.seed}{_cut_off(became)}"
    )


def _cut_off(became: Behaviour) -> str:
    """That latencies are those of unfinished requests too, if they are."""
    if became.cut_off_us is None:
        return ""
    return f", requests cut off after {format_us(became.cut_off_us)}"


def percent(count: int, of: int) -> str:
    """A share of requests."""
    return f"{100 * count / of:.2f} %"


def example_text(example: Example) -> str:
    """One request that runs otherwise, at the moment at which it first does."""
    spent = f"waited {format_us(example.waited_us)}"
    if example.cause is Cause.FIRST_RUNG:
        spent = "at its start"
    elif example.cause not in _STARTS:
        spent = f"executed {format_us(example.executed_us)}"
    answers = _STARTS.get(example.cause) or (example.old or "", example.new or "")
    return (
        f"demand {_ms(example.demand_us)} ms, {example.in_system} in system, {spent}: "
        f"{' -> '.join(answers)} "
        f"({example.stands_for:,} alike; {example.arrivals})"
    )


def _ms(time_us: int) -> str:
    return f"{time_us / _US_PER_MS:,.1f}"


def summary(found: Structure) -> str:
    """How much differs, in a line."""
    if not found.differs:
        return "both have the same SLO and make the same decisions"
    settings = sum(len(form.settings) for form in found.forms)
    ranges = sum(len(form.rows) for form in found.forms)
    counts = {
        "of the promise": len(found.promise),
        "of forms": len(found.added) + len(found.removed),
        "of settings": settings,
        "of rows": ranges,
        "of the tail table": len(tail_table_lines(found.tail_table)),
        "of shares": len(found.shares),
        "of the plan": len(found.plan.settings),
        "of its jobs": len(found.plan.jobs),
        "of its epochs": len(found.plan.epochs),
        "of the controller": len(found.controller),
    }
    return "changes " + ", ".join(f"{what}: {count}" for what, count in counts.items() if count)


def generations(diff: Diff) -> str:
    """The generations of both."""
    return f"generation {diff.old.generation} -> {diff.new.generation}"
