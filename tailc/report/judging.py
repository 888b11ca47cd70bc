"""What a tuned table was judged on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.tuning.tuned_table import AnyTunedTable

# In place of a tail, of a table that does not keep up.
OVERLOADED = "overloaded"


def judging_text(tuned: AnyTunedTable, replays: str = "replays") -> str:
    """How many replays at each rate judged, of how many requests, and of which records."""
    repeats, requests = tuned.replays
    kept = "held out from the search" if tuned.kept_out else "that it was tuned on"
    return f"{repeats} {replays} of {requests:,} requests on {tuned.judged_on:,} records {kept}"
