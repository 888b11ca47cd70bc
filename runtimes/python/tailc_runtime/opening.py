"""From a path to tables: nothing is believed before it is checked."""

from __future__ import annotations

import os
from pathlib import Path

from tailc_runtime.controller import Controller
from tailc_runtime.errors import BadMeaning, BadStructure, PolicyError, UnknownClass
from tailc_runtime.json_form import read_json
from tailc_runtime.raw import Head, RawController, RawForm, RawLadder
from tailc_runtime.table import PolicyTable

_MOST_BYTES = 64 * 1024 * 1024


def open_policy(path: str | os.PathLike[str], request_class: str | None = None) -> PolicyTable:
    """The table for `request_class`, or the one for all classes where it has none of its own.

    Raises OSError, or PolicyError: length and hash are checked first, then structure, then meaning.
    """
    tables = open_policies(path)
    if request_class in tables:
        return tables[request_class]
    if None in tables:
        return tables[None]
    known = ", ".join(f"`{name}`" for name in tables)
    raise UnknownClass(f"{path}: no ladder for class `{request_class}`; there are {known}")


def open_policies(path: str | os.PathLike[str]) -> dict[str | None, PolicyTable]:
    """Every table of the policy by request class; None is the one for all classes.

    Where the policy has a controller it is the same one in every table.
    """
    with Path(path).open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    try:
        return tables_from(data)
    except PolicyError as error:
        raise type(error)(f"{path}: {error}") from error


def tables_from(data: bytes) -> dict[str | None, PolicyTable]:
    """As `open_policies`, from the file's content."""
    if len(data) > _MOST_BYTES:
        raise BadStructure("the file is larger than any policy")
    if data.startswith(b"{") and data[4:8] != b"TLC1":
        return _tables(*read_json(data))
    # Imported here, so that JSON policies need no package beyond the standard library.
    from tailc_runtime.flat_form import read_flat

    return _tables(*read_flat(data))


def _tables(head: Head, forms: list[RawForm]) -> dict[str | None, PolicyTable]:
    ladders = [form for form in forms if isinstance(form, RawLadder)]
    controller = _controller(forms)
    tables = [PolicyTable(head, ladder, controller) for ladder in ladders]
    by_class = {table.request_class: table for table in tables}
    if not tables or len(by_class) < len(tables):
        raise BadMeaning("a policy has one ladder for each class of requests")
    return by_class


def _controller(forms: list[RawForm]) -> Controller | None:
    """The controller, which comes after the ladders."""
    last = forms[-1] if forms else None
    if any(isinstance(form, RawController) for form in forms[:-1]):
        raise BadMeaning("one controller at most steers a policy, and comes last")
    return Controller(last) if isinstance(last, RawController) else None
