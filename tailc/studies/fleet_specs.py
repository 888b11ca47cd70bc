"""Write the specs of many services from a table of their values and a template."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tailc.atomic_files import replace_files
from tailc.errors import Code, Finding, Place, TailcError, did_you_mean
from tailc.specs.document import parse_document, read_text

SERVICE = "service"
# A slot of the template, such as `${rate}`; `$$` is a dollar sign.
_SLOT = re.compile(r"\$(?:\$|\{([^{}\n]{0,100})\})")
# Values without the characters that begin another part of YAML. Commas separate items of a list.
_VALUE = re.compile(r"(?!-(?: |$))[\w./%+\-~@=][\w./%+\-~@=:, ]{0,999}")
_NAME = re.compile(r"[\w+\-][\w+\-.]{0,99}(?:/[\w+\-][\w+\-.]{0,99}){0,20}")
# First line of a spec that this module wrote, and may write again.
_HEAD = "# Written by `tailc fleet specs`: change the table or the template instead.\n"
_MOST_FINDINGS = 20
# Rows of about a million services.
_MOST_TABLE_BYTES = 1 << 26
_SHORTENING = "split the table, and give each part a folder of its own"


@dataclass(frozen=True)
class FleetSpecs:
    """Result of writing the specs of a fleet from a table.

    unlisted: specs of services that are no longer in the table.
    """

    written: tuple[Path, ...]
    unchanged: int
    unlisted: tuple[Path, ...]


@dataclass(frozen=True)
class _ServiceRow:
    """Values of a service by column. line: where its row begins in the table."""

    line: int
    values: dict[str, str]

    @property
    def service(self) -> str:
        return self.values[SERVICE]


def write_fleet_specs(table: str, template: str, folder: str) -> FleetSpecs:
    """Write FOLDER/SERVICE.yaml for each row of a CSV table: the template with the row's values.

    A slot `${column}` of the template is replaced with the value of that column. Only specs that
    change are written. Raises TailcError, before any file is written, if the table or the template
    cannot be read, a value is missing or cannot be part of a spec, or a file of the folder that
    was not written by this function would be replaced.
    """
    rows = _read_rows(table)
    text = read_text(template, "template")
    _check_slots(text, template, tuple(rows[0].values))
    specs = {_spec_path(folder, row.service): _filled(text, template, row) for row in rows}
    _refuse_foreign_files(specs)
    changed = {path: spec for path, spec in specs.items() if _content(path) != spec}
    for path, spec in changed.items():
        replace_files([(path, spec.encode())])
    return FleetSpecs(tuple(changed), len(specs) - len(changed), _unlisted(folder, specs))


def _spec_path(folder: str, service: str) -> Path:
    return Path(folder) / f"{service}.yaml"


def _read_rows(table: str) -> list[_ServiceRow]:
    """The rows of the table; raises TailcError with all rows that are wrong."""
    names, rows = _read_cells(table)
    findings = [
        finding for row, cells in rows for finding in _row_findings(table, row, names, cells)
    ]
    if not rows:
        message = "the table has no row"
        findings = [Finding(Code.EMPTY_TRACE, message, Place(table), "add a row for each service")]
    counts = Counter(cells[names.index(SERVICE)] for _, cells in rows if len(cells) == len(names))
    for line, cells in rows:
        service = cells[names.index(SERVICE)] if len(cells) == len(names) else ""
        if counts[service] > 1:
            message = f"`{service}` has {counts[service]} rows"
            place = Place(table, line, field=SERVICE)
            findings.append(Finding(Code.CONFLICT, message, place, "keep one row for a service"))
    if findings:
        raise TailcError(findings[:_MOST_FINDINGS])
    return [_ServiceRow(line, dict(zip(names, cells, strict=True))) for line, cells in rows]


def _read_cells(table: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Names of the columns, and the cells of each row with its line."""
    lines: list[tuple[int, list[str]]] = []
    begin = 1
    text = read_text(table, "table", _MOST_TABLE_BYTES, _SHORTENING)
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for cells in reader:
            if any(cells):
                lines.append((begin, [cell.strip() for cell in cells]))
            begin = reader.line_num + 1
    except csv.Error as error:
        message = f"the table is no CSV: {error}"
        hint = "write one row for each service, with commas between its values"
        raise TailcError(Finding(Code.BROKEN_FORMAT, message, Place(table, begin), hint)) from None
    names = lines[0][1] if lines else []
    if SERVICE not in names:
        message = f"the table has no column `{SERVICE}`"
        hint = "add it, with the path of each spec without its suffix, such as `team/search`"
        raise TailcError(Finding(Code.MISSING_COLUMN, message, Place(table, 1), hint))
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        message = f"the table has two columns `{repeated[0]}`"
        hint = "rename one of them"
        raise TailcError(Finding(Code.DUPLICATE_COLUMN, message, Place(table, 1), hint))
    return names, lines[1:]


