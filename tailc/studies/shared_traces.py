"""Read each trace once for all variants of a spec that read it in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tailc.errors import Finding, TailcError
from tailc.pipeline.spec import OpenedSpec
from tailc.pipeline.trace import Measured, OpenedTrace, open_measured
from tailc.pipeline.tuning_arrivals import recorded_parts
from tailc.traces.arrivals import ArrivalColumn

# From an opened spec to its trace.
ReadTrace = Callable[[OpenedSpec], Measured]


@dataclass(frozen=True, eq=False)
class _ReadTrace:
    """What reading a trace gave: its data, or the findings why there is none.

    It travels to the process that compiles a variant.
    """

    found: Measured | tuple[Finding, ...]

    def __call__(self, _opened: OpenedSpec) -> Measured:
        if isinstance(self.found, tuple):
            raise TailcError(self.found)
        return self.found


class SharedTraces:
    """The traces that the variants of a sweep read, each in memory from first to last use.

    A variant that could not be opened is None.
    """

    def __init__(self, variants: Sequence[OpenedSpec | None]) -> None:
        self._variants = variants
        self._unused = Counter(map(_reading_key, variants))
        self._read: dict[str, _ReadTrace] = {}

    def reading_of(self, number: int) -> ReadTrace:
        """Make the function that reads the trace of a variant; call it once per variant."""
        opened = self._variants[number]
        if opened is None:
            return open_measured
        key = _reading_key(opened)
        if key not in self._read:
            self._read[key] = _read(opened)
        self._unused[key] -= 1
        return self._read[key] if self._unused[key] else self._read.pop(key)


def _reading_key(opened: OpenedSpec | None) -> str:
    """Everything that a reading of the trace depends on."""
    if opened is None:
        return ""
    spec = opened.spec
    how = spec.demand, spec.speedup, spec.max_degree, spec.serial, _recorded_column(opened)
    return repr((spec.kind, opened.path, *how))


def _read(opened: OpenedSpec) -> _ReadTrace:
    try:
        found = open_measured(opened)
    except TailcError as error:
        return _ReadTrace(error.findings)
    column = _recorded_column(opened)
    if column is None or not isinstance(found, OpenedTrace):
        return _ReadTrace(found)
    try:
        return _ReadTrace(replace(found, recorded=recorded_parts(column, found)))
    except TailcError:
        # Each variant finds the error at its place.
        return _ReadTrace(found)


def _recorded_column(opened: OpenedSpec) -> ArrivalColumn | None:
    """The column of the arrivals that a table is tuned on; None if there is none."""
    try:
        aim = opened.kind.tuning.aim(opened.spec)
    except TailcError:
        return None
    return None if aim is None else aim.recorded
