"""Records as JSON data."""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from typing import NamedTuple

from tailc.report.json_data import json_data


class Kind(enum.Enum):
    WIDE = "on more servers"


class Span(NamedTuple):
    first: int
    past: int


@dataclass(frozen=True)
class Inner:
    kind: Kind
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner | None
    each: tuple[Inner, ...]
    kinds: tuple[Kind, ...] = ()


def test_records_in_records_are_objects_in_the_order_of_their_fields():
    inner = Inner(Kind.WIDE, (Span(1, 2),))
    data = json_data(Outer("<a>", inner, (inner,), (Kind.WIDE,)))
    one = {"kind": "on more servers", "spans": [[1, 2]]}
    assert data == {
        "name": "<a>",
        "inner": one,
        "each": [one],
        "kinds": ["on more servers"],
    }
    assert list(data) == ["name", "inner", "each", "kinds"]
    assert json.loads(json.dumps(data)) == data


def test_what_is_missing_is_null():
    assert json_data(Outer("a", None, ())) == {"name": "a", "inner": None, "each": [], "kinds": []}
