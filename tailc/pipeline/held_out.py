"""The data to judge an artifact on, read as its compile read the design data."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, TailcError
from tailc.pipeline.remarks import other_measure
from tailc.traces.reading import SplitRule
from tailc.traces.source import Format, Source, open_source
from tailc.traces.split import split
from tailc.traces.trace import Trace, trace_in
from tailc.traces.written import reading_stated_in


def read_held_out(policy: Policy, source: str, format: Format = "auto") -> Trace:  # noqa: A002
    """The trace at `source` (`-` is standard input), by the policy's own reading.

    A part that `tailc split` wrote states its own reading. Where `source` is the whole trace that
    the policy was compiled from, and a split was recorded, the held-out part of it is returned; any
    other trace need not have the column that decided the split.
    """
    with open_source(source) as opened:
        own = reading_stated_in(opened)
        if own is not None:
            part = trace_in(opened, own, format)
            remarks = other_measure(policy, own, Place(opened.name))
            return replace(part, warnings=(*part.warnings, *remarks))
        trace = trace_in(opened, replace(policy.reading, split=None), format)
        rule = policy.reading.split
        if rule is None or trace.profile.digest != _digest_of(policy, InputRole.WHOLE):
            return trace
        return _held_out_part(policy, rule, opened, format)


def _held_out_part(policy: Policy, rule: SplitRule, opened: Source, format: Format) -> Trace:  # noqa: A002
    whole = trace_in(opened, policy.reading, format)
    _, held_out = split(whole, rule)
    if held_out.digest != _digest_of(policy, InputRole.HELD_OUT):
        message = "is the whole compile trace in another order, so its held-out part is not known"
        hint = "give the trace as it was compiled, or the held-out part that `tailc split` wrote"
        place = Place(opened.name)
        raise TailcError(Finding(Code.COMPILE_TRACE, f"`{opened.name}` {message}", place, hint))
    return Trace(held_out, None, whole.warnings)


def _digest_of(policy: Policy, role: InputRole) -> str | None:
    return next((part.digest for part in policy.inputs if part.role is role), None)
