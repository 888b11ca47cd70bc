"""Parallel requests on threads, as a policy schedules them."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic_ns
from typing import Self, TypeVar

from tailc_runtime.boosting import Booster
from tailc_runtime.core_binding import CoreBinding, Processors
from tailc_runtime.demand_log import DemandLog, RequestTimes
from tailc_runtime.parallel_task import ParallelTask
from tailc_runtime.schedule import Request
from tailc_runtime.scheduling import (
    NS_PER_S,
    NS_PER_US,
    AnyPolicy,
    PartTimes,
    Policy,
    Running,
    Scheduling,
)

_LOGGER = logging.getLogger("tailc_runtime")
_T = TypeVar("_T")
# How often a policy that is watched is looked at while nothing else happens.
_FOLLOW_NS = NS_PER_S


class Scheduler:
    """Admits requests and gives each the threads of its rung; for any number of threads.

    policy: a table, the tables of `open_policies`, or a watched policy, which is followed.
    most_threads: of all requests together. on_reload: called with each policy that replaces
    another, under the lock of the scheduler, so it must not wait; what it raises is logged.
    log: gets the processor time of each request that `run` ends, and its times if the log has
    them; in a log with classes, a request without one has the empty class. An OSError of the log is
    logged, and fails no request.
    processors: numbers of those of each core type, to which threads of requests are bound, for a
    policy whose rungs are cores; it needs at least as many threads as cores.
    Raises ScheduleError for a policy that a schedule cannot apply. `booster.why_not` says if no
    thread can be boosted.
    """

    def __init__(
        self,
        policy: AnyPolicy,
        most_threads: int,
        *,
        on_reload: Callable[[Policy], None] | None = None,
        log: DemandLog | None = None,
        processors: Processors | None = None,
        clock_ns: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._binding = CoreBinding(processors or {})
        self._scheduling = Scheduling(policy, clock_ns, on_reload, self._binding)
        self._clock_ns, self._log = clock_ns, log
        self._changed = threading.Condition(threading.RLock())
        self._alarm_ns: int | None = None
        self._is_closed = False
        self._pool = ThreadPoolExecutor(most_threads, thread_name_prefix="tailc")
        self.booster = Booster()
        self._timers = threading.Thread(target=self._keep_time, name="tailc-timers", daemon=True)
        self._timers.start()

    @contextlib.contextmanager
    def admitted(self, request_class: str | None = None) -> Iterator[Running]:
        """Wait until a request starts; it exits at the end of the block. Raises Refused."""
        started = threading.Event()
        with self._changed:
            running = self._scheduling.arrive(request_class, started.set)
            self._set_alarm()
        try:
            started.wait()
            yield running
        finally:
            with self._changed:
                now_ns = self._scheduling.exit(running)
                self._set_alarm()
            if self._log is not None and running.part_times is not None:
                _record(self._log, running.request, running.part_times, now_ns)

    def run(self, parts: Iterable[Callable[[], _T]], request_class: str | None = None) -> list[_T]:
        """Run the parts of a request on as many threads as it has; results in the order of ends.

        Raises Refused, or what the first failed part raised. A request that is cut off returns
        what it has.
        """
        with self.admitted(request_class) as running:
            return self.run_parts(running, parts)

    def run_parts(self, running: Running, parts: Iterable[Callable[[], _T]]) -> list[_T]:
        """Like `run`, for a request that has been admitted."""
        task = ParallelTask(parts, running, self._pool, self.booster, self._binding)
        running.on_change = task.grow
        task.grow()
        results, running.part_times = task.wait()
        return results

    def metrics(self) -> str:
        """Counters and gauges as OpenMetrics text."""
        with self._changed:
            return self._scheduling.metrics()

    def close(self) -> None:
        """End the timers and the pool; first, all requests must have ended."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._timers.join()
        self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set_alarm(self) -> None:
        """Wake the timers' thread if a timer is due before its alarm."""
        due_ns = self._scheduling.due_ns
        if due_ns is not None and (self._alarm_ns is None or due_ns < self._alarm_ns):
            self._changed.notify_all()

    def _keep_time(self) -> None:
        with self._changed:
            while not self._is_closed:
                left_ns = self._scheduling.wake()
                left_ns = _FOLLOW_NS if left_ns is None else min(left_ns, _FOLLOW_NS)
                self._alarm_ns = self._clock_ns() + left_ns
                self._changed.wait(left_ns / NS_PER_S)


def _record(log: DemandLog, request: Request, parts: PartTimes, exited_ns: int) -> None:
    """Record a request, which has ended whether or not the file can be written."""
    ran_ns = exited_ns - request.started_ns, parts.thread_ns, request.granted_ns, request.late_ns
    waited_ns = request.started_ns - request.arrived_ns
    times = RequestTimes(*(ns // NS_PER_US for ns in (request.arrived_ns, waited_ns, *ran_ns)))
    request_class = (request.request_class or "") if log.has_classes else None
    try:
        log.record(parts.cpu_ns // NS_PER_US, request_class, times if log.has_times else None)
    except OSError:
        _LOGGER.exception("the demand log cannot be written; the request has ended all the same")
