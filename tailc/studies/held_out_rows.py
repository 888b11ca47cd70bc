"""Read held-out throughput to judge a policy, in the same way as its design rows."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, TailcError
from tailc.traces.reading import ThroughputReading
from tailc.traces.source import Format
from tailc.traces.throughput import ThroughputTrace, read_throughput, split_throughput


def read_held_out_rows(
    policy: Policy,
    source: str,
    format: Format = "auto",  # noqa: A002
) -> ThroughputTrace:
    """Read the trace at `source` (`-` is standard input) with the columns of the design trace.

    If it is the whole trace that the policy was compiled from, its held-out part is returned.
    """
    reading = _reading_of(policy)
    whole = read_throughput(source, reading, format)
    digests = {part.role: part.digest for part in policy.inputs}
    if reading.rows.split is not None and whole.digest == digests.get(InputRole.WHOLE):
        return split_throughput(whole)[1]
    return replace(whole, reading=reading.whole())


def _reading_of(policy: Policy) -> ThroughputReading:
    reading = policy.reading
    if isinstance(reading, ThroughputReading):
        return reading
    message = (
        f"policy `{policy.name}` has shares of a host, but states a trace of "
        f"`{reading.measured.measure.value}`"
    )
    raise TailcError(Finding(Code.BAD_ARTIFACT, message, help="compile it again"))
