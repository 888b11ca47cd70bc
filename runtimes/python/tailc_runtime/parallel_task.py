"""The parts of one request, taken by as many threads as the request has."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from time import monotonic_ns, thread_time_ns
from typing import Generic, TypeVar

from tailc_runtime.boosting import Booster
from tailc_runtime.core_binding import CoreBinding
from tailc_runtime.scheduling import PartTimes, Running

_T = TypeVar("_T")


class ParallelTask(Generic[_T]):
    """Threads take part after part, until all are taken, one fails, or the request must end.

    `parts` is read whole at once, in the thread of the caller.
    """

    def __init__(
        self,
        parts: Iterable[Callable[[], _T]],
        running: Running,
        pool: Executor,
        booster: Booster,
        binding: CoreBinding,
    ) -> None:
        self._binding = binding
        # Native ids of its threads.
        self._at_work: set[int] = set()
        self._parts, self._running = deque(parts), running
        self._pool, self._booster = pool, booster
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads = self._cpu_ns = self._thread_ns = 0
        self._results: list[_T] = []
        self._failure: BaseException | None = None

    def grow(self) -> None:
        """Add the threads that the request has not used yet; move those that it has."""
        with self._lock:
            self._binding.bind(self._running.request, self._at_work)
            missing = max(min(self._running.threads - self._threads, len(self._parts)), 0)
            self._threads += missing
            if self._threads == 0:
                self._ended.set()
        for _ in range(missing):
            self._pool.submit(self._work)

    def wait(self) -> tuple[list[_T], PartTimes]:
        """The results and the times of all parts; raises the first failure."""
        self._ended.wait()
        if self._failure is not None:
            raise self._failure
        return self._results, PartTimes(self._cpu_ns, self._thread_ns)

    def _work(self) -> None:
        begun = PartTimes(thread_time_ns(), monotonic_ns())
        thread = threading.get_native_id()
        with self._lock:
            self._at_work.add(thread)
            self._binding.bind(self._running.request, (thread,))
        while (part := self._next_part(begun)) is not None:
            try:
                self._booster.apply(self._running.is_boosted)
                result = part()
            except BaseException as failure:
                self._end_parts(failure)
            else:
                with self._lock:
                    self._results.append(result)
        self._booster.apply(is_boosted=False)

    def _next_part(self, begun: PartTimes) -> Callable[[], _T] | None:
        """The next part; None if this thread, which began at these times, leaves."""
        with self._lock:
            if self._parts and self._threads <= self._running.threads:
                return self._parts.popleft()
            self._at_work.discard(threading.get_native_id())
            self._binding.release()
            self._threads -= 1
            self._cpu_ns += thread_time_ns() - begun.cpu_ns
            self._thread_ns += monotonic_ns() - begun.thread_ns
            if self._threads == 0:
                self._ended.set()
            return None

    def _end_parts(self, failure: BaseException) -> None:
        with self._lock:
            self._parts.clear()
            if self._failure is None:
                self._failure = failure
