"""Spec keys for the speed-up of an application: a built-in shape by name, or tables.

A table has the speed-up by servers; there may be one for each number of virtual machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from tailc.errors import Code, did_you_mean
from tailc.specs.fields import (
    MAX_SPEEDUP,
    POSITIVE_SCHEMA,
    PPM,
    Complaint,
    RefusalError,
    exact,
    value_text,
)
from tailc.specs.jobs import MOST_WIDTH
from tailc.specs.speedup_shapes import SPEEDUP_SHAPES

PPT = 1_000
Table = Mapping[int, int]


@dataclass(frozen=True)
class Speedups:
    """Speed-up of an application on servers, in millionths (whole thousandths).

    Exactly one field is given. shape: name of a built-in shape. tables: by number of virtual
    machines, then of servers. every: by servers, for any number of virtual machines.
    """

    shape: str | None = None
    tables: Mapping[int, Table] = field(default_factory=dict)
    every: Table | None = None

    def speedups_on(self, vms: int, counts: Sequence[int]) -> dict[int, int]:
        """Speed-ups of an application with `vms` virtual machines, by number of servers.

        Numbers of servers without a speed-up are left out.
        """
        if self.shape is not None:
            speedups_ppt = SPEEDUP_SHAPES[self.shape].speedup_ppt(vms, counts)
            return {n: PPT * ppt for n, ppt in zip(counts, speedups_ppt, strict=True)}
        table = self.tables.get(vms, {}) if self.every is None else self.every
        return {n: table[n] for n in counts if n in table}

    @property
    def stated_tables(self) -> Iterator[tuple[tuple[str, ...], Table]]:
        """Yield the speed-up tables of the spec, each with its path."""
        if self.every is not None:
            yield (), self.every
        for vms, table in self.tables.items():
            yield (str(vms),), table


def _speedups(value: object) -> Speedups:
    if isinstance(value, Speedups):
        return value
    if isinstance(value, str):
        if value not in SPEEDUP_SHAPES:
            message = f"{value_text(value)} is not a shape of a speed-up"
            hint = did_you_mean(value, tuple(SPEEDUP_SHAPES))
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
        return Speedups(shape=value)
    if not isinstance(value, dict) or not value:
        message = f"must be the name of a shape or a table, not {value_text(value)}"
        hint = "write `FT`, or speed-ups by servers such as `{1: 1, 2: 1.9, 4: 3.4}`"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    if all(isinstance(one, dict) for one in value.values()):
        return Speedups(tables={_count(vms): _table(one, (vms,)) for vms, one in value.items()})
    return Speedups(every=_table(value, ()))


def _table(value: dict[str, Any], at: tuple[str, ...]) -> Table:
    if not value:
        raise RefusalError(Complaint(Code.BAD_VALUE, "has no speed-ups", "for example `{1: 1}`"))
    return dict(sorted((_count(key, at), _ppm(one, (*at, key))) for key, one in value.items()))


def _count(key: str, at: tuple[str, ...] = ()) -> int:
    if key.isascii() and key.isdigit() and 1 <= int(key) <= MOST_WIDTH:
        return int(key)
    message = "is not a number of servers or virtual machines"
    raise RefusalError(Complaint(Code.BAD_VALUE, message, "write a whole number", (*at, key)))


def _ppm(value: object, at: tuple[str, ...]) -> int:
    try:
        ppt = round(exact(value) * PPT)
    except RefusalError as refusal:
        complaint = refusal.complaints[0]
        raise RefusalError(
            Complaint(complaint.code, complaint.message, complaint.help, at)
        ) from None
    if not 0 < ppt <= MAX_SPEEDUP * PPT:
        message = f"must be from 0.001 to {MAX_SPEEDUP:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `1.9`", at))
    return ppt * (PPM // PPT)


_TABLE_SCHEMA = {"type": "object", "additionalProperties": POSITIVE_SCHEMA}
SpeedupsField = Annotated[
    Speedups,
    BeforeValidator(_speedups),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": list(SPEEDUP_SHAPES)},
                _TABLE_SCHEMA,
                {"type": "object", "additionalProperties": _TABLE_SCHEMA},
            ]
        }
    ),
]
