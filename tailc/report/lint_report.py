"""What was looked at in traces, and how much was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tailc.errors import Severity
from tailc.lint.lint import Linted
from tailc.units import counted, printable

_NOTHING = "no column: name them by `--column` and `--time`"


def linted_text(every: Sequence[Linted]) -> str:
    """A line for each trace: what it is, what was looked at, and what was found."""
    return "".join(f"{printable(one.name)}: {_told(one)}\n" for one in every)


def linted_result(every: Sequence[Linted]) -> dict[str, Any]:
    """The same for programs; rows is null where they could not be counted."""
    return {
        "format": "tailc-lint",
        "version": 1,
        "traces": [
            {
                "name": one.name,
                "format": one.format,
                "rows": one.rows,
                "checked_columns": list(one.looked_at),
                **{f"{kind.value}s": _count(one, kind) for kind in Severity},
            }
            for one in every
        ],
    }


def _told(one: Linted) -> str:
    rows = "" if one.rows is None else f", {one.rows:,} row{'s' * (one.rows != 1)}"
    looked = ", ".join(f"`{printable(name)}`" for name in one.looked_at) or _NOTHING
    found = ", ".join(counted(_count(one, kind), kind.value) for kind in Severity)
    return f"{one.format}{rows}\n  checked {looked}\n  {found}"


def _count(one: Linted, kind: Severity) -> int:
    return sum(finding.severity is kind for finding in one.findings)
