"""The parts of one request, taken by as many threads as the request has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from time import thread_time_ns
from typing import Generic, TypeVar

from tailc_runtime.boosting import Booster
from tailc_runtime.scheduling import Running

_T = TypeVar("_T")


class ParallelTask(Generic[_T]):
    """Threads take part after part, until none is left, one fails, or the request must end."""

    def __init__(
        self,
        parts: Iterable[Callable[[], _T]],
        running: Running,
        pool: Executor,
        booster: Booster,
    ) -> None:
        self._parts, self._running = iter(parts), running
        self._pool, self._booster = pool, booster
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads = self._cpu_ns = 0
        self._has_parts = True
        self._results: list[_T] = []
        self._failure: BaseException | None = None

    def grow(self) -> None:
        """Add the threads that the request has not used yet."""
        with self._lock:
            missing = max(self._running.threads - self._threads, 0) if self._has_parts else 0
            self._threads += missing
            if self._threads == 0:
                self._ended.set()
        for _ in range(missing):
            self._pool.submit(self._work)

    def wait(self) -> tuple[list[_T], int]:
        """The results and the processor time [ns] of all parts; raises the first failure."""
        self._ended.wait()
        if self._failure is not None:
            raise self._failure
        return self._results, self._cpu_ns

    def _work(self) -> None:
        begun_ns = thread_time_ns()
        while (part := self._next_part()) is not None:
            self._booster.apply(self._running.is_boosted)
            try:
                result = part()
            except BaseException as failure:
                self._end_parts(failure)
            else:
                with self._lock:
                    self._results.append(result)
        self._booster.apply(is_boosted=False)
        self._leave(thread_time_ns() - begun_ns)

    def _next_part(self) -> Callable[[], _T] | None:
        """The next part; None if this thread is to leave."""
        with self._lock:
            if not self._has_parts or self._threads > self._running.threads:
                return None
            part = next(self._parts, None)
            self._has_parts = part is not None
            return part

    def _end_parts(self, failure: BaseException) -> None:
        with self._lock:
            self._has_parts = False
            self._failure = self._failure or failure

    def _leave(self, cpu_ns: int) -> None:
        with self._lock:
            self._threads -= 1
            self._cpu_ns += cpu_ns
            if self._threads == 0:
                self._ended.set()
