"""The traces of variants of a spec: each is read once for all variants that read it alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tailc.errors import Finding, TailcError
from tailc.pipeline.spec import OpenedSpec
from tailc.pipeline.trace import Measured, open_measured

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
    """The traces of variants, each held from its first use to its last.

    None: a variant that could not be opened.
    """

    def __init__(self, variants: Sequence[OpenedSpec | None]) -> None:
        self._variants = variants
        self._unused = Counter(map(_reading_key, variants))
        self._read: dict[str, _ReadTrace] = {}

    def reading_of(self, number: int) -> ReadTrace:
        """How a variant gets its trace; each variant is asked for once."""
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
    how = spec.demand, spec.speedup, spec.max_degree, spec.serial
    return repr((spec.kind, opened.path, *how))


def _read(opened: OpenedSpec) -> _ReadTrace:
    try:
        return _ReadTrace(open_measured(opened))
    except TailcError as error:
        return _ReadTrace(error.findings)
