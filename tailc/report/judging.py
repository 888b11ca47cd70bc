"""Text about the held-out replays that validated a tuned table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.tuning.tuned_table import AnyTunedTable

# Printed instead of a tail if the table is overloaded.
OVERLOADED = "overloaded"


def judging_text(tuned: AnyTunedTable, replays: str = "replays") -> str:
    """Format how a table was validated: replays per rate, their requests, and the records used."""
    repeats, requests = tuned.replays
    origin = "held out from the search" if tuned.is_held_out else "that it was tuned on"
    return f"{repeats} {replays} of {requests:,} requests on {tuned.judged_on:,} records {origin}"
