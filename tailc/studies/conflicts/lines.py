"""Lines of a spec that may give: what is written there, and what could be instead."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tailc.policies import EVERY, SoftLine
from tailc.specs.tree import Document, Node, Scalar, Step
from tailc.specs.tree import Sequence as Listed
from tailc.units import parse_us

Path = tuple[Step, ...]
Values = Mapping[Path, int]
"""Instead of what is written at these paths, so many steps of the line there."""

# Two digits of what is written are told apart at least.
_DIGITS = 2
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(\D*?)\s*")


@dataclass(frozen=True)
class Line:
    """A quantity or a number, as whole steps of its last digit.

    digits: after the point. unit: what stands behind the number. is_raised: whether more is less
    strict. below: the path of a duration that this one may not exceed.
    furthest: how many times as much, or as little, is thought of.
    """

    path: Path
    written: int
    digits: int
    unit: str
    is_raised: bool
    below: Path | None = None
    furthest: int = 8

    def value(self, steps: int) -> str | int | float:
        """So many steps as a spec has them: text if there is a unit, else a number."""
        number = Decimal(steps).scaleb(-self.digits).normalize()
        if self.unit:
            return f"{number:f}{self.unit}"
        return int(number) if number == number.to_integral_value() else float(number)

    @property
    def limit(self) -> int:
        """The loosest steps that are thought of."""
        return self.written * self.furthest if self.is_raised else -(-self.written // self.furthest)

    @property
    def text(self) -> str:
        """What is written, in the one spelling."""
        return str(self.value(self.written))


def lines_of(document: Document, soft: Sequence[SoftLine]) -> Iterator[Line]:
    """The lines that may give and that the spec has, in the order of `soft`."""
    for line in soft:
        for path, node in _found(document.root, line.path, ()):
            found = _line(path, node, line)
            if found is not None:
                yield found


def _found(node: Node | None, steps: Path, path: Path) -> Iterator[tuple[Path, Node]]:
    if node is None:
        return
    if not steps:
        yield path, node
    elif isinstance(node, Listed):
        for at, item in enumerate(node.items if steps[0] == EVERY else ()):
            yield from _found(item, steps[1:], (*path, at))
    elif not isinstance(node, Scalar):
        entry = node.get(str(steps[0]))
        yield from _found(entry.value if entry else None, steps[1:], (*path, steps[0]))


def _line(path: Path, node: Node, soft: SoftLine) -> Line | None:
    if not isinstance(node, Scalar) or isinstance(node.value, bool) or node.value is None:
        return None
    match = _NUMBER.fullmatch(str(node.value))
    if match is None or not Decimal(match[1]):
        return None
    number = Decimal(match[1])
    digits = max(0, -int(number.as_tuple().exponent))
    if not isinstance(node.value, int):
        digits = max(digits, _DIGITS - 1 - number.adjusted())
    return Line(
        path,
        int(number.scaleb(digits)),
        digits,
        match[2],
        soft.is_raised,
        soft.below,
        soft.furthest,
    )


def with_values(spec: dict[str, Any], lines: Sequence[Line], values: Values) -> dict[str, Any]:
    """The spec with other values at some lines."""
    changed = copy.deepcopy(spec)
    for line in lines:
        if line.path in values:
            _put(changed, line.path, line.value(values[line.path]))
    for line in lines:
        if line.path in values and line.below is not None:
            most = _at(changed, line.below)
            if parse_us(str(_at(changed, line.path))) > parse_us(str(most)):
                _put(changed, line.path, most)
    return changed


def _at(spec: Any, path: Path) -> Any:
    for step in path:
        spec = spec[step]
    return spec


def _put(spec: Any, path: Path, value: str | int | float) -> None:
    _at(spec, path[:-1])[path[-1]] = value
