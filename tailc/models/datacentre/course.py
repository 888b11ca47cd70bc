"""How a window went on: energy by interval, and when jobs began or were refused."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.forms.plan.ledger import Entry


@dataclass(frozen=True, eq=False)
class Course:
    """Intervals that follow one another, and moments, in seconds since the start of the window.

    edges_s: where each interval begins, and where the last ends. forecast_mw: by interval, the
    green power that was forecast at the start; None where jobs do not wait for a forecast. begun_s,
    refused_s: of each job that did or was.
    """

    edges_s: tuple[int, ...]
    entries: tuple[Entry, ...]
    forecast_mw: tuple[int, ...] | None
    begun_s: tuple[int, ...]
    refused_s: tuple[int, ...]
