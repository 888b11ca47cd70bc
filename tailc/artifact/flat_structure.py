"""Verify the structure of a FlatBuffer before any accessor follows an offset.

FlatBuffers has no verifier for Python, and those for other languages differ in what they refuse.
All readers follow the rules of docs/artifact-format.md, "Structure", in the same order.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tailc.artifact._generated import policy_generated as fbs
from tailc.artifact._generated.layout import FORMS, TABLES
from tailc.artifact.plain import unknown_form, unknown_rule
from tailc.artifact.refusal import Refusal
from tailc.errors import Code
from tailc.forms.ladder.table import Rule

_RULE_WORDS = {getattr(fbs.Rule, rule.name): rule.value for rule in Rule}
_OFFSET_BYTES = 4
_SLOT_BYTES = 2
# A list of fields begins with its own size and that of its table.
_HEAD_BYTES = 4
_LONG_BYTES = 8
_LARGEST = 2**53 - 1
_BAD_FIELDS = "a table has an invalid list of fields"
# Ids in `Policy`, in `FormBox` and in `Ladder`.
_FORMS = 8
_FORM_TYPE, _FORM, _FORM_NAME = 0, 1, 2
_RULES, _RULE_NAMES, _ROWS, _CLIMBS = 4, 5, 7, 8
_ROW = struct.Struct("<QQIIB7x")


@dataclass(frozen=True)
class _Field:
    """A field of a table; `bytes` is the size of a scalar or struct, 0 for an offset."""

    kind: str
    bytes: int
    is_vector: bool
    is_required: bool

    @property
    def bytes_in_table(self) -> int:
        return self.bytes if self.bytes and not self.is_vector else _OFFSET_BYTES


class _Table(NamedTuple):
    """A table in a payload: its position and size, and those of its list of fields."""

    at: int
    size: int
    slots: int
    slots_size: int


class StructureVerifier:
    """Verifies the structure of one FlatBuffer payload, from its root on.

    values: everything that was verified, in order: numbers, strings and lengths; None for an absent
    field. has_unknown: whether some table has a field that this version does not know. last_at: the
    position that was read last.
    """

    def __init__(self, payload: bytes) -> None:
        self.values: list[bytes | int | None] = []
        self.has_unknown = False
        self.last_at = 0
        self._payload = payload
        # Vectors and strings share no bytes, so their total size is at most the payload's.
        self._left = len(payload)

    def check_version(self) -> None:
        """Check the root and its first two fields, which every major version has."""
        self._fields(self._start(self._target(0)), "Policy", (0, 1))

    def check_all(self) -> None:
        """Check the structure of the whole file; raise a Refusal at the first fault.

        Forms are checked first, so that an unknown form is refused by its name.
        """
        root = self._start(self._target(0))
        others = (number for number in range(len(_LAYOUTS["Policy"])) if number != _FORMS)
        self._fields(root, "Policy", (_FORMS, *others))
        self._note_unknown(root, "Policy")

    def check_root(self, name: str) -> None:
        """Check everything in a payload whose root is the table of this name."""
        self._table(self._target(0), name)

    def _table(self, at: int, name: str) -> None:
        table = self._start(at)
        self._fields(table, name, range(len(_LAYOUTS[name])))
        self._note_unknown(table, name)
        if name == "FormBox":
            self._check_form(table)
        elif name == "Ladder":
            self._check_rules(table)
            self._check_rows(table)

    def _note_unknown(self, table: _Table, name: str) -> None:
        """Look for fields after the known ones."""
        known = _HEAD_BYTES + _SLOT_BYTES * len(_LAYOUTS[name])
        self.has_unknown |= any(self._payload[table.slots + known : table.slots + table.slots_size])

    def _fields(self, table: _Table, name: str, numbers: Iterable[int]) -> None:
        for number in numbers:
            field = _LAYOUTS[name][number]
            at = self._field_at(table, number, field.bytes_in_table)
            if at is None:
                self.values.append(None)
                _require(not field.is_required, f"field {number} of {name} is missing")
            elif field.is_vector:
                self._vector(self._target(at), field)
            elif field.bytes:
                self._check_numbers(at, 1, field.bytes)
            else:
                self._element(self._target(at), field)

    def _vector(self, at: int, field: _Field) -> None:
        count = self._count(at, field.bytes or _OFFSET_BYTES)
        first = at + _OFFSET_BYTES
        if field.bytes:
            self._check_numbers(first, count, field.bytes)
            return
        for number in range(count):
            self._element(self._target(first + number * _OFFSET_BYTES), field)

    def _element(self, at: int, field: _Field) -> None:
        if field.kind == "text":
            self._check_text(at)
        elif field.kind != "Form":  # which is followed once its box names a form that is known
            self._table(at, field.kind)

    def _check_text(self, at: int) -> None:
        """Check a string: UTF-8, followed by a 0 byte."""
        end = at + _OFFSET_BYTES + self._count(at, 1)
        _require(self._payload[end : end + 1] == b"\0", "a string does not end with a zero byte")
        self.values.append(self._payload[at:end])
        try:
            self._text(at)
        except UnicodeDecodeError:
            _require(False, "a string is not UTF-8")

    def _check_numbers(self, at: int, count: int, size: int) -> None:
        """Check scalars or structs: aligned, with whole numbers of 8 bytes within 2^53 - 1.

        Such numbers are the first half of every struct, and are not negative there.
        """
        _require(not count or at % min(size, _LONG_BYTES) == 0, "a number is not aligned")
        self.values.append(self._payload[at : at + count * size])
        if not count or size < _LONG_BYTES:
            return
        is_struct = size > _LONG_BYTES
        words = struct.unpack_from(f"<{count * size // _LONG_BYTES}q", self._payload, at)
        step = size // _LONG_BYTES
        for first in range(step // 2 if is_struct else 1):
            numbers = words[first::step]
            least = 0 if is_struct else -_LARGEST
            is_within = least <= min(numbers) and max(numbers) <= _LARGEST
            _require(is_within, "a number is outside -(2^53 - 1) to 2^53 - 1")

    def _check_form(self, box: _Table) -> None:
        """Check the form in a verified box, and that its name matches its number."""
        at = self._field_at(box, _FORM_TYPE, 1)
        number = 0 if at is None else self._payload[at]
        name = self._text(self._target_of(box, _FORM_NAME))
        if not 0 < number <= len(_FORM_TABLES) or _FORM_TABLES[number - 1][0] != name:
            raise unknown_form(name)
        self._table(self._target_of(box, _FORM), _FORM_TABLES[number - 1][1])

    def _check_rules(self, ladder: _Table) -> None:
        """Check that rules have known numbers, each with the matching name."""
        at, names_at = (self._target_of(ladder, part) for part in (_RULES, _RULE_NAMES))
        numbers = self._payload[at + _OFFSET_BYTES :][: self._word(at)]
        _require(
            len(numbers) == self._word(names_at),
            "`rules` and `rule_names` must have the same number of entries",
        )
        for place, number in enumerate(numbers, 1):
            name = self._text(self._target(names_at + place * _OFFSET_BYTES))
            if _RULE_WORDS.get(number) != name:
                raise unknown_rule(name)

    def _check_rows(self, ladder: _Table) -> None:
        """Check that the rows cover the climbs in order, up to the last one."""
        at, climbs_at = (self._target_of(ladder, part) for part in (_ROWS, _CLIMBS))
        rows = self._payload[at + _OFFSET_BYTES :][: self._word(at) * _ROW.size]
        next_climb = 0
        for _, _, first_climb, climb_count, _ in _ROW.iter_unpack(rows):
            _require(
                first_climb == next_climb,
                "climbs of successive rows are not consecutive in `climbs`",
            )
            next_climb += climb_count
        _require(
            next_climb == self._word(climbs_at), "the rows do not have all entries of `climbs`"
        )

    def _start(self, at: int) -> _Table:
        """The table at a position, with its list of fields; both must be within the payload."""
        slots = at - int.from_bytes(self._bytes(at, _OFFSET_BYTES), "little", signed=True)
        _require(slots >= 0 and slots % _SLOT_BYTES == 0, _BAD_FIELDS)
        slots_size, size = struct.unpack("<HH", self._bytes(slots, _HEAD_BYTES))
        _require(slots_size >= _HEAD_BYTES and slots_size % _SLOT_BYTES == 0, _BAD_FIELDS)
        _require(slots + slots_size <= len(self._payload), _BAD_FIELDS)
        _require(_OFFSET_BYTES <= size <= len(self._payload) - at, _BAD_FIELDS)
        return _Table(at, size, slots, slots_size)

    def _field_at(self, table: _Table, number: int, size: int) -> int | None:
        """Position of the field with that number and size; None if it is absent."""
        slot = _HEAD_BYTES + _SLOT_BYTES * number
        if slot >= table.slots_size:
            return None
        offset = int.from_bytes(self._bytes(table.slots + slot, _SLOT_BYTES), "little")
        if offset == 0:
            return None
        _require(_OFFSET_BYTES <= offset <= table.size - size, "a field is outside its table")
        return table.at + offset

    def _target_of(self, table: _Table, number: int) -> int:
        """Target of the offset in a field that has been verified to exist."""
        at = self._field_at(table, number, _OFFSET_BYTES)
        assert at is not None
        return self._target(at)

    def _target(self, at: int) -> int:
        """Target of the offset at a position."""
        _require(at % _OFFSET_BYTES == 0, "an offset is not aligned")
        offset = self._word(at)
        _require(offset > 0 and offset % _OFFSET_BYTES == 0, "an offset has no valid target")
        _require(at + offset <= len(self._payload) - _OFFSET_BYTES, "an offset has no valid target")
        return at + offset

    def _count(self, at: int, size: int) -> int:
        """Number of elements, of `size` bytes each, of the vector at a position; all must fit."""
        count = self._word(at)
        spent = _OFFSET_BYTES + count * size
        _require(
            at + spent <= len(self._payload), "a vector extends beyond the end of the FlatBuffer"
        )
        self._left -= spent
        _require(self._left >= 0, "vectors and strings are together larger than the FlatBuffer")
        self.values.append(count)
        return count

    def _text(self, at: int) -> str:
        return self._payload[at + _OFFSET_BYTES :][: self._word(at)].decode()

    def _word(self, at: int) -> int:
        return int.from_bytes(self._bytes(at, _OFFSET_BYTES), "little")

    def _bytes(self, at: int, count: int) -> bytes:
        self.last_at = at
        _require(
            at + count <= len(self._payload), "an offset points beyond the end of the FlatBuffer"
        )
        return self._payload[at : at + count]


def _layout_of(line: str) -> tuple[str, tuple[_Field, ...]]:
    """The name of a table, and its fields in the order of their ids."""
    name, *words = line.split()
    return name, tuple(_field_of(word) for word in words)


def _field_of(word: str) -> _Field:
    kind = word.strip("[]!")
    size = int(kind) if kind.isdigit() else 0
    return _Field(kind, size, word.startswith("["), word.endswith("!"))


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Refusal(Code.BAD_STRUCTURE, otherwise)


_LAYOUTS = dict(map(_layout_of, TABLES))
_FORM_TABLES = [line.split() for line in FORMS]
