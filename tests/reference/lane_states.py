"""Batch work on one core's other lane, as the paper's prose tells it: a state machine.

Yang et al., USENIX ATC 2016, section 3 and what is left of figure 9. The batch thread looks at
every instant at which something happens. It is in one of three states: NORMAL, it naps while a
request runs; NEW_PERIOD, the lane of requests was idle with an empty queue, it runs; CO_RUN, it
runs beside a request until the budget is used up. Under refresh a request that starts with an empty
queue behind it begins a budget anew. Nothing here is shared with the replay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from math import ceil


class State(Enum):
    NORMAL = "normal"
    NEW_PERIOD = "new period"
    CO_RUN = "co-run"


@dataclass
class Core:
    """Arrivals and work in ns; a request beside batch work runs at `shared` of its speed."""

    budget_ns: int
    shared: Fraction
    refreshes: bool
    now: int = 0
    state: State = State.NEW_PERIOD
    start_stamp: int = 0
    running: int | None = None
    last_request: int | None = None
    left: Fraction = Fraction(0)
    queue: list[int] = field(default_factory=list)

    @property
    def speed(self) -> Fraction:
        return self.shared if self.state is State.CO_RUN else Fraction(1)

    def look(self) -> None:
        """What the batch thread does at a check."""
        if self.running is None:
            if not self.queue:
                self.state = State.NEW_PERIOD
            return
        is_another = self.running != self.last_request
        self.last_request = self.running
        is_refreshed = self.refreshes and is_another and not self.queue
        if is_refreshed or self.state is State.NEW_PERIOD:
            self.state, self.start_stamp = State.CO_RUN, self.now
        elif self.state is State.CO_RUN and is_another:
            self.state = State.NORMAL
        if self.state is State.CO_RUN and self.now - self.start_stamp >= self.budget_ns:
            self.state = State.NORMAL

    def next_event(self, coming: list[int]) -> int:
        times = coming[:1]
        if self.running is not None:
            times.append(self.now + ceil(self.left / self.speed))
            if self.state is State.CO_RUN:
                times.append(self.start_stamp + self.budget_ns)
        return min(times)

    def run_until(self, then: int) -> None:
        if self.running is not None:
            self.left -= self.speed * (then - self.now)
        self.now = then


def latencies_ns(
    arrival_ns: list[int],
    work_ns: list[int],
    *,
    budget_ns: int,
    shared: Fraction,
    refreshes: bool,
) -> list[int]:
    """Of requests at distinct times, in order of arrival."""
    core = Core(budget_ns, shared, refreshes)
    coming, latency = list(arrival_ns), [0] * len(arrival_ns)
    while coming or core.running is not None:
        core.run_until(core.next_event(coming))
        if core.running is not None and core.left <= 0:
            latency[core.running] = core.now - arrival_ns[core.running]
            core.running = None
            core.look()
        if coming and coming[0] == core.now:
            core.queue.append(len(arrival_ns) - len(coming))
            coming.pop(0)
        if core.running is None and core.queue:
            core.running = core.queue.pop(0)
            core.left = Fraction(work_ns[core.running])
        core.look()
    return latency
