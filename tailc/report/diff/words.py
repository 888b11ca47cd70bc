"""Text for the parts of a report on the differences between two policies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tailc.diff.causes import Cause
from tailc.diff.compare import Diff, Side
from tailc.diff.differences import SettingChange
from tailc.diff.rows import ClimbChange, RowChange
from tailc.diff.structure import StructureDiff
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
# A share times this number is in tenths of a percent.
_PER_MILLE = 1_000
# Answers of the old and the new policy to a waiting request.
_STARTS = {Cause.STARTS_EARLIER: ("wait", "start"), Cause.STARTS_LATER: ("start", "wait")}


def side_text(side: Side) -> str:
    """Format one of two compared policies, such as `search` (few-to-many), generation 2, digest."""
    return (
        f"`{side.name}` ({side.kind}), generation {side.generation}, "
        f"digest {side.digest[:_DIGITS_OF_DIGEST]}"
    )


def ladder_name(request_class: str | None) -> str:
    """Format the name of the ladder for a class of requests, such as `class search`."""
    return "ladder" if request_class is None else f"ladder for class {request_class}"


def whole_forms(structure: StructureDiff) -> list[str]:
    """Format lines about the ladders that only one of the two policies has."""
    gone = [f"{ladder_name(name)}: only in old" for name in structure.removed]
    return gone + [f"{ladder_name(name)}: only in new" for name in structure.added]


def loads(row: RowChange, axis: LoadAxis) -> str:
    """Format the range of loads of a row that differs between two ladders."""
    if axis is LoadAxis.RATE:
        last = "up" if row.last_load is None else f"to {format_mrps(row.last_load)}"
        return f"{format_mrps(row.first_load)} {last}"
    if row.last_load is None:
        return f"{row.first_load} and more"
    first, last = row.first_load, row.last_load
    return str(first) if first == last else f"{first} to {last}"


def start(row: RowChange) -> str:
    """Format how admission and first rung of a row differ between two ladders."""
    parts = []
    if row.admission is not None:
        parts.append(" -> ".join(map(admission_text, row.admission)))
    if row.first_rung is not None:
        parts.append(f"on {' -> '.join(row.first_rung)}")
    return ", ".join(parts)


def climbs(row: RowChange) -> str:
    """Format how the climb ages of a row differ between two ladders."""
    return ", ".join(_climb_text(climb) for climb in row.climbs)


def _climb_text(climb: ClimbChange) -> str:
    old, new = (
        "never" if age_us is None else format_us(age_us) for age_us in (climb.old_us, climb.new_us)
    )
    return f"{climb.rung} {old} -> {new}"


def change_text(change: SettingChange) -> str:
    """Format a setting before and after a change, such as `quantum: 10 ms -> 5 ms`."""
    old, new = (
        "none" if side is None else shorten(side, _LONGEST_VALUE)
        for side in (change.old, change.new)
    )
    return f"{change.what}: {old} -> {new}"


def tail_table_lines(change: TailTableChange) -> list[str]:
    """Format the changes of a tail table: settings, and a line each for cycles and memory time."""
    lines = [change_text(setting) for setting in change.settings]
    for what, rows in (("cycles", change.cycles), ("memory time", change.memory_ns)):
        if rows:
            lines.append(f"{what} left: {_entries_text(rows)}")
    return lines


def _entries_text(rows: Sequence[TailRowChange]) -> str:
    """Format the number of changed entries, and the range of their relative changes."""
    entries = sum(row.entries for row in rows)
    all_of_them = sum(max(len(row.old), len(row.new)) for row in rows)
    ranges = "1 range" if len(rows) == 1 else f"{len(rows)} ranges"
    count_text = f"{entries} of {all_of_them} entries in {ranges}"
    relative = sorted(part for row in rows for part in row.relative)
    if not relative:
        return count_text
    least, most = (f"{round(part * _PER_MILLE) / 10:+.1f} %" for part in
                   (relative[0], relative[-1]))  # fmt: skip
    return f"{count_text}, {least}" if least == most else f"{count_text}, {least} to {most}"


def inert_change_lines(structure: StructureDiff) -> tuple[str, ...]:
    """Format the number of changes that do not affect a runtime, by section of the policy."""
    values = Counter(change.what.split(".")[0].split("[")[0] for change in structure.without_effect)
    parts = []
    for change in structure.without_effect:
        if change.what == "generation":
            parts.append(change_text(change))
    parts += [f"{what} ({count})" for what, count in values.items() if what != "generation"]
    return (f"without effect on a runtime: {', '.join(parts)}",) if parts else ()


def replay_line(behaviour: Behaviour) -> str:
    """Format how the replays of a comparison were made, such as the number of requests."""
    return (
        f"replayed on {behaviour.held_out_requests:,} held-out requests, {behaviour.replicates} "
        f"bootstrap replicates, {behaviour.requests_per_replay:,} requests a replay, "
        f"seed {behaviour.seed}{_cut_off(behaviour)}"
    )


def _cut_off(behaviour: Behaviour) -> str:
    """State that latencies include unfinished requests, if the policies cut requests off."""
    if behaviour.cut_off_us is None:
        return ""
    return f", requests cut off after {format_us(behaviour.cut_off_us)}"


def percent(count: int, total: int) -> str:
    """Format a number of requests as a percentage of all requests."""
    return f"{100 * count / total:.2f} %"


def example_text(example: Example) -> str:
    """Format a request that runs differently, at the moment of the first difference."""
    spent = f"waited {format_us(example.waited_us)}"
    if example.cause is Cause.FIRST_RUNG:
        spent = "at its start"
    elif example.cause not in _STARTS:
        spent = f"executed {format_us(example.executed_us)}"
    answers = _STARTS.get(example.cause) or (example.old or "", example.new or "")
    return (
        f"demand {_ms(example.demand_us)} ms, {example.in_system} in system, {spent}: "
        f"{' -> '.join(answers)} "
        f"({example.similar_requests:,} similar requests; {example.arrivals})"
    )


def _ms(time_us: int) -> str:
    return f"{time_us / _US_PER_MS:,.1f}"


def summary(structure: StructureDiff) -> str:
    """Summarise the number of differences between two policies in one line."""
    if not structure.differs:
        return "both have the same SLO and make the same decisions"
    settings = sum(len(form.settings) for form in structure.forms)
    ranges = sum(len(form.rows) for form in structure.forms)
    counts = {
        "of the promise": len(structure.promise),
        "of forms": len(structure.added) + len(structure.removed),
        "of settings": settings,
        "of rows": ranges,
        "of the tail table": len(tail_table_lines(structure.tail_table)),
        "of shares": len(structure.shares),
        "of the plan": len(structure.plan.settings),
        "of its jobs": len(structure.plan.jobs),
        "of its epochs": len(structure.plan.epochs),
        "of budgets": len(structure.budget_table),
        "of the controller": len(structure.controller),
    }
    return "changes " + ", ".join(f"{what}: {count}" for what, count in counts.items() if count)


def generations(diff: Diff) -> str:
    """Format the generations (publication numbers) of both policies."""
    return f"generation {diff.old.generation} -> {diff.new.generation}"
