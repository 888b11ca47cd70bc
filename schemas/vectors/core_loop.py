"""A server whose requests have a core each, and run on it as a schedule decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from closed_loop import NEVER_NS, Server
from tailc_runtime.schedule import CLIMB, Decision, Request

_NS_PER_US = 1_000


@dataclass
class CoreServer(Server):
    """Whole numbers: work is in millionths of a nanosecond, and only an exit rounds, up."""

    work_ppm_ns: dict[Request, int] = field(default_factory=dict)
    works_from_ns: dict[Request, int] = field(default_factory=dict)

    def _enter(self, request: Request, work_ns: int) -> None:
        super()._enter(request, work_ns)
        self.work_ppm_ns[request] = work_ns * request.work_ppm
        self.works_from_ns[request] = 0

    def _carried_out(self) -> Iterator[tuple[int, Decision]]:
        for at_ns, decision in super()._carried_out():
            if decision.what == CLIMB:
                move_us = decision.request.table.move_us[decision.rung]
                self.works_from_ns[decision.request] = at_ns + move_us * _NS_PER_US
            yield at_ns, decision

    def _next_exit(self) -> tuple[int, Request | None]:
        exits = [(self._exit_at(request), request.number, request) for request in self._running()]
        exit_ns, _, request = min(exits, default=(NEVER_NS, 0, None))
        return exit_ns, request

    def _running(self) -> list[Request]:
        return [request for request, job in self.jobs.items() if job.rung >= 0]

    def _speed_ppm(self, request: Request) -> int:
        return request.table.settings[self.jobs[request].rung].speed_ppm

    def _exit_at(self, request: Request) -> int:
        if self.jobs[request].has_to_end:
            return self.now_ns
        run_ns = -(-max(self.work_ppm_ns[request], 0) // self._speed_ppm(request))
        return max(self.now_ns, self.works_from_ns[request]) + run_ns

    def _pass(self, until_ns: int) -> None:
        for request in self._running():
            worked_ns = max(until_ns - max(self.now_ns, self.works_from_ns[request]), 0)
            self.work_ppm_ns[request] -= worked_ns * self._speed_ppm(request)
        self.now_ns = until_ns
