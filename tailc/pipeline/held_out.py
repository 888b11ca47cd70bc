"""The data to judge an artifact on, read as its compile read the design data."""

from __future__ import annotations

from tailc.artifact.envelope import InputRole, Policy
from tailc.traces.profile import DemandProfile
from tailc.traces.source import Format
from tailc.traces.split import split
from tailc.traces.trace import Trace, read_trace
from tailc.traces.written import reading_of_written


def read_held_out(
    policy: Policy,
    source: str,
    format: Format = "auto",  # noqa: A002 - as read_trace
) -> Trace:
    """The trace at `source` (`-` is standard input), by the policy's own reading.

    A part that `tailc split` wrote states its own reading. Where `source` is the whole trace that
    the policy was compiled from, and a split was recorded, the held-out part of it is returned.
    """
    own = reading_of_written(source)
    trace = read_trace(source, own or policy.reading, format)
    rule = policy.reading.split
    if own is not None or rule is None or not _is_whole(policy, trace.profile):
        return trace
    _, held_out = split(trace, rule)
    return Trace(held_out, None, trace.warnings)


def _is_whole(policy: Policy, profile: DemandProfile) -> bool:
    return any(
        part.role is InputRole.WHOLE and part.digest == profile.digest for part in policy.inputs
    )
