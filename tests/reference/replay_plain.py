"""The replay of ladders on one server, event by event, in exact fractions; slow and obvious.

Every tick of every request is an event here and every decision asks the form's own look-up, so
this shares nothing with the compiled engine but the meaning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from tailc.forms.ladder.lookup import Start, lookup
from tailc.forms.ladder.overload import NO_OVERLOAD, PPM, Overload
from tailc.forms.ladder.sharing import NO_SHARING, Sharing
from tailc.forms.ladder.table import Ladder, Rule


@dataclass
class Request:
    number: int
    arrival_ns: int
    work_ns: int
    speed: list[Fraction]
    ladder: int = 0
    left: Fraction = Fraction(0)
    start_ns: int | None = None
    exit_ns: int | None = None
    load_at_start: int = 0
    rung: int = 0
    boosted: bool = False
    is_cut: bool = False
    is_released: bool = False
    is_refused: bool = False
    share: Fraction = Fraction(1)
    thread_ppm_ns: int = 0
    # Work of the serial beginning and end; `coming` is that of the parts after the one that runs.
    start_work_ns: int = 0
    end_work_ns: int = 0
    is_serial: bool = False
    coming: list[tuple[bool, Fraction]] = field(default_factory=list)

    @property
    def lost(self) -> Fraction:
        """Work that was not done of one that has left."""
        undone = max(self.left, Fraction(0)) + sum(work for _, work in self.coming)
        return self.work_ns * (1 - self.share) + undone

    def begin(self) -> None:
        """Line up the parts that have work, and run the first."""
        middle = self.work_ns - self.start_work_ns - self.end_work_ns
        parts = [(True, self.start_work_ns), (False, middle), (True, self.end_work_ns)]
        self.coming = [(is_serial, work * self.share) for is_serial, work in parts if work]
        self.go_on()

    def go_on(self) -> None:
        self.is_serial, self.left = self.coming.pop(0)

    @property
    def part_speed(self) -> Fraction:
        """Of the part that runs: the middle makes the whole as fast as the rung is."""
        if self.is_serial:
            return Fraction(1)
        serial = self.start_work_ns + self.end_work_ns
        middle_ns = self.work_ns / self.speed[self.rung] - serial
        return (
            (self.work_ns - serial) / max(middle_ns, Fraction(1))
            if serial
            else self.speed[self.rung]
        )

    @property
    def runs(self) -> bool:
        return self.start_ns is not None and self.exit_ns is None


@dataclass
class Server:
    ladders: list[Ladder]
    cut_off_ns: int | None = None
    boosts_at_start: bool = False
    now: int = 0
    arrived: list[Request] = field(default_factory=list)

    @property
    def overload(self) -> Overload:
        return self.ladders[0].overload or NO_OVERLOAD

    @property
    def sharing(self) -> Sharing:
        return self.ladders[0].sharing or NO_SHARING

    @property
    def load(self) -> int:
        return sum(r.exit_ns is None for r in self.arrived)

    @property
    def running(self) -> list[Request]:
        return [r for r in self.arrived if r.runs]

    @property
    def waiting(self) -> list[Request]:
        return [r for r in self.arrived if r.start_ns is None]

    def unit(self, request: Request) -> int | None:
        """The limited cost unit that the request's rung takes something of."""
        ladder = self.ladders[0]
        costs = ladder.rungs[request.rung].cost_ppm
        for number, unit in enumerate(ladder.cost_units):
            if unit.capacity_ppm is not None and costs[number] > 0:
                return number
        return None

    def cost(self, request: Request) -> int:
        unit = self.unit(request)
        return self.ladders[0].rungs[request.rung].cost_ppm[0 if unit is None else unit]

    def threads(self, request: Request) -> int:
        """What the request uses of the cost: at most one thread in a serial part."""
        return min(self.cost(request), PPM) if request.is_serial else self.cost(request)

    def progress(self, request: Request) -> Fraction:
        """Work done per ns: the rung's speed times the share of a core that each thread has."""
        unit = self.unit(request)
        if unit is None:
            return request.part_speed
        capacity = self.ladders[0].cost_units[unit].capacity_ppm
        competing = [r for r in self.running if self.unit(r) == unit]
        boosted = sum(self.threads(r) for r in competing if r.boosted)
        others = sum(self.threads(r) for r in competing if not r.boosted)
        supply, wanted = (
            (capacity, boosted) if request.boosted else (max(capacity - boosted, 0), others)
        )
        share = Fraction(supply, wanted) if wanted > supply else Fraction(1)
        return share * request.part_speed

    def admission(self, request: Request) -> tuple[Start, int]:
        answer = lookup(self.ladders[request.ladder], self.load, 0, 0)
        return answer.start, request.arrival_ns + answer.wait_us * 1000

    def next_tick(self, request: Request) -> int:
        quantum = self.ladders[0].quantum_us * 1000
        return request.start_ns + ((self.now - request.start_ns) // quantum + 1) * quantum

    def is_tick(self, request: Request) -> bool:
        executed = self.now - request.start_ns
        return executed > 0 and executed % (self.ladders[0].quantum_us * 1000) == 0

    def next_event(self, coming: list[Request]) -> int:
        times = [coming[0].arrival_ns] if coming else []
        for r in self.running:
            times.append(self.next_tick(r))
            speed = self.progress(r)
            if speed:
                times.append(self.now + ceil(r.left / speed))
            times += [max(at, self.now) for at in self.cuts_ns(r)]
        for r in self.waiting:
            start, at = self.admission(r)
            if start is Start.WAIT and at > self.now:
                times.append(at)
        return min(times)

    def cuts_ns(self, request: Request) -> list[int]:
        """When the request is cut off at last."""
        found = [] if self.cut_off_ns is None else [request.start_ns + self.cut_off_ns]
        if self.overload.cut_off_us is not None:
            from_arrival = Rule.AGE_FROM_ARRIVAL in self.ladders[0].rules
            born_ns = request.arrival_ns if from_arrival else request.start_ns
            found.append(born_ns + self.overload.cut_off_us * 1000)
        return found

    def pass_time(self, then: int) -> None:
        progress = [(r, self.progress(r)) for r in self.running]
        for r, speed in progress:
            r.left -= speed * (then - self.now)
            r.thread_ppm_ns += self.threads(r) * (then - self.now)
        self.now = then

    def exits(self) -> None:
        for r in self.running:
            is_late = any(at <= self.now for at in self.cuts_ns(r))
            if r.left > 0 and not is_late:
                continue
            if r.left <= 0 and r.coming:
                r.go_on()
                if not is_late:
                    continue
            unreleased = [w for w in self.waiting if not w.is_released]
            if unreleased:
                unreleased[0].is_released = True
            r.exit_ns = self.now
            r.is_cut = r.left > 0

    def arrives(self, request: Request) -> None:
        if self.overload.refuses(self.load):
            request.is_refused = True
            return
        request.share = Fraction(self.overload.work_of(self.load), PPM)
        self.arrived.append(request)

    def starts(self) -> None:
        """One after another: who is too old leaves before the next starts."""
        while waiters := [r for r in self.waiting if self.may_start(r)]:
            self.start(waiters[0])
            self.exits()

    def may_start(self, request: Request) -> bool:
        if self.sharing.start_below_ppm is not None:
            unit = self.sharing.start_unit
            in_use = sum(self.threads(r) for r in self.running if self.unit(r) == unit)
            return in_use < self.sharing.start_below_ppm
        start, at = self.admission(request)
        starves = start is Start.ON_EXIT and not self.running
        has_waited = start is not Start.ON_EXIT and at <= self.now
        return request.is_released or starves or has_waited

    def start(self, r: Request) -> None:
        r.start_ns = self.now
        r.begin()
        r.load_at_start = self.load
        r.rung = self.rung(r)
        if self.boosts_at_start:
            self.boost(r)

    def gives_up(self, request: Request) -> bool:
        from_arrival = Rule.AGE_FROM_ARRIVAL in self.ladders[0].rules
        born_ns = request.arrival_ns if from_arrival else request.start_ns
        at_us = self.sharing.give_up_us
        return at_us is not None and self.now - born_ns >= at_us * 1000

    def rung(self, request: Request) -> int:
        if self.gives_up(request):
            return 0
        ladder = self.ladders[request.ladder]
        load = self.load if Rule.REREAD_ROW in ladder.rules else request.load_at_start
        waited_us = (request.start_ns - request.arrival_ns) // 1000
        return lookup(ladder, load, waited_us, (self.now - request.start_ns) // 1000).rung

    def ticks(self) -> None:
        for r in self.running:
            if not self.is_tick(r):
                continue
            before, rung = r.rung, self.rung(r)
            falls = self.gives_up(r) or Rule.NEVER_DESCEND not in self.ladders[0].rules
            if rung > before:
                r.rung = rung
                self.boost(r)
            elif rung < before and falls:
                r.rung, r.boosted = rung, False
            # what a change of rung leaves free is taken before the next one's tick
            self.starts()

    def boost(self, request: Request) -> None:
        """Boost a request that is new on its rung if that is the last, and there is room."""
        limit = self.ladders[0].boost
        if limit is not None and request.rung == len(self.ladders[0].rungs) - 1:
            taken = sum(self.cost(r) for r in self.running if r.boosted)
            request.boosted = taken + self.cost(request) < limit.below_ppm


def replay_plain(
    ladders: list[Ladder],
    requests: list[Request],
    *,
    cut_off_us: int | None = None,
    boosts_at_start: bool = False,
) -> list[Request]:
    """Run all `requests` (in order of arrival) to their exits; times in whole nanoseconds."""
    cut_off_ns = None if cut_off_us is None else cut_off_us * 1000
    server = Server(ladders, cut_off_ns, boosts_at_start)
    coming = list(requests)
    while coming or server.load:
        server.pass_time(server.next_event(coming))
        server.exits()
        while coming and coming[0].arrival_ns == server.now:
            server.arrives(coming.pop(0))
        server.starts()
        server.ticks()
    return requests
