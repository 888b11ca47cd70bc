"""What schedulers on threads and in an event loop share: a clock, reloads, and requests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tailc_runtime.core_binding import CoreBinding
from tailc_runtime.opening import PolicyTables
from tailc_runtime.schedule import CUT_OFF, Request, Schedule, ScheduleError
from tailc_runtime.schedule_metrics import openmetrics
from tailc_runtime.table import PolicyTable
from tailc_runtime.watched import Watched

Policy = PolicyTable | PolicyTables
AnyPolicy = Policy | Watched[PolicyTable] | Watched[PolicyTables]
NS_PER_S, NS_PER_US = 10**9, 1_000
NO_SCHEDULE = "no-schedule"
_LOGGER = logging.getLogger("tailc_runtime")


class Refused(RuntimeError):  # noqa: N818, it is an answer to the client
    """The policy refuses the request, because too many others are in the system."""


class PartTimes(NamedTuple):
    """Processor time of the threads of a request, and the time for which they worked, in all."""

    cpu_ns: int
    thread_ns: int


class Running:
    """A request in the system; its policy changes `threads`, `is_boosted` and `is_cut_off`.

    `on_change` is called after each decision about it. part_times: of its parts, when they have
    ended without a failure.
    """

    def __init__(self, request: Request, on_change: Callable[[], None]) -> None:
        self.request, self.on_change = request, on_change
        self.is_cut_off = False
        self.part_times: PartTimes | None = None

    @property
    def has_started(self) -> bool:
        """Whether it may run."""
        return self.request.rung is not None

    @property
    def work_ppm(self) -> int:
        """Millionths of its work to do."""
        return self.request.work_ppm

    @property
    def threads(self) -> int:
        """Number of threads that it may have now; 0 if it waits or must end."""
        return 0 if self.is_cut_off else self.request.threads

    @property
    def is_boosted(self) -> bool:
        """Whether its threads have priority."""
        return self.request.is_boosted


class Scheduling:
    """Calls a schedule at the times of a clock, and carries out its decisions; for one thread.

    A watched policy is followed: `on_reload` is called with each policy that replaces another; what
    it raises is logged.
    """

    def __init__(
        self,
        policy: AnyPolicy,
        clock_ns: Callable[[], int],
        on_reload: Callable[[Policy], None] | None,
        binding: CoreBinding | None = None,
    ) -> None:
        self._binding = binding or CoreBinding({})
        self._watched = policy if isinstance(policy, Watched) else None
        self._policy: Policy = policy.current if isinstance(policy, Watched) else policy
        self._clock_ns, self._on_reload = clock_ns, on_reload
        self._reloaded_ns = clock_ns()
        self._binding.check(_tables_of(self._policy))
        self._schedule = Schedule(self._policy, self._reloaded_ns)
        self._requests: dict[Request, Running] = {}

    @property
    def in_system(self) -> int:
        """Number of requests in the system, waiting ones included."""
        return self._schedule.in_system

    def arrive(self, request_class: str | None, on_change: Callable[[], None]) -> Running:
        """A request that arrives now; raises Refused."""
        now_ns = self._follow()
        request = self._schedule.arrive(now_ns, request_class)
        if request is None:
            raise Refused("too many requests are in the system")
        running = self._requests[request] = Running(request, on_change)
        self._carry_out()
        return running

    def exit(self, running: Running) -> int:
        """The request leaves now, at the time that is returned."""
        # Another policy may start it now.
        now_ns = self._follow()
        del self._requests[running.request]
        self._schedule.exit(running.request, now_ns)
        self._carry_out()
        return now_ns

    def wake(self) -> int | None:
        """Handle all due timers; nanoseconds until the next one, None if there is none."""
        now_ns = self._follow()
        while (due_ns := self._schedule.due_ns) is not None and due_ns <= now_ns:
            self._schedule.wake(now_ns)
        self._carry_out()
        return None if due_ns is None else max(due_ns - self._clock_ns(), 0)

    @property
    def due_ns(self) -> int | None:
        """Time of the next timer."""
        return self._schedule.due_ns

    def metrics(self) -> str:
        """Counters and gauges as OpenMetrics text."""
        return openmetrics(self._schedule, (self._clock_ns() - self._reloaded_ns) / NS_PER_S)

    def _follow(self) -> int:
        """The time; first uses the policy that has replaced the one in use, if any."""
        now_ns = self._clock_ns()
        if self._watched is not None and self._watched.current is not self._policy:
            self._policy = self._watched.current
            self._reload(self._policy, now_ns)
        return now_ns

    def _reload(self, policy: Policy, now_ns: int) -> None:
        try:
            self._binding.check(_tables_of(policy))
            self._schedule.reload(policy, now_ns)
        except ScheduleError:
            self._schedule.any_table.counters.refuse(NO_SCHEDULE)
            return
        self._reloaded_ns = now_ns
        self._carry_out()
        if self._on_reload:
            try:
                self._on_reload(policy)
            except Exception:
                _LOGGER.exception("`on_reload` raised; the new policy is in use")

    def _carry_out(self) -> None:
        decisions, self._schedule.decisions = self._schedule.decisions, []
        for decision in decisions:
            running = self._requests[decision.request]
            running.is_cut_off |= decision.what == CUT_OFF
            running.on_change()


def _tables_of(policy: Policy) -> Iterable[PolicyTable]:
    return policy.values() if isinstance(policy, dict) else (policy,)
