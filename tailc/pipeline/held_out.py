"""The data to judge an artifact on, read as its compile read the design data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tailc.artifact.envelope import InputRole, Policy
from tailc.traces.profile import DemandProfile
from tailc.traces.source import Format
from tailc.traces.split import split
from tailc.traces.trace import Trace, read_trace
from tailc.traces.written import reading_of_written


def read_held_out(policy: Policy, source: str, format: Format = "auto") -> Trace:  # noqa: A002
    """The trace at `source` (`-` is standard input), by the policy's own reading.

    A part that `tailc split` wrote states its own reading. Where `source` is the whole trace that
    the policy was compiled from, and a split was recorded, the held-out part of it is returned; any
    other trace need not have the column that decided the split. A pipe is read once, as it comes.
    """
    can_reopen = Path(source).is_file()
    own = reading_of_written(source) if can_reopen else None
    if own is not None:
        return read_trace(source, own, format)
    trace = read_trace(source, replace(policy.reading, split=None), format)
    rule = policy.reading.split
    if rule is None or not can_reopen or not _is_whole(policy, trace.profile):
        return trace
    _, held_out = split(read_trace(source, policy.reading, format), rule)
    return Trace(held_out, None, trace.warnings)


def _is_whole(policy: Policy, profile: DemandProfile) -> bool:
    return any(
        part.role is InputRole.WHOLE and part.digest == profile.digest for part in policy.inputs
    )
