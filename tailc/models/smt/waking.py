"""How long batch work and cores take to wake up, as the evidence of a policy carries it."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lanes import Waking

# What the evidence of a policy on lanes says of waking up, where that takes time.
BATCH_WAKE, CORE_WAKE = "wake_ns", "core_wake_ns"
# Beyond what a spec can say, and with the time of a replay on top within 64 bits.
_LONGEST_NS = 2**53


def waking_of(policy: Policy) -> Waking:
    """How long batch work, and a core without any, were taken to wake up by the compile.

    Raises TailcError (BAD_ARTIFACT) for times that are none.
    """
    settings = dict(policy.evidence.settings)
    times_ns = {name: settings.get(name, 0) for name in (BATCH_WAKE, CORE_WAKE)}
    for name, time_ns in times_ns.items():
        if not 0 <= time_ns <= _LONGEST_NS:
            message = f"the evidence says that `{name}` is {time_ns:,}, which is no time to wake up"
            hint = "compile the policy anew"
            raise TailcError(Finding(Code.BAD_ARTIFACT, message, help=hint))
    return Waking(times_ns[BATCH_WAKE], times_ns[CORE_WAKE])