def _row_findings(
    table: str, line: int, names: Sequence[str], cells: Sequence[str]
) -> Iterator[Finding]:
    if len(cells) != len(names):
        message = f"the row has {len(cells)} cells, but the header has {len(names)}"
        hint = 'write a value with commas in quotes, such as "30/s, 60/s"'
        yield Finding(Code.RAGGED_ROW, message, Place(table, line), hint)
        return
    for name, value in zip(names, cells, strict=True):
        place = Place(table, line, field=name)
        if name == SERVICE and not _NAME.fullmatch(value):
            hint = "use letters, digits, `-`, `_`, `+` and dots, with `/` between folders"
            yield Finding(Code.BAD_VALUE, f"`{value}` is no name of a service", place, hint)
        elif not value:
            hint = "write the value, or give the service a template of its own"
            yield Finding(Code.NOT_A_NUMBER, "the value is missing", place, hint)
        elif not _VALUE.fullmatch(value) or ": " in value or value.endswith(":"):
            message = f"`{value}` has YAML syntax that would change the structure of the spec"
            hint = "write it into the template: a table has plain words, numbers and lists of them"
            yield Finding(Code.BAD_VALUE, message, place, hint)


def _check_slots(text: str, template: str, columns: Sequence[str]) -> None:
    """Raise TailcError for slots without a column, or if there is no slot."""
    findings = []
    slots = [match for match in _SLOT.finditer(text) if match[1] is not None]
    for match in slots:
        if match[1] not in columns:
            message = f"the table has no column `{match[1]}`"
            place = _place(text, template, match.start(), len(match[0]))
            hint = did_you_mean(match[1], columns)
            findings.append(Finding(Code.MISSING_COLUMN, message, place, hint))
    if not slots:
        message = "the template has no slot, so all services would have the same spec"
        hint = "write `${column}` where the value of a column belongs"
        findings = [Finding(Code.BAD_VALUE, message, Place(template), hint)]
    if findings:
        raise TailcError(findings[:_MOST_FINDINGS])


def _place(text: str, source: str, at: int, width: int) -> Place:
    line = text.count("\n", 0, at)
    start = text.rfind("\n", 0, at) + 1
    excerpt = text.splitlines()[line]
    return Place(source, line + 1, at - start + 1, excerpt=excerpt, width=width)


def _filled(text: str, template: str, row: _ServiceRow) -> str:
    """The spec of a service; raises TailcError if it is no YAML."""
    spec = _SLOT.sub(lambda match: row.values[match[1]] if match[1] else "$", text)
    parse_document(spec, f"{template} for `{row.service}`")
    return _HEAD + spec


def _content(path: Path) -> str | None:
    """Text of a file; None if there is none."""
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or "unknown").lower()
        message = f"`{path}` cannot be read: {reason}"
        hint = "rename it, or give another folder"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(str(path)), hint)) from None


def _refuse_foreign_files(specs: dict[Path, str]) -> None:
    findings = []
    for path in specs:
        content = _content(path)
        if content is not None and not content.startswith(_HEAD):
            message = f"`{path}` is not a spec that `tailc fleet specs` wrote"
            hint = "rename it or the service, or give another folder"
            findings.append(Finding(Code.CANNOT_WRITE, message, Place(str(path)), hint))
    if findings:
        raise TailcError(findings[:_MOST_FINDINGS])


def _unlisted(folder: str, specs: dict[Path, str]) -> tuple[Path, ...]:
    others = (path for path in sorted(Path(folder).rglob("*.yaml")) if path not in specs)
    return tuple(path for path in others if (_content(path) or "").startswith(_HEAD))
