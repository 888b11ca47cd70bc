"""The clock at which the demands of a policy are counted."""

from __future__ import annotations

from tailc.artifact.envelope import Policy
from tailc.traces.reading import clock_khz_of


def reference_khz(policy: Policy) -> int | None:
    """The clock at which the policy's demands were measured [kHz]; None if the policy has none."""
    table = policy.tail_table
    khz = None if table is None else table.reference_khz
    return clock_khz_of(policy.reading) if khz is None else khz
