"""A server that runs requests as a schedule decides: a request's work determines when it exits.

Threads share the cores equally, except those of boosted requests, which never wait.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "runtimes" / "python"))

from tailc_runtime.opening import PolicyTables
from tailc_runtime.schedule import CUT_OFF, START, Decision, Request, Schedule

PPM = 1_000_000
NEVER_NS = 2**62
# Work that ends this little after a nanosecond ends at it.
_SNAP_NS = 1e-5
Arrival = tuple[int, str | None, int]
"""Time, class and work in nanoseconds."""


@dataclass(frozen=True)
class Row:
    """A call, and the decisions up to it since the row before, each with its time."""

    now_ns: int
    event: str
    request: int
    request_class: str | None
    work_ppm: int
    decisions: tuple[tuple[int, Decision], ...]

    def cells(self) -> list[object]:
        """The row of a vector file."""
        texts = (
            f"{at} {d.what} {d.request.number} {d.rung} {int(d.is_boosted)}{_core(d)}"
            for at, d in self.decisions
        )
        head = [self.now_ns, self.event, self.request, self.request_class or "", self.work_ppm]
        return [*head, ";".join(texts)]


def _core(decision: Decision) -> str:
    return "" if decision.core is None else f" {decision.core}"


@dataclass
class _Job:
    """A request in the system: its remaining work [ns] at speed 1, and its rung, -1 if it waits."""

    remaining_ns: float
    rung: int
    is_boosted: bool
    has_to_end: bool = False


@dataclass
class Server:
    """Requests that arrive at given times, and how each call was answered."""

    tables: PolicyTables
    capacity_ppm: int
    arrivals: list[Arrival]
    jobs: dict[Request, _Job] = field(default_factory=dict)
    now_ns: int = 0

    def rows(self) -> Iterator[Row]:
        """Each arrival, exit and cut-off, in order."""
        schedule = self._schedule = Schedule(self.tables, 0)
        arrivals = iter(self.arrivals)
        arrival = next(arrivals, None)
        made: list[tuple[int, Decision]] = []
        while arrival or schedule.in_system:
            exit_ns, leaver = self._next_exit()
            arrive_ns = arrival[0] if arrival else NEVER_NS
            due_ns = NEVER_NS if schedule.due_ns is None else schedule.due_ns
            self._pass(min(exit_ns, arrive_ns, due_ns))
            event, number, request_class, work_ppm = "", 0, None, PPM
            if leaver and exit_ns <= min(arrive_ns, due_ns):
                event, number, request_class = "exit", leaver.number, leaver.request_class
                del self.jobs[leaver]
                schedule.exit(leaver, self.now_ns)
            elif arrival and arrive_ns <= due_ns:
                _, request_class, work_ns = arrival
                request = schedule.arrive(self.now_ns, request_class)
                event, number = "arrive" if request else "refuse", schedule.counts.arrived
                work_ppm = request.work_ppm if request else PPM
                if request:
                    self._enter(request, work_ns)
                arrival = next(arrivals, None)
            else:
                schedule.wake(self.now_ns)
            made += self._carried_out()
            if any(decision.what == CUT_OFF for _, decision in made) and not event:
                event = "wake"
            if event:
                yield Row(self.now_ns, event, number, request_class, work_ppm, tuple(made))
                made = []

    def _enter(self, request: Request, work_ns: int) -> None:
        self.jobs[request] = _Job(work_ns * request.work_ppm / PPM, -1, False)

    def _carried_out(self) -> Iterator[tuple[int, Decision]]:
        decisions, self._schedule.decisions = self._schedule.decisions, []
        for decision in decisions:
            job = self.jobs[decision.request]
            job.rung, job.is_boosted = decision.rung, decision.is_boosted
            job.has_to_end = decision.what == CUT_OFF
            assert job.rung >= 0 or decision.what != START
            yield self.now_ns, decision

    def _threads_ppm(self, is_boosted: bool) -> int:
        return sum(
            request.table.settings[job.rung].cost_ppm[0]
            for request, job in self.jobs.items()
            if job.rung >= 0 and job.is_boosted == is_boosted
        )

    def _speed(self, request: Request, job: _Job, share: float) -> float:
        speed = request.table.settings[job.rung].speed_ppm / PPM
        return speed if job.is_boosted else speed * share

    def _share(self) -> float:
        supply, threads = self.capacity_ppm - self._threads_ppm(True), self._threads_ppm(False)
        return 1.0 if threads <= supply else supply / threads

    def _next_exit(self) -> tuple[int, Request | None]:
        share = self._share()
        exits = [
            (self._exit_ns(request, job, share), request.number, request)
            for request, job in self.jobs.items()
            if job.rung >= 0
        ]
        exit_ns, _, request = min(exits, default=(NEVER_NS, 0, None))
        return exit_ns, request

    def _exit_ns(self, request: Request, job: _Job, share: float) -> int:
        if job.has_to_end:
            return self.now_ns
        run_ns = job.remaining_ns / self._speed(request, job, share)
        return self.now_ns + max(math.ceil(run_ns - _SNAP_NS), 0)

    def _pass(self, until_ns: int) -> None:
        share, passed_ns = self._share(), until_ns - self.now_ns
        for request, job in self.jobs.items():
            if job.rung >= 0:
                job.remaining_ns -= passed_ns * self._speed(request, job, share)
        self.now_ns = until_ns
