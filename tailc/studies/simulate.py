"""Find the trace to replay for a spec that `simulate` compiles itself."""

from __future__ import annotations

from pathlib import Path

from tailc.errors import Code, Finding, TailcError
from tailc.pipeline.spec import open_kind
from tailc.specs.days import DaysSettings

STDIN = "-"


def trace_of(spec_path: str) -> str:
    """Return the path of the trace that a spec names, so that a replay can read the trace again.

    With the compiled policy, `read_held_out` then selects the held-out part of the trace, or the
    whole trace if the spec has no held-out part. For a spec that plans days, return the path of the
    spec, which describes the days after the plan. Raises TailcError if spec or trace are standard
    input, which can be read only once.
    """
    if spec_path != STDIN:
        opened = open_kind(spec_path)
        if isinstance(opened.spec.demand, DaysSettings):
            return spec_path
        trace = opened.spec.demand.trace
        if trace != STDIN:
            return str(Path(spec_path).parent / trace)
    message = "standard input can be read only once, and the compile has read it"
    raise TailcError(
        Finding(Code.USAGE, message, help="give the requests to replay with `--trace`")
    )
