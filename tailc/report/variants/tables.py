"""Tables of variants: the varied values, the status, and the compared values."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Mapping, Sequence

from tailc.models.columns import UsageColumn
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown, pack_tables
from tailc.report.variants.figures import ComparedValue, compared_values
from tailc.report.variants.words import COMPILED, message, status
from tailc.specs.variations import Variation
from tailc.studies.sweep import Variants
from tailc.units import plural, printable

_WIDTH = 100
_REPLAYED = (
    "By rate: replays of the sample that the policies were compiled from; for verdicts: `verify`."
)

_Key = tuple[str, str | None]


def as_text(variants: Variants) -> str:
    """Format tables with one row per variant, several tables if lines would be too long."""
    first, groups = _columns(variants)
    tables = [columns_aligned(table) for table in pack_tables(first, groups, _WIDTH)]
    return "\n\n".join([_title(variants), *tables, *_notes(variants)]) + "\n"


def as_markdown_table(variants: Variants) -> str:
    """Format one Markdown table with all columns."""
    first, groups = _columns(variants)
    table = columns_markdown([first, *itertools.chain(*groups)])
    notes = "".join(f"\n{note}\n" for note in _notes(variants))
    return f"### {escaped_markdown(_title(variants))}\n\n{table}{notes}"


def as_csv(variants: Variants) -> str:
    """Format CSV with integers in the unit at the end of each head; empty cells for no value."""
    rows = _by_key(variants)
    keys = _keys(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    paths = [one.path_text for one in variants.variations]
    heads = [name if owner is None else f"{name} {owner}" for name, owner in keys]
    writer.writerow(["row", *paths, "status", "message", *heads])
    for number, (answer, row) in enumerate(zip(variants.answers, rows, strict=True), start=1):
        spelled_values = variants.values_of(answer.choice)
        values = [row[key].value if key in row else None for key in keys]
        spelled = [spelled_values.get(path, "") for path in paths]
        writer.writerow([number, *spelled, status(answer), message(answer) or "", *values])
    return text.getvalue()


def _title(variants: Variants) -> str:
    """Title with the number of variants and the settings that all of them share."""
    first = variants.values_of(variants.answers[0].choice)
    changing = {one.path_text for one in _changing(variants)}
    same = [f"{path}={value}" for path, value in first.items() if path not in changing]
    count = plural(len(variants.answers), "variant")
    return printable(f"{count}, all with {', '.join(same)}" if same else count)


def _changing(variants: Variants) -> list[Variation]:
    """Variations that have more than one value."""
    choices = [dict(answer.choice) for answer in variants.answers]
    return [
        one
        for index, one in enumerate(variants.variations)
        if len({choice.get(index) for choice in choices}) > 1
    ]


def _notes(variants: Variants) -> list[str]:
    return [_REPLAYED] if any(answer.rates for answer in variants.answers) else []


def _columns(variants: Variants) -> tuple[UsageColumn, list[tuple[UsageColumn, ...]]]:
    rows = _by_key(variants)
    keys = _keys(rows)
    first = UsageColumn("row", tuple(map(str, range(1, len(rows) + 1))))
    varied = [_varied_column(variants, one.path_text) for one in _changing(variants)]
    groups = [(*varied, *_statuses(variants))]
    for owner, group in itertools.groupby(keys, key=lambda key: key[1]):
        columns = [_column(key, rows) for key in group]
        # Columns of the same rate or machine stay together.
        groups += [(one,) for one in columns] if owner is None else [tuple(columns)]
    return first, [group for group in groups if group]


def _varied_column(variants: Variants, path: str) -> UsageColumn:
    cells = (variants.values_of(answer.choice).get(path, "as it is") for answer in variants.answers)
    return UsageColumn(printable(path), tuple(map(printable, cells)))


def _statuses(variants: Variants) -> list[UsageColumn]:
    """Column of statuses; empty if all variants were compiled."""
    cells = tuple(map(status, variants.answers))
    return [] if set(cells) == {COMPILED} else [UsageColumn("status", cells, is_number=False)]


def _column(key: _Key, rows: Sequence[Mapping[_Key, ComparedValue]]) -> UsageColumn:
    head = next(row[key].head for row in rows if key in row)
    return UsageColumn(printable(head), tuple(row[key].text if key in row else "-" for row in rows))


def _by_key(variants: Variants) -> list[dict[_Key, ComparedValue]]:
    return [{figure.key: figure for figure in compared_values(one)} for one in variants.answers]


def _keys(rows: Sequence[Mapping[_Key, ComparedValue]]) -> list[_Key]:
    """Keys of all rows without duplicates, in order of first appearance."""
    return list(dict.fromkeys(key for row in rows for key in row))
