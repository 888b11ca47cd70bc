"""Find minimal sets of spec lines that cannot all hold, by a deletion filter.

The deletion filter (Junker; Chinneck) removes a line from a set if the rest is still infeasible.
Independent conflicts are found one after another, with the earlier ones relaxed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tailc.studies.conflicts.lines import Path, SpecLine, Values


class TrialsSpentError(Exception):
    """The budget of trials (feasibility tests of changed specs) is spent."""


@dataclass
class Trials:
    """Cached feasibility tests of a spec with changed values.

    is_right: whether the values are valid in the spec. is_feasible: whether some policy meets it.
    most: number of tests before TrialsSpentError. known: results of the tests, by the
    changed values.
    """

    is_right: Callable[[Values], bool]
    is_feasible: Callable[[Values], bool]
    most: int
    known: dict[frozenset[tuple[Path, int]], bool] = field(default_factory=dict)

    def holds(self, values: Values) -> bool:
        """Whether the spec with these values is valid, and some policy meets its limits."""
        key = frozenset(values.items())
        if key not in self.known:
            if len(self.known) >= self.most:
                raise TrialsSpentError
            self.known[key] = self.is_right(values) and self.is_feasible(values)
        return self.known[key]


@dataclass(frozen=True)
class Relaxation:
    """A line of a spec in a conflict, and how it alone resolves the conflict.

    least: the strictest value that resolves the conflict if no other line of it changes; None if
    there is none. among: number of lines in the conflict. is_only: whether the spec has no other
    conflict.
    """

    line: SpecLine
    least: int | None
    among: int
    is_only: bool


def relaxations(lines: Sequence[SpecLine], trials: Trials) -> list[Relaxation]:
    """Find the lines of every conflict, with the value of each that resolves it alone.

    Empty if the spec is feasible, if no relaxation of these lines helps, or if the budget of trials
    ends before the conflicts are known.
    """
    try:
        loosest = {line.path: _loosest(line, trials) for line in lines}
        conflicts = list(_conflicts(lines, loosest, trials))
    except TrialsSpentError:
        return []
    result = []
    for conflict in conflicts:
        others = [line for other in conflicts if other is not conflict for line in other]
        besides = {line.path: loosest[line.path] for line in others}
        for line in conflict:
            least = _least(line, loosest[line.path], besides, trials)
            result.append(Relaxation(line, least, len(conflict), len(conflicts) == 1))
    return result


def _conflicts(
    lines: Sequence[SpecLine], loosest: Mapping[Path, int], trials: Trials
) -> Iterator[list[SpecLine]]:
    """Minimal sets of lines that cannot all hold."""
    given: set[Path] = set()
    everything = {line.path for line in lines}

    def holds(relaxed: set[Path]) -> bool:
        return trials.holds({path: loosest[path] for path in relaxed})

    if not holds(everything):
        return
    while not holds(given):
        needed = [line for line in lines if line.path not in given]
        for line in list(needed):
            remaining = {other.path for other in needed if other is not line}
            if not holds(everything - remaining):
                needed.remove(line)
        yield needed
        given |= {line.path for line in needed}


def _loosest(line: SpecLine, trials: Trials) -> int:
    """The loosest value, up to a limit, that is valid with all other lines as written."""
    if trials.is_right({line.path: line.limit}):
        return line.limit
    return _last(line.written, line.limit, lambda steps: trials.is_right({line.path: steps}))


def _least(line: SpecLine, loosest: int, besides: Values, trials: Trials) -> int | None:
    """Nearest value that resolves the conflict; None if there is none or it is unknown."""

    def fails(steps: int) -> bool:
        return not trials.holds({**besides, line.path: steps})

    try:
        if fails(loosest):
            return None
        last, by = line.written, 1
        while (candidate := _towards(loosest, line.written, by)) != loosest and fails(candidate):
            last, by = candidate, 2 * by
        failing = _last(last, candidate, fails)
    except TrialsSpentError:
        return None
    return failing + (1 if line.is_raised else -1)


def _towards(loosest: int, written: int, by: int) -> int:
    return min(loosest, written + by) if loosest > written else max(loosest, written - by)


def _last(first: int, other: int, is_so: Callable[[int], bool]) -> int:
    """The last value, from `first` towards `other`, for which `is_so` is true.

    `is_so` is true for `first` and false for `other`.
    """
    while abs(other - first) > 1:
        middle = (first + other) // 2
        first, other = (middle, other) if is_so(middle) else (first, middle)
    return first
