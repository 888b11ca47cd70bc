"""Reports of how results on held-out days change from one plan to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tailc.diff.plan_days import DaysChange
from tailc.experiment.window_means import FEWEST_WINDOWS
from tailc.models.columns import UsageColumn
from tailc.report.notes import Note, NoteLevel
from tailc.report.plan import length_text
from tailc.report.plan_verdict.json_form import means_dict
from tailc.report.plan_verdict.words import HEADS, better, figure, limits, printed_quantities
from tailc.report.table import columns_aligned, columns_markdown
from tailc.traces.zones import utc_text
from tailc.units import plural


def as_text(change: DaysChange) -> str:
    """Format how two plans of jobs differ on days: one row per quantity, then remarks."""
    parts = [f"{_title(change)}\n{columns_aligned(_columns(change))}", *_remarks(change)]
    return "\n".join(parts) + "\n"


def as_markdown(change: DaysChange) -> str:
    """Format the comparison of two plans on days as Markdown for a comment."""
    remarks = "".join(f"\n- {remark}\n" for remark in _remarks(change))
    return f"\n{_title(change)}\n\n{columns_markdown(_columns(change))}{remarks}"


def as_notes(change: DaysChange) -> tuple[Note, ...]:
    """Build a warning for CI services for each quantity that is worse under the new plan."""
    return tuple(Note(NoteLevel.WARNING, "worse", text) for text in _worse(change))


def as_dict(change: DaysChange) -> dict[str, Any]:
    """Convert the comparison of two plans on days to JSON data; shares are from 0 to 1."""
    return {
        "held_out_digest": change.held_out_digest,
        "windows": change.windows,
        "design_windows": change.own_windows,
        "epochs": change.epochs,
        "epoch_s": change.epoch_s,
        "from_unix_s": change.from_unix_s,
        "until_unix_s": change.until_unix_s,
        "seed": change.seed,
        "old": means_dict(change.old),
        "new": means_dict(change.new),
        "change": means_dict(change.change),
    }


def _title(change: DaysChange) -> str:
    return (
        f"means of {plural(change.windows, 'window')} of "
        f"{length_text(change.epochs * change.epoch_s)}, from {utc_text(change.from_unix_s)} to "
        f"{utc_text(change.until_unix_s)}"
    )


def _remarks(change: DaysChange) -> Iterator[str]:
    if change.own_windows:
        windows = plural(change.own_windows, "window")
        yield f"{windows} of the days that a policy was compiled from"
    if change.windows < FEWEST_WINDOWS:
        yield f"an interval needs {FEWEST_WINDOWS} windows at least"


def _columns(change: DaysChange) -> tuple[UsageColumn, ...]:
    old, new = change.old, change.new
    text = printed_quantities((old, new))
    changes = [(each, change.change[each]) for each in text]
    return (
        UsageColumn("", tuple(HEADS[each] for each in text), is_number=False),
        UsageColumn("old", tuple(figure(each, old[each].value) for each in text)),
        UsageColumn("new", tuple(figure(each, new[each].value) for each in text)),
        UsageColumn(
            "change", tuple(figure(each, mean.value, is_signed=True) for each, mean in changes)
        ),
        UsageColumn(
            "95 % interval", tuple(limits(each, mean, is_signed=True) for each, mean in changes)
        ),
        UsageColumn("", tuple(better(*row) for row in changes), is_number=False),
    )


def _worse(change: DaysChange) -> Iterator[str]:
    for each, mean in change.change.items():
        if better(each, mean) == "worse":
            value = figure(each, mean.value, is_signed=True)
            text = limits(each, mean, is_signed=True)
            yield f"{HEADS[each]}: {value}, 95 % interval {text}"
