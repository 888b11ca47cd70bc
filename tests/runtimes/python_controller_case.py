"""Helpers of test_python_controller.py that other tests use too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tailc_runtime import PolicyError
from tailc_runtime.opening import policy_from

from tailc.artifact.json_form import decode_json
from tailc.errors import TailcError


def numbers_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where whole numbers stand in plain JSON."""
    match value:
        case int():
            yield path
        case dict():
            for name, part in value.items():
                yield from numbers_in(part, (*path, name))
        case list():
            for place, part in enumerate(value):
                yield from numbers_in(part, (*path, place))


def refusals(data: bytes) -> tuple[bool, bool]:
    """Whether tailc, and whether the runtime, refuses a policy."""
    refused = []
    for read, error in ((decode_json, TailcError), (policy_from, PolicyError)):
        try:
            read(data)
            refused.append(False)
        except error:
            refused.append(True)
    return refused[0], refused[1]
