"""Match the epochs of a replay window to those of a plan by the time of day."""

from __future__ import annotations

from collections.abc import Callable

from tailc.forms.plan.plan import Plan
from tailc.traces.series.series import SECONDS_PER_DAY


def epoch_of(plan: Plan, start_unix_s: int) -> Callable[[int], int]:
    """Map an epoch of a window of days to the plan's epoch at the same time of day (UTC).

    After the plan's end its last days repeat. A plan of less than a day repeats from its start,
    whatever the time of day.
    """
    epochs = len(plan.epochs)
    lead = (start_unix_s - plan.start_unix_s) % SECONDS_PER_DAY // plan.epoch_s
    days = epochs * plan.epoch_s // SECONDS_PER_DAY
    period = days * SECONDS_PER_DAY // plan.epoch_s or epochs

    def plan_epoch(epoch: int) -> int:
        since = lead + epoch
        beyond = since - epochs
        return since if beyond < 0 else since - (beyond // period + 1) * period

    return plan_epoch
