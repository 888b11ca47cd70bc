"""The lines of a spec that may change to resolve a conflict, with their possible values.

For example, a longer latency of an SLO, or a lower rate.
"""

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
"""New values at paths of a spec, in steps of the line there."""

# A value is changed in steps of its second digit or finer.
_DIGITS = 2
_NUMBER = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(\D*?)\s*")


@dataclass(frozen=True)
class SpecLine:
    """A number in a spec that may change to resolve a conflict, counted in steps of its last digit.

    written: the current number of steps. digits: digits after the point. unit: the text after the
    number. is_raised: whether larger values are less strict. below: path of a duration that this
    value may not exceed. furthest: largest factor of a change.
    """

    path: Path
    written: int
    digits: int
    unit: str
    is_raised: bool
    below: Path | None = None
    furthest: int = 8

    def value(self, steps: int) -> str | int | float:
        """Convert steps of the last digit to a value: text if it has a unit, else a number."""
        number = Decimal(steps).scaleb(-self.digits).normalize()
        if self.unit:
            return f"{number:f}{self.unit}"
        return int(number) if number == number.to_integral_value() else float(number)

    @property
    def limit(self) -> int:
        """The least strict value that is tried, in steps of the last digit."""
        return self.written * self.furthest if self.is_raised else -(-self.written // self.furthest)

    @property
    def text(self) -> str:
        """The current value as text in canonical spelling, with its unit."""
        return str(self.value(self.written))


def lines_of(document: Document, soft: Sequence[SoftLine]) -> Iterator[SpecLine]:
    """Find the numbers of a spec that may change to resolve a conflict, in the order of `soft`.

    soft: paths in the spec, possibly with a wildcard for all items of a list.
    """
    for line in soft:
        for path, node in _matching_nodes(document.root, line.path, ()):
            line_of_node = _line(path, node, line)
            if line_of_node is not None:
                yield line_of_node


def _matching_nodes(node: Node | None, steps: Path, path: Path) -> Iterator[tuple[Path, Node]]:
    if node is None:
        return
    if not steps:
        yield path, node
    elif isinstance(node, Listed):
        for at, item in enumerate(node.items if steps[0] == EVERY else ()):
            yield from _matching_nodes(item, steps[1:], (*path, at))
    elif not isinstance(node, Scalar):
        entry = node.get(str(steps[0]))
        yield from _matching_nodes(entry.value if entry else None, steps[1:], (*path, steps[0]))


def _line(path: Path, node: Node, soft: SoftLine) -> SpecLine | None:
    if not isinstance(node, Scalar) or isinstance(node.value, bool) or node.value is None:
        return None
    match = _NUMBER.fullmatch(str(node.value))
    if match is None or not Decimal(match[1]):
        return None
    number = Decimal(match[1])
    digits = max(0, -int(number.as_tuple().exponent))
    if not isinstance(node.value, int):
        digits = max(digits, _DIGITS - 1 - number.adjusted())
    return SpecLine(
        path,
        int(number.scaleb(digits)),
        digits,
        match[2],
        soft.is_raised,
        soft.below,
        soft.furthest,
    )


def with_values(spec: dict[str, Any], lines: Sequence[SpecLine], values: Values) -> dict[str, Any]:
    """Replace numbers in a spec by changed values.

    lines: numbers that may change. values: new value by path, in steps of the last digit.
    """
    changed = copy.deepcopy(spec)
    for line in lines:
        if line.path in values:
            _set_value(changed, line.path, line.value(values[line.path]))
    for line in lines:
        if line.path in values and line.below is not None:
            most = _value_at(changed, line.below)
            if parse_us(str(_value_at(changed, line.path))) > parse_us(str(most)):
                _set_value(changed, line.path, most)
    return changed


def _value_at(spec: Any, path: Path) -> Any:
    for step in path:
        spec = spec[step]
    return spec


def _set_value(spec: Any, path: Path, value: str | int | float) -> None:
    _value_at(spec, path[:-1])[path[-1]] = value
