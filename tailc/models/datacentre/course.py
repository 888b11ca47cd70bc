"""Time series of a replay window: energy by interval, and when jobs began or were refused."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.ledger import LedgerEntry


@dataclass(frozen=True, eq=False)
class Course:
    """Time series of energy and jobs in the replay of one window.

    Times are seconds since its start.

    edges_s: start of each interval, and end of the last. entries: energy of each interval.
    forecast_mw: green power by interval as forecast at the start, or None if jobs do not use a
    forecast. begun_s, refused_s: time of each start and of each refusal of a job.
    """

    edges_s: tuple[int, ...]
    entries: tuple[LedgerEntry, ...]
    forecast_mw: tuple[int, ...] | None
    begun_s: tuple[int, ...]
    refused_s: tuple[int, ...]
