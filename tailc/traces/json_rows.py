"""Find the rows in a JSON text that has several rows on a line, and how to split them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tailc.traces.plain_text import Rewriting

if TYPE_CHECKING:
    from tailc.traces.source import Source

# Of a row: what a table of times, jobs or power needs comes first.
_MOST_FIELDS, _DEEPEST, _MOST_ROWS = 8, 4, 20
# The last string may have no end.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]')
_CLOSER = {"{": "}", "[": "]"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TIME = re.compile(
    r"dur|elaps|latenc|time|took|delay|submi|start|begin|end|from|wait|(?:^|_)(?:rt|[num]?s|at)$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_LENGTH = re.compile(r"\d+(?:\.\d+)?\s?(?:[num\u00b5]?s)?$")
# In seconds since 1970.
_LEAST_INSTANT = 1e9
# The last number of a list, as the time of the last part of an answer.
_LAST = "[-1]"
_UNITS = frozenset(("ns", "us", "ms", "s", "value"))

Path = tuple[str, ...]


@dataclass(frozen=True)
class JsonRows:
    """Where a JSON text has its rows, how many, and a `jq` program that writes each on a line.

    path: keys from the root to the list of rows. names: of the columns that the program writes.
    """

    count: int
    path: Path
    names: tuple[str, ...]
    program: str

    @property
    def place(self) -> str:
        """The path of the rows in a JSON document, in words for a message."""
        names = [name for name in self.path if name not in ("[]", "")]
        return f"`{'.'.join(names)}`" if names else "its objects"

    @property
    def advice(self) -> str:
        """Advice for the user: a command that writes each row of the file on its own line."""
        return f"write a row on each line, such as by `{self.command}`, and give that"

    @property
    def command(self) -> str:
        """A command that writes each row of the file on its own line."""
        return f"jq -c '{self.program}' FILE > rows.ndjson"


class JsonBuckets(JsonRows):
    """A histogram in a JSON text as two lists: bounds, and the count between adjacent bounds."""

    @property
    def advice(self) -> str:
        """Advice for the user: a command that writes the upper bound and the count of a bucket."""
        return (
            "write the upper bound and the count of each bucket on a line, such as by "
            f"`{self.command}`, and give that with `--weight {self.names[-1]}`"
        )


def rows_within(source: Source) -> JsonRows | None:
    """Find the list of rows in a JSON file by its first bytes; None if no list contains them."""
    rows = rows_in_json(source.head())
    if rows is None or Rewriting.JSON_LIST not in source.rewritten:
        return rows
    return replace(rows, program=f".[] | {rows.program}")


def rows_in_json(head: bytes) -> JsonRows | None:
    """Find the list of rows in a JSON text by its first bytes; None if its lines are the rows."""
    text = head.decode("utf-8", "replace").lstrip()
    if text[:1] not in _CLOSER:
        return None
    try:
        document, end = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return None
    except ValueError:
        document, end = _closed(text), len(text)
    if isinstance(document, dict) and text[end:].lstrip().startswith("{"):
        documents = [document, *_objects(text[end:])]
        fields = _fields(documents)
        if any(_is_length(name, value) for name, value in document.items()):
            return None
        is_flat = all(len(path) == 1 for path in fields)
        if fields and is_flat and _in_some(fields, documents) is None:
            return None
        if any(_is_of_time(path) for path in fields):
            return _of_fields(1, (), fields, documents)
    members = document if isinstance(document, dict) else {"": document}
    return max(_rows(members, ()), key=lambda rows: rows.count, default=None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The first objects of a text, as many as a look at rows needs."""
    for _row in range(_MOST_ROWS):
        text = text.lstrip()
        try:
            found, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return
        if isinstance(found, dict):
            yield found
        text = text[end:]


def _closed(text: str) -> Any:
    """The value of a text that ends in the middle, up to its last whole member or element."""
    opened: list[str] = []
    whole: tuple[int, tuple[str, ...]] | None = None
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSER:
            opened.append(mark)
        elif mark in "}]":
            if not opened or _CLOSER[opened.pop()] != mark:
                return None
            whole = token.end(), tuple(opened)
        elif mark == ",":
            whole = token.start(), tuple(opened)
    if whole is None:
        return None
    closers = "".join(_CLOSER[mark] for mark in reversed(whole[1]))
    try:
        return json.loads(text[: whole[0]] + closers)
    except (ValueError, RecursionError):
        return None


def _rows(members: dict[str, Any], path: Path) -> Iterator[JsonRows]:
    """The rows of each list of objects, of lists, or of numbers for each column."""
    if len(path) > 2 * _DEEPEST:
        return
    yield from _columns(members, path)
    for name, value in members.items():
        here = (*path, name)
        if isinstance(value, dict):
            yield from _rows(value, here)
        elif isinstance(value, list) and len(value) > _MOST_ROWS and all(map(_is_number, value)):
            program = f"{_jq((*here, '[]'))} | {{{_quoted(name or 'value')}: .}}"
            yield JsonRows(len(value), (*here, "[]"), (name or "value",), program)
        elif isinstance(value, list) and value:
            yield from _elements(value, (*here, "[]"))


def _elements(value: list[Any], path: Path) -> Iterator[JsonRows]:
    first = value[0]
    scalars = isinstance(first, list) and not any(isinstance(one, list | dict) for one in first)
    if scalars and any(map(_is_number, first)):
        yield _of_lists(value, path)
    elif isinstance(first, list) and first:
        yield from _elements(first, (*path, "[]"))
    elif isinstance(first, dict):
        rows = [one for one in value[:_MOST_ROWS] if isinstance(one, dict)]
        if fields := _fields(rows):
            yield _of_fields(len(value), path, fields, rows)
        yield from _rows(first, path)


