"""Payloads whose structure one thing is wrong with, by what it is; each is a change of a vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact.seal import unseal
from tests.tailc.artifact.published import VECTORS

LARGEST = 2**53 - 1
# Ids of fields.
DIGEST, NAME, SLOS, FORMS, READING, EVIDENCE = 2, 3, 6, 8, 10, 11
FORM, FORM_NAME = 1, 2
CLASS, RUNGS, RULES, RULE_NAMES, QUANTUM, ROWS, CLIMBS, GUARD = 1, 3, 4, 5, 6, 7, 8, 9
COST = 2
OBJECTIVE, EVIDENCE_ROWS = 0, 7
# Places in structs.
FIRST_CLIMB, CLIMB_COUNT, ROW_BYTES, CLIMB_BYTES = 16, 20, 32, 16


class Draft:
    """The payload of a vector in the making, and where its parts stand."""

    def __init__(self, name: str) -> None:
        self.data = bytearray(unseal((VECTORS / f"{name}.tailc").read_bytes()))
        self.root: Any = fbs.Policy.GetRootAs(bytes(self.data))
        self.box: Any = self.root.Forms(0)
        # Where the first form is not one, only its place is right.
        self.ladder: Any = fbs.Ladder()
        self.ladder.Init(self.box.Form().Bytes, self.box.Form().Pos)

    def field(self, table: Any, number: int) -> int:
        """Where the field of that id stands in a table."""
        return table._tab.Pos + table._tab.Offset(4 + 2 * number)

    def target(self, table: Any, number: int) -> int:
        at = self.field(table, number)
        return at + self.word(at)

    def slots(self, table: Any) -> int:
        begin = table._tab.Pos
        return begin - int.from_bytes(self.data[begin : begin + 4], "little", signed=True)

    def word(self, at: int) -> int:
        return int.from_bytes(self.data[at : at + 4], "little")

    def put(self, at: int, value: int, size: int = 4) -> None:
        self.data[at : at + size] = value.to_bytes(size, "little")


Change = Callable[[Draft], None]


def _length(table: Callable[[Draft], Any], number: int, more: int) -> Change:
    """A vector or string claims `more` elements than it has."""

    def change(draft: Draft) -> None:
        at = draft.target(table(draft), number)
        draft.put(at, draft.word(at) + more)

    return change


def _byte(table: Callable[[Draft], Any], number: int, text: bytes) -> Change:
    """A string begins with these bytes."""

    def change(draft: Draft) -> None:
        at = draft.target(table(draft), number) + 4
        draft.data[at : at + len(text)] = text

    return change


def _offset(table: Callable[[Draft], Any], number: int, value: int) -> Change:
    return lambda draft: draft.put(draft.field(table(draft), number), value)


def _slots(table: Callable[[Draft], Any], place: int, value: int) -> Change:
    """A list of fields says `value` at a place: 0 is its own size, 2 that of its table."""
    return lambda draft: draft.put(draft.slots(table(draft)) + place, value, 2)


def _row(number: int, place: int, more: int) -> Change:
    def change(draft: Draft) -> None:
        begin = draft.target(draft.ladder, ROWS) + 4
        at = begin + (number % draft.ladder.RowsLength()) * ROW_BYTES + place
        draft.put(at, draft.word(at) + more)

    return change


def _long(at: Callable[[Draft], int], value: int) -> Change:
    return lambda draft: draft.put(at(draft), value % 2**64, 8)


def _fewer_rules(draft: Draft) -> None:
    at = draft.target(draft.ladder, RULES)
    draft.put(at, draft.word(at) - 1)


def _fewer_names(draft: Draft) -> None:
    at = draft.target(draft.ladder, RULE_NAMES)
    draft.put(at, draft.word(at) - 1)


def _unaligned(table: Callable[[Draft], Any], number: int, size: int) -> Change:
    """A vector of so large elements is moved to half a multiple of 8."""

    def change(draft: Draft) -> None:
        field, begin = draft.field(table(draft), number), draft.target(table(draft), number)
        moved = draft.data[begin : begin + 4 + draft.word(begin) * size]
        draft.data.extend(bytes(-len(draft.data) % 8))
        draft.put(field, len(draft.data) - field)
        draft.data.extend(moved)

    return change


def root(draft: Draft) -> Any:
    return draft.root


def box(draft: Draft) -> Any:
    return draft.box


def form(draft: Draft) -> Any:
    return draft.ladder


def rung(draft: Draft) -> Any:
    return draft.ladder.Rungs(0)


def evidence(draft: Draft) -> Any:
    return draft.root.Evidence()


# Name to the vector and what is changed of it.
BROKEN: dict[str, tuple[str, Change]] = {
    "a vector longer than the payload": ("lucene", _length(rung, COST, 2**20)),
    "a vector of tables too long": ("lucene", _length(root, SLOS, 2**30)),
    "a vector of structs too long": ("lucene", _length(form, CLIMBS, 2**28)),
    "evidence longer than the payload": ("lucene", _length(evidence, EVIDENCE_ROWS, 10**6)),
    "a string past the end": ("smallest", _length(root, NAME, 10**6)),
    "a digest past the end": ("plan", _length(root, DIGEST, 10**6)),
    "a string of evidence past the end": ("tails", _length(evidence, OBJECTIVE, 10**6)),
    "a string without its 0": ("smallest", _length(root, NAME, -1)),
    "climbs left over": ("lucene", _row(-1, CLIMB_COUNT, -1)),
    "climbs beyond the last": ("lucene", _row(-1, CLIMB_COUNT, 1)),
    "climbs that begin late": ("lucene", _row(0, FIRST_CLIMB, 1)),
    "climbs twice": ("lucene", _row(1, FIRST_CLIMB, -1)),
    "one climb more than the rows hold": ("lucene", _length(form, CLIMBS, -1)),
    "a name that is not UTF-8": ("smallest", _byte(root, NAME, b"\xff")),
    "a rung's name cut in a character": (
        "lucene",
        _byte(lambda draft: draft.ladder.Rungs(1), 0, b"\xe2\x82"),
    ),
    "a class with a surrogate": ("classes", _byte(form, CLASS, b"\xed\xa0\x80")),
    "evidence that is not UTF-8": ("plan", _byte(evidence, OBJECTIVE, b"\xc0\xaf")),
    "a list of fields of size 0": ("smallest", _slots(root, 0, 0)),
    "a list of fields of odd size": ("smallest", _slots(root, 0, 29)),
    "a list of fields beyond the end": ("smallest", _slots(root, 0, 2**15)),
    "a table of size 0": ("smallest", _slots(form, 2, 0)),
    "a table beyond the end": ("smallest", _slots(root, 2, 2**15)),
    "a field beyond its table": ("smallest", _slots(form, 4 + 2 * QUANTUM, 400)),
    "a field on its table's offset": ("smallest", _slots(form, 4 + 2 * ROWS, 2)),
    "a required field that is absent": ("smallest", _slots(evidence, 4 + 2 * OBJECTIVE, 0)),
    "a form at offset 0": ("tails-trim", _offset(box, FORM, 0)),
    "a guard at offset 0": ("lucene", _offset(form, GUARD, 0)),
    "a reading at offset 0": ("plan", _offset(root, READING, 0)),
    "forms at an odd offset": ("shares", _offset(root, FORMS, 41)),
    "costs that are not aligned": ("lucene", _unaligned(rung, COST, 8)),
    "climbs that are not aligned": ("lucene", _unaligned(form, CLIMBS, CLIMB_BYTES)),
    "fewer rules than names": ("lucene", _fewer_rules),
    "fewer names than rules": ("lucene", _fewer_names),
    "a number beyond 2^53 - 1": (
        "lucene",
        _long(lambda draft: draft.field(draft.ladder, QUANTUM), LARGEST + 1),
    ),
    "a number below -(2^53 - 1)": (
        "lucene",
        _long(lambda draft: draft.field(draft.root, 5), -LARGEST - 1),
    ),
    "an age beyond 2^53 - 1": (
        "lucene",
        _long(lambda draft: draft.target(draft.ladder, CLIMBS) + 4 + CLIMB_BYTES, 2**64 - 1),
    ),
    "a form by another form's name": ("smallest", _byte(box, FORM_NAME, b"Ladder")),
    "a rule by another rule's name": (
        "lucene",
        lambda draft: draft.put(draft.target(draft.ladder, RULES) + 4, fbs.Rule.SHED, 1),
    ),
    "an unknown form before what is broken": (
        "smallest",
        lambda draft: (
            _length(evidence, OBJECTIVE, 10**6)(draft),
            draft.put(draft.field(draft.box, 0), 200, 1),
        )[0],
    ),
}
# As what every reader refuses a case, where that is not `bad-structure`.
_OTHERWISE = {
    "a form by another form's name": "unknown-form",
    "a rule by another rule's name": "unknown-rule",
    "an unknown form before what is broken": "unknown-form",
}


def broken_payload(case: str) -> bytes:
    """The payload of a case."""
    name, change = BROKEN[case]
    draft = Draft(name)
    change(draft)
    return bytes(draft.data)


def refusal_of(case: str) -> str:
    """As what every reader refuses it."""
    return _OTHERWISE.get(case, "bad-structure")
