"""Read held-out requests to a language model, in the same way as the design requests."""

from __future__ import annotations

from dataclasses import replace

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, TailcError
from tailc.traces.reading import TokensReading
from tailc.traces.source import Format
from tailc.traces.tokens import TokenTrace, read_tokens, split_tokens


def read_held_out_tokens(
    policy: Policy,
    source: str,
    format: Format = "auto",  # noqa: A002
) -> TokenTrace:
    """Read the trace at `source` (`-` is standard input) with the columns of the design trace.

    If it is the whole trace that the policy was compiled from, its held-out part is returned.
    """
    reading = policy.reading
    if not isinstance(reading, TokensReading):
        message = (
            f"policy `{policy.name}` has token budgets, but states a trace of "
            f"`{reading.measured.measure.value}`"
        )
        raise TailcError(Finding(Code.BAD_ARTIFACT, message, help="compile it again"))
    whole = read_tokens(source, reading, format)
    digests = {part.role: part.digest for part in policy.inputs}
    if reading.rows.split is not None and whole.digest == digests.get(InputRole.WHOLE):
        return split_tokens(whole)[1]
    return replace(whole, reading=reading.whole())
