"""Compare how a server executed requests with the replay: thread time, threads, and ticks.

The thread time of a request is the threads of its rungs times time. A replay of the same demands
predicts its mean. The measured mean differs from that only by the loads at which requests ran, so
its standard error is that of means over consecutive requests (batch means) of the deviation from
the mean of requests with similar demands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tailc.models.server_load import Load
from tailc.traces.request_log import RequestLog

FEWEST_REQUESTS = 300
"""With fewer requests, thread times are not compared."""

_BATCHES = 30
_MOST_GROUPS = 50
_LEAST_IN_GROUP = 10
# A run without busy periods underestimates its standard error.
_STANDARD_ERRORS = 5.0
# Smaller deviations of the thread time, or of the mean latency, do not matter.
_LEAST_SHARE = 0.05
# A tick is late by half a period in the mean.
_LATE_SHARE = 1 / 3
_WORKED_SHARE = 0.75


@dataclass(frozen=True)
class ExecutionComparison:
    """Thread time of a request, measured and predicted [us], and how punctual its scheduler was.

    late_share: part of the run time in which a tick (a check of a request's age) was overdue.
    worked_share: part of the time granted to threads beyond the first in which they worked; None if
    requests had only one thread. is_faster: the mean latency is shorter than in the replay.
    is_sample: not every request was logged, so the load under which they ran is unknown.
    """

    thread_time_us: float
    predicted_thread_time_us: float
    standard_error_us: float
    late_share: float
    worked_share: float | None
    is_faster: bool
    is_sample: bool

    @property
    def deviates(self) -> bool:
        """Whether the measured thread time differs significantly from the replay's."""
        limit_us = _LEAST_SHARE * self.predicted_thread_time_us
        off_us = abs(self.thread_time_us - self.predicted_thread_time_us)
        return off_us > max(limit_us, _STANDARD_ERRORS * self.standard_error_us)

    @property
    def has_late_climbs(self) -> bool:
        """Whether late ticks explain that the measured thread time is not that of the replay.

        Late climbs lower the thread time, and no request is faster. Ticks that are late where no
        request climbs change nothing: often all processors are busy while requests are on their
        last rung.
        """
        is_lower = self.thread_time_us < self.predicted_thread_time_us
        return is_lower and not self.is_faster and self.late_share > _LATE_SHARE

    @property
    def lacks_threads(self) -> bool:
        """Whether threads that were granted to requests often did not work."""
        return self.worked_share is not None and self.worked_share < _WORKED_SHARE


def compare_execution(
    log: RequestLog, predicted: Load, *, has_serial_parts: bool
) -> ExecutionComparison | None:
    """Compare a server's log of requests with a replay of its demands; None for too few requests.

    has_serial_parts: in the replay, requests use one thread in their serial parts, so the
    prediction is the time for which threads work.
    """
    if len(log.demand_us) < FEWEST_REQUESTS:
        return None
    thread_us = log.thread_us if has_serial_parts else log.granted_us
    return ExecutionComparison(
        float(thread_us.mean()),
        predicted.thread_time_us,
        _standard_error(log, thread_us.astype(np.float64)),
        float(log.late_us.mean() / max(log.run_us.mean(), 1)),
        None if has_serial_parts else _worked_share(log),
        float(log.latency_us.mean()) < (1 - _LEAST_SHARE) * predicted.mean_latency_us,
        not log.has_every_request,
    )


def _worked_share(log: RequestLog) -> float | None:
    """Part of the time granted to threads beyond the first in which these worked."""
    several = log.granted_us > log.run_us
    if not several.any():
        return None
    run_us = log.run_us[several].mean()
    granted_us, worked_us = (
        each[several].mean() - run_us for each in (log.granted_us, log.thread_us)
    )
    return float(np.clip(worked_us / granted_us, 0, 1))


def _standard_error(log: RequestLog, thread_us: np.ndarray) -> float:
    """Standard error of the mean thread time of requests with these demands."""
    groups = min(_MOST_GROUPS, len(thread_us) // _LEAST_IN_GROUP)
    residual = np.empty_like(thread_us)
    for group in np.array_split(np.argsort(log.demand_us, kind="stable"), groups):
        ratio = thread_us[group].sum() / log.demand_us[group].sum()
        residual[group] = thread_us[group] - ratio * log.demand_us[group]
    means = [batch.mean() for batch in np.array_split(residual, _BATCHES)]
    return float(np.std(means, ddof=1)) / math.sqrt(_BATCHES)
