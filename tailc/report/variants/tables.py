"""The columns of variants: what was varied, how each ended, and the figures of all."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Mapping, Sequence

from tailc.models.columns import Column
from tailc.report.table import columns_aligned, columns_markdown, escaped_markdown, packed
from tailc.report.variants.figures import Figure, figures_of
from tailc.report.variants.words import COMPILED, message, status
from tailc.specs.variations import Variation
from tailc.studies.sweep import Variants
from tailc.units import counted, printable

_WIDTH = 100
_REPLAYED = (
    "By rate: replays of the sample that the policies were compiled from; `tailc verify` judges."
)

_Key = tuple[str, str | None]


def as_text(variants: Variants) -> str:
    """Tables of one row a variant, as many as it takes to keep lines short."""
    first, groups = _columns(variants)
    tables = [columns_aligned(table) for table in packed(first, groups, _WIDTH)]
    return "\n\n".join([_title(variants), *tables, *_notes(variants)]) + "\n"


def as_markdown_table(variants: Variants) -> str:
    """One table."""
    first, groups = _columns(variants)
    table = columns_markdown([first, *itertools.chain(*groups)])
    notes = "".join(f"\n{note}\n" for note in _notes(variants))
    return f"### {escaped_markdown(_title(variants))}\n\n{table}{notes}"


def as_csv(variants: Variants) -> str:
    """Whole numbers in the unit that a head ends with; empty where there is none."""
    rows = _by_key(variants)
    keys = _keys(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    paths = [one.spelled for one in variants.variations]
    heads = [name if of is None else f"{name} {of}" for name, of in keys]
    writer.writerow(["row", *paths, "status", "message", *heads])
    for number, (answer, row) in enumerate(zip(variants.answers, rows, strict=True), start=1):
        given = variants.written(answer.choice)
        values = [row[key].value if key in row else None for key in keys]
        told = [given.get(path, "") for path in paths]
        writer.writerow([number, *told, status(answer), message(answer) or "", *values])
    return text.getvalue()


def _title(variants: Variants) -> str:
    """How many there are, and what is the same in all of them."""
    first = variants.written(variants.answers[0].choice)
    changing = {one.spelled for one in _changing(variants)}
    same = [f"{path}={value}" for path, value in first.items() if path not in changing]
    count = counted(len(variants.answers), "variant")
    return printable(f"{count}, all with {', '.join(same)}" if same else count)


def _changing(variants: Variants) -> list[Variation]:
    """Those that have not one value in all rows."""
    choices = [dict(answer.choice) for answer in variants.answers]
    return [
        one
        for at, one in enumerate(variants.variations)
        if len({choice.get(at) for choice in choices}) > 1
    ]


def _notes(variants: Variants) -> list[str]:
    return [_REPLAYED] if any(answer.rates for answer in variants.answers) else []


def _columns(variants: Variants) -> tuple[Column, list[tuple[Column, ...]]]:
    rows = _by_key(variants)
    keys = _keys(rows)
    first = Column("row", tuple(map(str, range(1, len(rows) + 1))))
    varied = [_varied(variants, one.spelled) for one in _changing(variants)]
    groups = [(*varied, *_statuses(variants))]
    for of, group in itertools.groupby(keys, key=lambda key: key[1]):
        columns = [_column(key, rows) for key in group]
        # What is of one rate, or one machine, stays together.
        groups += [(one,) for one in columns] if of is None else [tuple(columns)]
    return first, [group for group in groups if group]


def _varied(variants: Variants, path: str) -> Column:
    cells = (variants.written(answer.choice).get(path, "as it is") for answer in variants.answers)
    return Column(printable(path), tuple(map(printable, cells)))


def _statuses(variants: Variants) -> list[Column]:
    """Where not all are compiled."""
    cells = tuple(map(status, variants.answers))
    return [] if set(cells) == {COMPILED} else [Column("status", cells, is_number=False)]


def _column(key: _Key, rows: Sequence[Mapping[_Key, Figure]]) -> Column:
    head = next(row[key].head for row in rows if key in row)
    return Column(printable(head), tuple(row[key].text if key in row else "-" for row in rows))


def _by_key(variants: Variants) -> list[dict[_Key, Figure]]:
    return [{figure.key: figure for figure in figures_of(one)} for one in variants.answers]


def _keys(rows: Sequence[Mapping[_Key, Figure]]) -> list[_Key]:
    """Of all rows, each once, in the order in which they come up."""
    return list(dict.fromkeys(key for row in rows for key in row))
