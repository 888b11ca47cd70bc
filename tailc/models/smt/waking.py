"""Wake-up times of batch work and cores, as stored in the evidence of a policy."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.errors import Code, Finding, TailcError
from tailc.forms.ladder.lanes import Waking

# Field of the evidence of a policy on lanes, if waking takes time.
BATCH_WAKE, CORE_WAKE = "wake_ns", "core_wake_ns"
# Beyond what a spec can say; with the time of a replay on top it fits into 64 bits.
_LONGEST_NS = 2**53


def waking_of(policy: Policy) -> Waking:
    """Wake-up times of batch work, and of a core without any, that the compile assumed.

    Raises TailcError (BAD_ARTIFACT) for impossible times.
    """
    settings = dict(policy.evidence.settings)
    times_ns = {name: settings.get(name, 0) for name in (BATCH_WAKE, CORE_WAKE)}
    for name, time_ns in times_ns.items():
        if not 0 <= time_ns <= _LONGEST_NS:
            message = (
                f"the evidence states `{name}` as {time_ns:,}, which is not a valid time to wake up"
            )
            hint = "compile the policy again"
            raise TailcError(Finding(Code.BAD_ARTIFACT, message, help=hint))
    return Waking(times_ns[BATCH_WAKE], times_ns[CORE_WAKE])
