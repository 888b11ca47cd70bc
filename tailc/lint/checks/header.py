"""Checks of column names and types, and of the file format."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tailc.errors import Severity
from tailc.lint.defect import Check, Defect, Sighting
from tailc.lint.roles import Role
from tailc.lint.views import CellColumns, Header, UnknownColumns, WithoutDemands
from tailc.units import shorten

_FEW_ROWS, _MANY_GROUPS = 1_000, 100
_LEAST_LOSS_S = 2.0**24
_NAMES_TOLD = 5


def _padded_names(header: Header) -> Iterator[Sighting]:
    padded = [name for name in header.names if name != name.strip() and name.strip()]
    if padded:
        message = f"the column is called `{padded[0]}`, with blanks around it"
        more = f", as are {len(padded) - 1:,} more" if len(padded) > 1 else ""
        yield Sighting(message + more, column=padded[0])


def _unnamed_columns(header: Header) -> Iterator[Sighting]:
    for number, name in enumerate(header.names, 1):
        if not name.strip():
            yield Sighting(f"column {number} has no name")


def _twins(header: Header) -> Iterator[Sighting]:
    seen: dict[str, str] = {}
    for name in header.names:
        other = seen.setdefault(name.strip().lower(), name)
        if other != name:
            yield Sighting(f"columns `{other}` and `{name}` differ in case or blanks", column=name)


def _other_format(header: Header) -> Iterator[Sighting]:
    if header.found_format == "csv" and header.told_format not in ("csv", "profile"):
        message = (
            f"the name of the file means {header.told_format}, but its content is "
            f"{header.found_format}"
        )
        yield Sighting(message)


def _small_groups(header: Header) -> Iterator[Sighting]:
    groups = header.group_rows
    if len(groups) >= _MANY_GROUPS and groups.mean() < _FEW_ROWS:
        yield Sighting(f"{len(groups):,} row groups hold {groups.mean():.0f} rows each")


def _text_numbers(table: CellColumns) -> Iterator[Sighting]:
    if table.format == "parquet":
        for name in table.number_columns:
            if pa.types.is_string(table.cells.columns[name].type):
                yield Sighting("the numbers of the column are stored as text", column=name)


def _short_floats(table: CellColumns) -> Iterator[Sighting]:
    name = table.roles.names.get(Role.TIME)
    if name is None or not pa.types.is_float32(table.cells.columns[name].type):
        return
    largest = table.cells.columns[name].cast(pa.float64())
    top = max((value for value in largest.to_pylist() if value is not None), default=0.0)
    if top >= _LEAST_LOSS_S:
        yield Sighting(f"times up to {top:.0f} are stored in 24 bits", column=name)


def _nothing_known(table: UnknownColumns) -> Iterator[Sighting]:
    message = f"no column is recognised by its name: {_first(table.names)}"
    if table.below is None:
        yield Sighting(message)
    else:
        message += f"; the table begins in line {table.below}, so remove the lines above, as by "
        command = f"`tail -n +{table.below} FILE > table.csv`"
        yield Sighting(message + command, lines=(table.below,))


def _no_demands(table: WithoutDemands) -> Iterator[Sighting]:
    yield Sighting(f"no column is recognised as demand; columns not checked: {_first(table.names)}")


def _first(names: tuple[str, ...]) -> str:
    named = ", ".join(f"`{shorten(name)}`" for name in names[:_NAMES_TOLD])
    return named + f" and {len(names) - _NAMES_TOLD} more" * (len(names) > _NAMES_TOLD)


CHECKS = (
    Check(
        Defect(
            "TC1021",
            "padded-name",
            Severity.WARNING,
            "a column's name has blanks around it",
            "a spec that names the column without them does not find it",
            "write the header without blanks",
        ),
        Header,
        _padded_names,
    ),
    Check(
        Defect(
            "TC1022",
            "unnamed-column",
            Severity.WARNING,
            "a column has no name",
            "it is an index that a tool wrote, or an extra delimiter that shifts the cells",
            "name it, or write the file without it",
        ),
        Header,
        _unnamed_columns,
    ),
    Check(
        Defect(
            "TC1023",
            "twin-names",
            Severity.WARNING,
            "two columns' names differ only in case",
            "a spec may use the wrong one",
            "rename one of them",
        ),
        Header,
        _twins,
    ),
    Check(
        Defect(
            "TC1024",
            "wrong-suffix",
            Severity.ERROR,
            "the name of the file suggests another format",
            "a spec uses the name to choose the format, and cannot read the file",
            "rename the file, or state `format` in the spec",
        ),
        Header,
        _other_format,
    ),
    Check(
        Defect(
            "TC1025",
            "small-row-groups",
            Severity.NOTE,
            "row groups of Parquet are very small",
            "a read takes many times longer, and every compile reads the file",
            "write the file with 100,000 rows in a group or more",
        ),
        Header,
        _small_groups,
    ),
    Check(
        Defect(
            "TC1026",
            "numbers-as-text",
            Severity.WARNING,
            "numbers of Parquet are stored as text",
            "the writer did not check that cells are numbers, so some may not be",
            "write the column as a double or an integer",
        ),
        CellColumns,
        _text_numbers,
    ),
    Check(
        Defect(
            "TC1027",
            "short-floats",
            Severity.ERROR,
            "times have too few digits",
            "arrivals are rounded to seconds or minutes, so a replay makes bursts of them",
            "write the column as an integer or a double",
        ),
        CellColumns,
        _short_floats,
    ),
    Check(
        Defect(
            "TC1028",
            "nothing-known",
            Severity.ERROR,
            "no column is recognised",
            "no column was checked, so defects may exist",
            "name the columns with `--column` and `--time`, or use a spec with `--spec`",
        ),
        UnknownColumns,
        _nothing_known,
    ),
    Check(
        Defect(
            "TC1029",
            "no-demands",
            Severity.WARNING,
            "no column is recognised as demand",
            "only arrivals or other columns were checked, so the times of requests may have "
            "defects",
            "name the column with `--column`, and its unit with `--unit`",
        ),
        WithoutDemands,
        _no_demands,
    ),
)
