"""What a server does with its requests: one state machine, without clock, lock or thread.

docs/scheduler.md defines the calls, the decisions and their order, for all languages.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import NamedTuple

from tailc_runtime.controller import PPM
from tailc_runtime.core_places import NOWHERE, CorePlaces
from tailc_runtime.latency_window import LatencyWindow
from tailc_runtime.opening import PolicyTables
from tailc_runtime.schedule_counts import ScheduleCounts
from tailc_runtime.table import NOW, ON_EXIT, PolicyTable

START, CLIMB, DESCEND, CUT_OFF = "start", "climb", "descend", "cut-off"
_IN_SYSTEM = "in_system"
_NS_PER_US = 1_000
# No age in a policy is as late.
_OLDEST_US = 2**53
# At the same time cut-offs come before arrivals, and ends of delays before ticks.
_CUT_PHASE, _START_PHASE, _TICK_PHASE = 0, 1, 2


class ScheduleError(ValueError):
    """A policy that a schedule cannot apply."""


class Request:
    """A request from its arrival to its exit; `rung` is None while it waits.

    core: number of its core among those of its rung's type; None unless rungs are cores. late_ns:
    by how much its ticks were late, in all, including one that was due at its exit. granted_ns:
    threads of its rungs times time, until its last climb, descent or exit.
    """

    __slots__ = (
        *("arrived_ns", "core", "cut_ns", "granted_ns", "granted_since_ns", "has_given_up"),
        *("is_boosted", "late_ns", "load_at_start", "number", "request_class", "rung", "since_ns"),
        *("spent_ns", "started_ns", "table", "tick_ns", "waited_us", "work_ppm"),
    )

    def __init__(
        self, number: int, request_class: str | None, table: PolicyTable, now_ns: int, work_ppm: int
    ) -> None:
        self.number, self.request_class, self.table = number, request_class, table
        self.arrived_ns, self.work_ppm = now_ns, work_ppm
        self.rung: int | None = None
        self.core: int | None = None
        self.started_ns = self.waited_us = self.load_at_start = 0
        # On its core since, and the time below the last rung that its core had when it started.
        self.since_ns = self.spent_ns = 0
        self.late_ns = self.granted_ns = self.granted_since_ns = 0
        self.is_boosted = self.has_given_up = False
        self.tick_ns: int | None = None
        self.cut_ns: int | None = None

    @property
    def threads(self) -> int:
        """The number of threads of its rung, 1 if the rung does not determine it, 0 while it
        waits."""
        return 0 if self.rung is None else self.table.settings[self.rung].threads or 1

    def count_granted(self, now_ns: int) -> None:
        """Count the threads of its rung until now."""
        self.granted_ns += (now_ns - self.granted_since_ns) * self.threads
        self.granted_since_ns = now_ns


class Decision(NamedTuple):
    """What the server must do: START, CLIMB, DESCEND or CUT_OFF."""

    what: str
    request: Request
    rung: int
    is_boosted: bool
    core: int | None


class Schedule:
    """Admission, ticks and rules of a policy whose load is the number in the system.

    Raises ScheduleError for another policy. `decisions` collects what the server must do; the
    layer takes them from it after each call.
    """

    def __init__(self, policy: PolicyTable | PolicyTables, now_ns: int) -> None:
        self.decisions: list[Decision] = []
        self.counts = ScheduleCounts()
        self.in_system = self.running = 0
        self._waiting: dict[str | None, deque[Request]] = {}
        self._timers: list[tuple[int, int, int, Request]] = []
        self._start_ns: int | None = None
        self._places: CorePlaces | None = None
        # Running requests whose rungs are cores, the oldest first.
        self._on_cores: list[Request] = []
        self._boosted_ppm = self._used_ppm = 0
        self._use(policy, now_ns)

    @property
    def due_ns(self) -> int | None:
        """Time of the next timer; None if there is none."""
        return None if (due := self._next_timer()) is None else due[0]

    @property
    def any_table(self) -> PolicyTable:
        """A table of the policy in use."""
        return next(iter(self._tables.values()))

    def arrive(self, now_ns: int, request_class: str | None = None) -> Request | None:
        """The request that arrived; None if it is refused."""
        table = _table_of(self._tables, request_class)
        self.counts.arrived += 1
        if table.overload.refuses(self.in_system):
            self.counts.refused += 1
            return None
        work_ppm = table.overload.work_ppm(self.in_system)
        self.counts.degraded += work_ppm < PPM
        request = Request(self.counts.arrived, request_class, table, now_ns, work_ppm)
        self.in_system += 1
        if self._window:
            self._window.count_arrival()
        self._waiting.setdefault(table.request_class, deque()).append(request)
        self._start_waiting(now_ns)
        return request

    def exit(self, request: Request, now_ns: int) -> None:
        """The request left; one that waited leaves no room for another."""
        self.in_system -= 1
        self.counts.exits += 1
        if request.rung is None:
            self._waiting[request.table.request_class].remove(request)
        else:
            self.running -= 1
            self._count_use(request, -1)
            request.count_granted(now_ns)
            request.late_ns += max(now_ns - (request.tick_ns or now_ns), 0)
            request.tick_ns = request.cut_ns = None
            if self._window:
                self._window.count_exit(now_ns - request.arrived_ns, now_ns)
            if self._places:
                self._on_cores.remove(request)
                self._leave_core(self._places, request, now_ns)
            else:
                self._release(now_ns)
        self._start_waiting(now_ns)

    def wake(self, now_ns: int) -> None:
        """Handle the first due timer, if it is due."""
        due = self._next_timer()
        if due is None or due[0] > now_ns:
            return
        _, phase, request = due
        if request is None:
            self._start_waiting(now_ns)
            return
        heapq.heappop(self._timers)
        if phase == _CUT_PHASE:
            request.tick_ns = request.cut_ns = None
            self.counts.cut_off += 1
            self._decide(CUT_OFF, request)
        else:
            self._tick(request, now_ns)
            if request.table.sharing.start_unit is not None:
                self._start_waiting(now_ns)

    def reload(self, policy: PolicyTable | PolicyTables, now_ns: int) -> None:
        """Use another policy for waiting and new requests.

        Raises ScheduleError for one that it cannot apply, and then uses the old one.
        """
        waiting = sorted(
            (request for queue in self._waiting.values() for request in queue),
            key=lambda request: request.number,
        )
        replacing = _tables_in(policy)
        tables = [(request, _table_of(replacing, request.request_class)) for request in waiting]
        self._use(policy, now_ns)
        self.counts.reloads += 1
        self._waiting = {}
        for request, table in tables:
            request.table = table
            self._waiting.setdefault(table.request_class, deque()).append(request)
        self._start_waiting(now_ns)

    def _use(self, policy: PolicyTable | PolicyTables, now_ns: int) -> None:
        tables = _tables_in(policy)
        for table in tables.values():
            if table.load_axis != _IN_SYSTEM:
                raise ScheduleError("the load of the policy is not the number in the system")
        self._places = self._places_of(tables)
        self._tables = tables
        for table in tables.values():
            self.counts.lookups.update(dict.fromkeys(table.rungs, 0))
        controller = next(iter(tables.values())).controller
        self._window = None if controller is None else LatencyWindow(controller, now_ns)

    def _places_of(self, tables: PolicyTables) -> CorePlaces | None:
        """The cores of a policy; while requests run, they must be those of the policy before."""
        first, *others = tables.values()
        found = CorePlaces(first) if first.core_unit else None
        if any((t.core_unit, t.core_count) != (first.core_unit, first.core_count) for t in others):
            raise ScheduleError("the ladders of the policy have different cores")
        if not self.running:
            return found
        if self._places.is_same(first) if self._places else found is None:
            return self._places
        raise ScheduleError("the policy has other cores than the running requests")

    def _next_timer(self) -> tuple[int, int, Request | None] | None:
        while self._timers and not _is_set(self._timers[0]):
            heapq.heappop(self._timers)
        first = None
        if self._timers:
            due_ns, phase, _, request = self._timers[0]
            first = due_ns, phase, request
        if self._start_ns is None:
            return first
        start = self._start_ns, _START_PHASE, None
        return start if first is None or start[:2] < first[:2] else first

    def _release(self, now_ns: int) -> None:
        """Start the waiting request that arrived first, unless starts depend on the use."""
        heads = [queue[0] for queue in self._waiting.values() if queue]
        if heads:
            first = min(heads, key=_number)
            if first.table.sharing.start_unit is None:
                self._start(first, now_ns)

    def _start_waiting(self, now_ns: int) -> None:
        """Start all waiting requests that may start; set the timer of the next end of a delay."""
        if self._places:
            self._start_on_cores(self._places, now_ns)
            return
        while True:
            starts = [
                (start_ns, queue[0].number, queue[0])
                for queue in self._waiting.values()
                if queue and (start_ns := self._start_of(queue[0], now_ns)) is not None
            ]
            self._start_ns, _, first = min(starts, default=(None, 0, None))
            if first is None or self._start_ns is None or self._start_ns > now_ns:
                return
            self._start(first, now_ns)

    def _start_of(self, request: Request, now_ns: int) -> int | None:
        """When the first request of a queue starts if nothing else happens; None: not before."""
        table = request.table
        if table.sharing.start_unit is not None:
            return now_ns if table.sharing.starts(self._used_ppm) else None
        waited_us = (now_ns - request.arrived_ns) // _NS_PER_US
        start, wait_us, _ = table.peek(self.in_system, waited_us, 0)
        if start == NOW or (start == ON_EXIT and self.running == 0):
            return now_ns
        if start == ON_EXIT:
            return None
        return request.arrived_ns + (waited_us + wait_us) * _NS_PER_US

    def _start_on_cores(self, places: CorePlaces, now_ns: int) -> None:
        """Start waiting requests in order of arrival, as cores are free; set the timer of the age
        at which the first one wants a higher rung."""
        self._start_ns = None
        while heads := [queue[0] for queue in self._waiting.values() if queue]:
            first = min(heads, key=_number)
            wanted = self._wanted(first, now_ns)
            makes_room = "make-room" in first.table.rules
            wants = self._wants(now_ns)
            rung = places.rung_to_start(wanted, wants, self.in_system, makes_room)
            if rung == NOWHERE:
                self._start_ns = self._wants_more_ns(first, wanted, now_ns)
                return
            first.spent_ns = places.start(rung, now_ns > first.arrived_ns)
            first.table.count_outside(self.in_system)
            self.counts.lookups[first.table.rungs[wanted]] += 1
            self._start(first, now_ns, rung)

    def _wants(self, now_ns: int) -> list[int]:
        """The rungs that running requests want, the oldest first."""
        return [self._wanted(request, now_ns) for request in self._on_cores]

    def _wanted(self, request: Request, now_ns: int) -> int:
        """The rung of the look-up of a request whose rungs are cores."""
        table, rules, has_started = request.table, request.table.rules, request.rung is not None
        begun_ns = request.started_ns if has_started else now_ns
        waited_us = (begun_ns - request.arrived_ns) // _NS_PER_US
        executed_us = (now_ns - begun_ns + self._spent_before(request, now_ns)) // _NS_PER_US
        if "waited-start-last" in rules and begun_ns > request.arrived_ns:
            executed_us = _OLDEST_US
        elif "age-from-arrival" in rules:
            executed_us = (now_ns - request.arrived_ns) // _NS_PER_US - waited_us
        return table.peek(self._load_of(request), waited_us, executed_us)[2]

    def _load_of(self, request: Request) -> int:
        """The load at which a request is looked up."""
        rereads = request.rung is None or "reread-row" in request.table.rules
        return self.in_system if rereads else request.load_at_start

    def _spent_before(self, request: Request, now_ns: int) -> int:
        """The time that the rule `busy-period-age` adds to the executed time."""
        if self._places is None or "busy-period-age" not in request.table.rules:
            return 0
        if request.rung is not None:
            return request.spent_ns
        return self._places.next_spent_ns() if now_ns > request.arrived_ns else 0

    def _wants_more_ns(self, request: Request, wanted: int, now_ns: int) -> int | None:
        """When a waiting request wants a rung above `wanted` by its age; None: never."""
        low, high = (now_ns - request.arrived_ns) // _NS_PER_US, _OLDEST_US
        rung_at = request.table.peek
        if "age-from-arrival" not in request.table.rules:
            return None
        if rung_at(self.in_system, high, 0)[2] <= wanted:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            reaches = rung_at(self.in_system, middle, 0)[2] > wanted
            low, high = (low, middle) if reaches else (middle, high)
        return request.arrived_ns + high * _NS_PER_US

    def _leave_core(self, places: CorePlaces, request: Request, now_ns: int) -> None:
        assert request.rung is not None
        assert request.core is not None
        places.give_back(request.rung, request.core, now_ns - request.since_ns)
        request.core = None

    def _start(self, request: Request, now_ns: int, rung: int | None = None) -> None:
        """Start a waiting request, on the rung of its look-up or on a core of another one."""
        table = request.table
        self._waiting[table.request_class].popleft()
        self.running += 1
        self.counts.started += 1
        self.counts.waited += now_ns > request.arrived_ns
        request.started_ns, request.load_at_start = now_ns, self.in_system
        request.granted_since_ns = now_ns
        request.waited_us = (now_ns - request.arrived_ns) // _NS_PER_US
        request.rung = self._looked_up(request, now_ns) if rung is None else rung
        if self._places:
            self._on_cores.append(request)
            request.core, request.since_ns = self._places.take(request.rung), now_ns
        self._count_use(request, 1)
        self._set_tick(request, now_ns)
        self._set_cut(request)
        self._decide(START, request)

    def _set_cut(self, request: Request) -> None:
        overload = request.table.overload
        if overload.cut_off_us is not None:
            begun_ns = request.arrived_ns if overload.counts_waiting else request.started_ns
            request.cut_ns = max(begun_ns + overload.cut_off_us * _NS_PER_US, request.started_ns)
            self._set_timer(request.cut_ns, _CUT_PHASE, request)

    def _set_tick(self, request: Request, now_ns: int) -> None:
        """Set the first tick after now; a request that gave up needs none."""
        request.tick_ns = None
        if not request.has_given_up:
            quantum_ns = request.table.quantum_us * _NS_PER_US
            ticks = (now_ns - request.started_ns) // quantum_ns + 1
            request.tick_ns = request.started_ns + ticks * quantum_ns
            self._set_timer(request.tick_ns, _TICK_PHASE, request)

    def _set_timer(self, due_ns: int, phase: int, request: Request) -> None:
        heapq.heappush(self._timers, (due_ns, phase, request.number, request))

    def _tick(self, request: Request, now_ns: int) -> None:
        late_ns = now_ns - (request.tick_ns or now_ns)
        self.counts.ticks += 1
        self.counts.late_ns += late_ns
        request.late_ns += late_ns
        if self._places:
            self._tick_on_core(self._places, request, now_ns)
            return
        rung, own = self._looked_up(request, now_ns), request.rung or 0
        may_descend = request.has_given_up or "never-descend" not in request.table.rules
        if rung > own:
            self._move(request, rung, CLIMB, now_ns)
        elif rung < own and may_descend:
            self._move(request, rung, DESCEND, now_ns)
        self._set_tick(request, now_ns)

    def _tick_on_core(self, places: CorePlaces, request: Request, now_ns: int) -> None:
        """Move a request to another core if it must; then others may start."""
        first = min((q[0] for q in self._waiting.values() if q), key=_number, default=None)
        wants, place = self._wants(now_ns), self._on_cores.index(request)
        request.table.count_outside(self._load_of(request))
        self.counts.lookups[request.table.rungs[wants[place]]] += 1
        rung = places.rung_to_move(
            place,
            [running.rung or 0 for running in self._on_cores],
            wants,
            NOWHERE if first is None else self._wanted(first, now_ns),
            self.in_system,
            "make-room" in request.table.rules,
        )
        self._set_tick(request, now_ns)
        if rung != NOWHERE:
            self._leave_core(places, request, now_ns)
            request.core, request.since_ns = places.take(rung), now_ns
            self._move(request, rung, CLIMB, now_ns)
            self._start_waiting(now_ns)

    def _looked_up(self, request: Request, now_ns: int) -> int:
        """The rung of a running request, which may give up now."""
        table = request.table
        executed_us = (now_ns - request.started_ns) // _NS_PER_US
        if table.sharing.gives_up(request.waited_us, executed_us):
            self.counts.gave_up += not request.has_given_up
            request.has_given_up = True
            return 0
        load = self.in_system if "reread-row" in table.rules else request.load_at_start
        rung = table.lookup(load, request.waited_us, executed_us)[2]
        self.counts.lookups[table.rungs[rung]] += 1
        return rung

    def _move(self, request: Request, rung: int, what: str, now_ns: int) -> None:
        self._count_use(request, -1)
        request.count_granted(now_ns)
        request.rung = rung
        request.is_boosted = what == CLIMB and self._may_boost(request)
        self._count_use(request, 1)
        self.counts.boosts += request.is_boosted
        if what == CLIMB:
            self.counts.climbs += 1
        else:
            self.counts.descents += 1
        self._decide(what, request)

    def _may_boost(self, request: Request) -> bool:
        table, rung = request.table, request.rung or 0
        if table.boost is None or rung < len(table.rungs) - 1:
            return False
        unit, below_ppm = table.boost
        return self._boosted_ppm + table.settings[rung].cost_ppm[unit] < below_ppm

    def _count_use(self, request: Request, sign: int) -> None:
        """Add what a running request uses, or subtract it."""
        table = request.table
        cost_ppm = table.settings[request.rung or 0].cost_ppm
        if request.is_boosted and table.boost is not None:
            self._boosted_ppm += sign * cost_ppm[table.boost[0]]
        if table.sharing.start_unit is not None:
            self._used_ppm += sign * cost_ppm[table.sharing.start_unit]

    def _decide(self, what: str, request: Request) -> None:
        rung, core = request.rung or 0, request.core
        self.decisions.append(Decision(what, request, rung, request.is_boosted, core))


def _tables_in(policy: PolicyTable | PolicyTables) -> PolicyTables:
    return policy if isinstance(policy, dict) else {policy.request_class: policy}


def _table_of(tables: PolicyTables, request_class: str | None) -> PolicyTable:
    table = tables.get(request_class) or tables.get(None)
    if table is None:
        whom = "all requests" if request_class is None else f"class `{request_class}` of requests"
        raise ScheduleError(f"the policy has no ladder for {whom}")
    return table


def _number(request: Request) -> int:
    return request.number


def _is_set(timer: tuple[int, int, int, Request]) -> bool:
    due_ns, phase, _, request = timer
    return due_ns == (request.cut_ns if phase == _CUT_PHASE else request.tick_ns)