def _of_lists(value: list[list[Any]], path: Path) -> JsonRows:
    """Rows that are lists of numbers; longer and fewer lists are columns."""
    columns, rows, each = len(value[0]), len(value), _jq(path)
    if columns > _MOST_FIELDS >= rows:
        columns, rows, each = rows, columns, f"{_jq(path[:-1])} | transpose[]"
    names = tuple(f"column_{at}" for at in range(1, min(columns, _MOST_FIELDS) + 1))
    members = ", ".join(f"{name}: .[{at}]" for at, name in enumerate(names))
    return JsonRows(rows, path, names, f"{each} | {{{members}}}")


def _columns(members: dict[str, Any], path: Path) -> Iterator[JsonRows]:
    """The rows of lists of equal length, which are columns."""
    lists = {
        name: value
        for name, value in members.items()
        if isinstance(value, list)
        and len(value) > 1
        and (_is_number(value[0]) or _is_date(value[0]))
    }
    lengths = [len(value) for value in lists.values()]
    if len(lists) == 2 and abs(lengths[0] - lengths[1]) == 1:
        yield from _buckets(lists, path)
        return
    # The last one may be cut.
    if len(lists) < 2 or len(set(lengths[:-1])) > 1 or lengths[-1] > lengths[0]:
        return
    names = tuple(lists)[:_MOST_FIELDS]
    written = ", ".join(f"{_quoted(name)}: .[{at}]" for at, name in enumerate(names))
    taken = ", ".join(_jq((*path, name)) for name in names)
    yield JsonRows(lengths[0], path, names, f"[{taken}] | transpose[] | {{{written}}}")


def _buckets(lists: dict[str, list[Any]], path: Path) -> Iterator[JsonRows]:
    """The buckets of a histogram with one more bound than counts, such as one from numpy."""
    (count, counts), (bound, bounds) = sorted(lists.items(), key=lambda item: len(item[1]))
    if not all(map(_is_number, bounds)) or bounds != sorted(bounds):
        return
    taken = f"[{_jq((*path, bound))}[1:], {_jq((*path, count))}]"
    names = "up_to", "requests"
    written = f"select(.[1] > 0) | {{{names[0]}: .[0], {names[1]}: .[1]}}"
    yield JsonBuckets(len(counts), path, names, f"{taken} | transpose[] | {written}")


def _of_fields(
    count: int, path: Path, fields: tuple[Path, ...], rows: list[dict[str, Any]]
) -> JsonRows:
    """Rows of objects with these fields, without those that have no time if others have one."""
    members = ", ".join(f"{_quoted(_name(field))}: {_jq(field)}" for field in fields)
    chosen = _in_some(fields, rows)
    select = "" if chosen is None else f"select({_jq(chosen)} != null) | "
    names = tuple(_name(field) for field in fields)
    return JsonRows(count, path, names, f"{_jq(path)} | {select}{{{members}}}")


def _in_some(fields: tuple[Path, ...], rows: list[dict[str, Any]]) -> Path | None:
    """The first time field that some row lacks; the last row is ignored, as it may be truncated."""
    of_rows = [{path for path, _value in _leaves(row, ())} for row in rows[:-1]]
    times = (path for path in fields if _is_of_time(path))
    return next((path for path in times if not all(path in paths for paths in of_rows)), None)


def _fields(rows: list[dict[str, Any]]) -> tuple[Path, ...]:
    """Paths to the numbers and dates of rows; first those that look like times."""
    found = list({path: (path, value) for row in rows for path, value in _leaves(row, ())}.values())
    if not any(_is_number(value) for _path, value in found):
        return ()
    likely = [path for path, value in found if _is_of_time(path) or _is_date(value)]
    others = [path for path, value in found if path not in likely and _is_number(value)]
    by_name = {_name(path): path for path in reversed((likely + others)[:_MOST_FIELDS])}
    return tuple(reversed(by_name.values()))


def _leaves(row: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name, value in row.items():
        here = (*path, name)
        if isinstance(value, dict) and len(here) < _DEEPEST:
            yield from _leaves(value, here)
        elif (
            isinstance(value, list) and value and _is_number(value[-1]) and len(value) <= _MOST_ROWS
        ):
            yield (*here, _LAST), value[-1]
        elif _is_number(value) or _is_date(value):
            yield here, value


def _is_length(name: str, value: Any) -> bool:
    """Whether a member is a length of time, and not an instant."""
    if isinstance(value, str):
        is_length = _LENGTH.match(value) is not None
    else:
        is_length = _is_number(value) and value < _LEAST_INSTANT
    return is_length and _TIME.search(name) is not None


def _is_of_time(path: Path) -> bool:
    """Whether the name of a field, or of the object that has it, is of a time."""
    return any(_TIME.search(name) for name in (_name(path), *path[-2:-1]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and _DATE.match(value) is not None


def _name(path: Path) -> str:
    """The name of a field in a row: its own, below that of its object if it is a unit."""
    if path[-1] == _LAST:
        path = path[:-1]
    return "_".join(path[-2:]) if path[-1] in _UNITS else path[-1]


def _jq(path: Path) -> str:
    steps = (step if step in ("[]", _LAST) else f".{_quoted(step)}" for step in path if step)
    text = "".join(steps)
    return text if text.startswith(".") else f".{text}"


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name).replace("'", "\\u0027")
