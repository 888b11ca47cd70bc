"""Open specs whose demand is in cycles and memory time, for cores with several frequencies."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import OpenedSpec, open_kind
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.units import printable


def open_clocked(path: str) -> OpenedSpec:
    """Open the spec at `path`; TailcError for a kind without frequencies."""
    opened = open_kind(path)
    if isinstance(opened.spec.demand, ClockedDemandSpec):
        return opened
    message = f"the kind `{printable(opened.spec.kind)}` cannot share cores with batch work"
    hint = "give a spec of kind `rubik`, whose demand is cycles and memory time"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, opened.loaded.place("kind"), hint))
