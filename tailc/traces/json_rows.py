"""Where the rows of a JSON text are that has no row on each line, and how to write them so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# Of a row: what a table of times, jobs or power needs comes first.
_MOST_FIELDS, _DEEPEST, _MOST_ROWS = 8, 4, 20
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]')
_CLOSER = {"{": "}", "[": "]"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TIME = re.compile(
    r"dur|elaps|latenc|time|took|delay|submi|start|begin|end|from|wait|(?:^|_)(?:rt|[num]?s|at)$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_UNITS = frozenset(("ns", "us", "ms", "s", "value"))

Path = tuple[str, ...]


@dataclass(frozen=True)
class JsonRows:
    """Rows of a text: `path` leads to each of them, `[]` being the elements of a list.

    fields: the paths within a row to its numbers and dates. chosen: one of a time, if some rows
    have none.
    """

    path: Path
    fields: tuple[Path, ...]
    chosen: Path | None = None

    @property
    def place(self) -> str:
        """The path in words, for a message."""
        names = [name for name in self.path if name != "[]"]
        return f"`{'.'.join(names)}`" if names else "its objects"

    @property
    def advice(self) -> str:
        """What to do: a command that writes a row on each line."""
        members = ", ".join(f"{_quoted(_name(field))}: {_jq(field)}" for field in self.fields)
        chosen = "" if self.chosen is None else f"select({_jq(self.chosen)} != null) | "
        command = f"jq -c '{_jq(self.path)} | {chosen}{{{members}}}' FILE > rows.ndjson"
        return f"write a row on each line, such as by `{command}`, and give that"


def rows_in_json(head: bytes) -> JsonRows | None:
    """The rows of a text with this beginning; None if it has none, or has them on its lines."""
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
        return _of_objects(document)
    members = document if isinstance(document, dict) else {"": document}
    found = sorted(_lists(members, ()), key=lambda rows: -rows[0])
    return found[0][1] if found else None


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


def _of_objects(first: dict[str, Any]) -> JsonRows | None:
    """The rows of a text of objects like the first, if only objects within have times."""
    fields = _fields([first])
    are_nested = [len(path) > 1 for path in fields if _TIME.search(path[-1])]
    return JsonRows((), fields) if are_nested and all(are_nested) else None


def _lists(members: dict[str, Any], path: Path) -> Iterator[tuple[int, JsonRows]]:
    """Each list of objects with numbers, and its length."""
    if len(path) > 2 * _DEEPEST:
        return
    for name, value in members.items():
        here = (*path, name) if name else path
        if isinstance(value, dict):
            yield from _lists(value, here)
        elif isinstance(value, list) and value and isinstance(value[0], list):
            yield from _lists({"": value[0]}, (*here, "[]"))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            rows = [one for one in value[:_MOST_ROWS] if isinstance(one, dict)]
            if fields := _fields(rows):
                yield len(value), JsonRows((*here, "[]"), fields, _in_some(fields, rows))
            yield from _lists(rows[0], (*here, "[]"))


def _in_some(fields: tuple[Path, ...], rows: list[dict[str, Any]]) -> Path | None:
    """The first field of a time that not every row has, of which the last one may be cut."""
    of_rows = [{path for path, _value in _leaves(row, ())} for row in rows[:-1]]
    times = (path for path in fields if _TIME.search(path[-1]))
    return next((path for path in times if not all(path in paths for paths in of_rows)), None)


def _fields(rows: list[dict[str, Any]]) -> tuple[Path, ...]:
    """Paths to the numbers and dates of rows; first those that look like times."""
    found = list({path: (path, value) for row in rows for path, value in _leaves(row, ())}.values())
    if not any(_is_number(value) for _path, value in found):
        return ()
    likely = [path for path, value in found if _TIME.search(path[-1]) or _is_date(value)]
    others = [path for path, value in found if path not in likely and _is_number(value)]
    by_name = {_name(path): path for path in reversed((likely + others)[:_MOST_FIELDS])}
    return tuple(reversed(by_name.values()))


def _leaves(row: dict[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for name, value in row.items():
        here = (*path, name)
        if isinstance(value, dict) and len(here) < _DEEPEST:
            yield from _leaves(value, here)
        elif _is_number(value) or _is_date(value):
            yield here, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and _DATE.match(value) is not None


def _name(path: Path) -> str:
    """The name of a field in a row: its own, below that of its object if it is a unit."""
    return "_".join(path[-2:]) if path[-1] in _UNITS else path[-1]


def _jq(path: Path) -> str:
    if not path:
        return "."
    steps = ("[]" if step == "[]" else f".{_quoted(step)}" for step in path)
    text = "".join(steps)
    return text if text.startswith(".") else f".{text}"


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else json.dumps(name).replace("'", "\\u0027")
