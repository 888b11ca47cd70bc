"""Parallel requests in an event loop, as a policy schedules them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

from tailc_runtime.scheduling import NS_PER_S, AnyPolicy, Policy, Running, Scheduling

_T = TypeVar("_T")


class AsyncScheduler:
    """Admits requests, and runs as many parts of each at once as its rung has threads.

    For one event loop; create it there. The arguments are those of `Scheduler`. No request is
    boosted: an event loop has one thread.
    """

    why_no_boost = "the requests of an event loop share one thread"

    def __init__(
        self, policy: AnyPolicy, *, on_reload: Callable[[Policy], None] | None = None
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._scheduling = Scheduling(policy, self._now_ns, on_reload)
        self._alarm: asyncio.TimerHandle | None = None

    @contextlib.asynccontextmanager
    async def admitted(self, request_class: str | None = None) -> AsyncIterator[Running]:
        """Wait until a request starts; it exits at the end of the block. Raises Refused."""
        started = asyncio.Event()
        running = self._scheduling.arrive(request_class, started.set)
        self._set_alarm()
        try:
            await started.wait()
            yield running
        finally:
            self._scheduling.exit(running)
            self._set_alarm()

    async def run(
        self, parts: Iterable[Callable[[], Awaitable[_T]]], request_class: str | None = None
    ) -> list[_T]:
        """Run the parts of a request, as many at once as it has threads; results in the order of
        ends.

        Raises Refused, or what the first failed part raised. A request that is cut off returns
        what it has.
        """
        async with self.admitted(request_class) as running:
            changed = asyncio.Event()
            running.on_change = changed.set
            return await _run_parts(parts, running, changed)

    def metrics(self) -> str:
        """Counters and gauges as OpenMetrics text."""
        return self._scheduling.metrics()

    def close(self) -> None:
        """End the timer."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _now_ns(self) -> int:
        return round(self._loop.time() * NS_PER_S)

    def _set_alarm(self) -> None:
        self.close()
        due_ns = self._scheduling.due_ns
        if due_ns is not None:
            self._alarm = self._loop.call_at(due_ns / NS_PER_S, self._wake)

    def _wake(self) -> None:
        self._scheduling.wake()
        self._set_alarm()


async def _run_parts(
    parts: Iterable[Callable[[], Awaitable[_T]]], running: Running, changed: asyncio.Event
) -> list[_T]:
    remaining, results = iter(parts), list[_T]()
    active: set[asyncio.Future[_T]] = set()
    change = asyncio.ensure_future(changed.wait())
    try:
        while True:
            while len(active) < running.threads and (part := next(remaining, None)) is not None:
                active.add(asyncio.ensure_future(part()))
            if not active or running.is_cut_off:
                return results
            await asyncio.wait([*active, change], return_when=asyncio.FIRST_COMPLETED)
            ended = {task for task in active if task.done()}
            active -= ended
            results += [task.result() for task in ended]
            if change.done():
                changed.clear()
                change = asyncio.ensure_future(changed.wait())
    finally:
        # The request exits when the last of its parts has ended.
        tasks: list[asyncio.Future[Any]] = [*active, change]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
