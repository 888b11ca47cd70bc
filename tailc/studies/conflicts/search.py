"""Lines that cannot all hold: a set that none can be left out of, by leaving out one after another.

Junker's and Chinneck's deletion filter: of a set that cannot hold, a line is dropped where the
others cannot hold without it either. Where conflicts have nothing to do with each other, they are
found one after another, each beside those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailc.studies.conflicts.lines import Line, Path, Values


class EnoughError(Exception):
    """The budget of trials has been spent."""


@dataclass
class Trials:
    """Whether specs with other values are right, and can be met; each is asked once.

    most: how many may be asked whether they can be met, before EnoughError.
    """

    is_right: Callable[[Values], bool]
    is_feasible: Callable[[Values], bool]
    most: int
    known: dict[frozenset[tuple[Path, int]], bool] = field(default_factory=dict)

    def holds(self, values: Values) -> bool:
        """Whether the spec with these values is right, and can be met."""
        key = frozenset(values.items())
        if key not in self.known:
            if len(self.known) >= self.most:
                raise EnoughError
            self.known[key] = self.is_right(values) and self.is_feasible(values)
        return self.known[key]


@dataclass(frozen=True)
class Relaxed:
    """A line in a conflict.

    least: the strictest value that resolves the conflict if no other line of it changes; None if
    there is none. among: number of lines in the conflict. is_only: whether this is the only
    conflict.
    """

    line: Line
    least: int | None
    among: int
    is_only: bool


def relaxations(lines: Sequence[Line], trials: Trials) -> list[Relaxed]:
    """The lines of every conflict, and how far each has to give while the others hold.

    Empty where the spec can be met, where no relaxation of these lines helps, or where the budget
    does not suffice to tell which they are.
    """
    try:
        loosest = {line.path: _loosest(line, trials) for line in lines}
        conflicts = list(_conflicts(lines, loosest, trials))
    except EnoughError:
        return []
    found = []
    for conflict in conflicts:
        others = [line for other in conflicts if other is not conflict for line in other]
        besides = {line.path: loosest[line.path] for line in others}
        for line in conflict:
            least = _least(line, loosest[line.path], besides, trials)
            found.append(Relaxed(line, least, len(conflict), len(conflicts) == 1))
    return found


def _conflicts(
    lines: Sequence[Line], loosest: Mapping[Path, int], trials: Trials
) -> Iterator[list[Line]]:
    """Sets of lines that cannot all hold, none with a line that it could do without."""
    given: set[Path] = set()
    everything = {line.path for line in lines}

    def holds(relaxed: set[Path]) -> bool:
        return trials.holds({path: loosest[path] for path in relaxed})

    if not holds(everything):
        return
    while not holds(given):
        needed = [line for line in lines if line.path not in given]
        for line in list(needed):
            kept = {other.path for other in needed if other is not line}
            if not holds(everything - kept):
                needed.remove(line)
        yield needed
        given |= {line.path for line in needed}


def _loosest(line: Line, trials: Trials) -> int:
    """The loosest value, up to a limit, that is right with all others as they are written."""
    if trials.is_right({line.path: line.limit}):
        return line.limit
    return _last(line.written, line.limit, lambda steps: trials.is_right({line.path: steps}))


def _least(line: Line, loosest: int, besides: Values, trials: Trials) -> int | None:
    """The value next to what is written that ends the conflict; None: none does, or who knows."""

    def fails(steps: int) -> bool:
        return not trials.holds({**besides, line.path: steps})

    try:
        if fails(loosest):
            return None
        last, by = line.written, 1
        while (tried := _towards(loosest, line.written, by)) != loosest and fails(tried):
            last, by = tried, 2 * by
        failing = _last(last, tried, fails)
    except EnoughError:
        return None
    return failing + (1 if line.is_raised else -1)


def _towards(loosest: int, written: int, by: int) -> int:
    return min(loosest, written + by) if loosest > written else max(loosest, written - by)


def _last(first: int, other: int, is_so: Callable[[int], bool]) -> int:
    """The last value from `first` on, which is so, before `other`, which is not."""
    while abs(other - first) > 1:
        middle = (first + other) // 2
        first, other = (middle, other) if is_so(middle) else (first, middle)
    return first
