"""The replay of core ladders on one server, tick by tick, in exact fractions; slow and obvious.

Every tick of every request is an event here, every decision asks the form's own look-up, and the
controller is the form's own. It shares nothing with the compiled engine but the meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from tailc.forms.controller import (
    Controller,
    ControlState,
    arrival_rate_mrps,
    first_state,
    output_ppm,
    scaled_age_us,
    step,
)
from tailc.forms.ladder.lookup import row_at, rung_at
from tailc.forms.ladder.table import Climb, Ladder, Outside, Row, Rule
from tailc.models.steering import Lookup, Setting

PPM = 1_000_000
NS_PER_US = 1_000


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
    moving_until_ns: int = 0
    load_at_start: int = 0
    rung: int = 0
    core: int = 0
    taken_over_ns: int = 0
    is_cut: bool = False
    energy: Fraction = Fraction(0)

    @property
    def runs(self) -> bool:
        return self.start_ns is not None and self.exit_ns is None


@dataclass
class Step:
    time_ns: int
    measured_us: int
    rate_mrps: int
    output_ppm: int


@dataclass
class Loop:
    """Counts completions, and asks `law` for the next output: (steps, measured, rate) -> output.

    wanted: the rung that every request wants, whatever its row. cores_on: of each unit.
    """

    epoch: int
    window: int
    percentile_ppm: int
    law: Callable[[int, int, int], int]
    output: int
    wanted: int | None = None
    cores_on: tuple[int, ...] | None = None
    latencies_ns: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    arrived_before: int = 0

    def complete(self, latency_ns: int, now: int, arrived: int) -> None:
        self.latencies_ns.append(latency_ns)
        if len(self.latencies_ns) % self.epoch:
            return
        window = sorted(self.latencies_ns[-self.window :])
        at_ns = window[ceil(Fraction(self.percentile_ppm, PPM) * len(window)) - 1]
        measured_us = (at_ns + 500) // NS_PER_US
        passed_ns = now - (self.steps[-1].time_ns if self.steps else 0)
        rate_mrps = arrival_rate_mrps(arrived - self.arrived_before, passed_ns // NS_PER_US)
        self.arrived_before = arrived
        self.output = self.law(len(self.steps), measured_us, rate_mrps)
        self.steps.append(Step(now, measured_us, rate_mrps, self.output))


def controlled(controller: Controller) -> Loop:
    state: list[ControlState] = [first_state(controller)]

    def law(number: int, measured_us: int, rate_mrps: int) -> int:
        state[0] = step(controller, state[0], measured_us, rate_mrps)
        return output_ppm(controller, state[0])

    return Loop(
        controller.epoch_requests,
        controller.window_requests,
        controller.percentile_ppm,
        law,
        output_ppm(controller, state[0]),
    )


def given(outputs_ppm: list[int], epoch: int, window: int, percentile_ppm: int) -> Loop:
    def law(number: int, measured_us: int, rate_mrps: int) -> int:
        return outputs_ppm[min(number + 1, len(outputs_ppm) - 1)]

    return Loop(epoch, window, percentile_ppm, law, outputs_ppm[0])


@dataclass
class LookUp(Loop):
    """Takes the last of `settings` whose first rate is no higher than the measured one."""

    settings: tuple[Setting, ...] = ()
    period_ns: int = 0

    def complete(self, latency_ns: int, now: int, arrived: int) -> None:  # noqa: ARG002
        passed_ns = now - (self.steps[-1].time_ns if self.steps else 0)
        if passed_ns < self.period_ns or arrived - self.arrived_before < self.epoch:
            return
        rate_mrps = arrival_rate_mrps(arrived - self.arrived_before, passed_ns // NS_PER_US)
        self.arrived_before = arrived
        self.take(next(s for s in reversed(self.settings) if s.first_rate_mrps <= rate_mrps))
        self.steps.append(Step(now, 0, rate_mrps, self.output))

    def take(self, setting: Setting) -> None:
        self.wanted, self.cores_on = setting.rung, setting.cores_on


def looked_up(lookup: Lookup) -> Loop:
    """At the last setting first."""
    loop = LookUp(lookup.epoch_requests, 0, 0, lambda *_: PPM, PPM)
    loop.settings, loop.period_ns = lookup.settings, lookup.period_us * NS_PER_US
    loop.take(lookup.settings[-1])
    return loop


@dataclass
class Server:
    ladders: list[Ladder]
    cut_off_ns: int | None = None
    loop: Loop | None = None
    now: int = 0
    arrived: list[Request] = field(default_factory=list)
    idle_energy: Fraction = Fraction(0)
    # By core: what was spent below the last rung since it last was free, and who left it last.
    spent_ns: dict[int, int] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)

    @property
    def ladder(self) -> Ladder:
        return self.ladders[0]

    @property
    def load(self) -> int:
        return sum(r.exit_ns is None for r in self.arrived)

    @property
    def running(self) -> list[Request]:
        return [r for r in self.arrived if r.runs]

    @property
    def waiting(self) -> list[Request]:
        return [r for r in self.arrived if r.start_ns is None]

    @property
    def rungs(self) -> range:
        return range(len(self.ladder.rungs))

    def unit(self, rung: int) -> int:
        costs = self.ladder.rungs[rung].cost_ppm
        units = enumerate(self.ladder.cost_units)
        return next(i for i, unit in units if unit.capacity_ppm is not None and costs[i])

    def power(self, rung: int) -> Fraction:
        return Fraction(self.ladder.rungs[rung].cost_ppm[self.ladder.power.unit], PPM)

    def cores(self, rungs) -> int:
        """Of the units of these rungs, each once."""
        units = {self.unit(rung) for rung in rungs}
        return sum(self.ladder.cost_units[unit].capacity_ppm // PPM for unit in units)

    def is_free(self, rung: int) -> bool:
        return self.free_cores(self.unit(rung)) > 0

    def free_cores(self, unit: int) -> int:
        """Of those that are on; none while more are held than are to be on."""
        on = self.ladder.cost_units[unit].capacity_ppm // PPM
        if self.loop is not None and self.loop.cores_on is not None:
            on = self.loop.cores_on[unit]
        return max(on - sum(self.unit(r.rung) == unit for r in self.running), 0)

    def row(self, ladder: Ladder, load: int) -> Row:
        guard = ladder.guard
        if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
            return Row(0, None, ladder.rows[0].admission, (Climb(0, 0),))
        return row_at(ladder, load)

    def wanted(self, request: Request) -> int:
        """By its row at its age; a waiter has executed nothing."""
        if self.loop is not None and self.loop.wanted is not None:
            return self.loop.wanted
        ladder = self.ladders[request.ladder]
        keeps = Rule.REREAD_ROW not in ladder.rules and request.start_ns is not None
        row = self.row(ladder, request.load_at_start if keeps else self.load)
        if Rule.WAITED_START_LAST in ladder.rules and self.has_waited(request):
            return row.climbs[-1].rung
        born = request.start_ns
        if Rule.AGE_FROM_ARRIVAL in ladder.rules:
            born = request.arrival_ns
        age_us = 0 if born is None else (self.now - born + request.taken_over_ns) // NS_PER_US
        by_ppm = PPM if self.loop is None else self.loop.output
        reached = [c.rung for c in row.climbs if scaled_age_us(c.age_us, by_ppm) <= age_us]
        assert by_ppm != PPM or reached[-1] == rung_at(row, age_us)
        return reached[-1]

    def has_waited(self, request: Request) -> bool:
        begun = self.now if request.start_ns is None else request.start_ns
        return begun > request.arrival_ns

    def take_core(self, request: Request) -> None:
        """The one that was left last; where rules tell of cores they are all of one kind."""
        held = {r.core for r in self.running}
        free = [core for core in range(self.cores([request.rung])) if core not in held]
        request.core = max(
            free, key=lambda core: self.left.index(core) if core in self.left else -1
        )
        if not self.has_waited(request):
            self.spent_ns[request.core] = 0
        if Rule.BUSY_PERIOD_AGE in self.ladder.rules:
            request.taken_over_ns = self.spent_ns[request.core]

    def older_wanting(self, request: Request, rung: int) -> int:
        return sum(r.number < request.number and self.wanted(r) >= rung for r in self.running)

    def is_open(self, request: Request, rung: int) -> bool:
        up = [j for j in self.rungs if j >= rung]
        return self.is_free(rung) and self.older_wanting(request, rung) < self.cores(up)

    def where_to_start(self, request: Request) -> int | None:
        for rung in reversed(self.driven_to(request)):
            if self.is_free(rung):
                return rung
        for rung in reversed(range(self.wanted(request) + 1)):
            if self.unit(rung) == self.unit(0) and self.is_free(rung):
                return rung
            if self.is_open(request, rung):
                return rung
        return None

    def where_to_move(self, request: Request) -> int | None:
        for rung in reversed(range(request.rung + 1, self.wanted(request) + 1)):
            if self.unit(rung) == self.unit(request.rung) or self.is_open(request, rung):
                return rung
        return self.way_out(request) if Rule.MAKE_ROOM in self.ladder.rules else None

    def others_above(self, rung: int) -> list[int]:
        """The rungs above, but those of units that rungs up to this one have."""
        known = {self.unit(j) for j in self.rungs if j <= rung}
        return [j for j in self.rungs if j > rung and self.unit(j) not in known]

    def is_too_many(self, request: Request, rung: int) -> bool:
        """Lines 10 to 13 of algorithm 1, for the cores up to this rung and those above."""
        too_many = self.load - self.cores([j for j in self.rungs if j <= rung])
        rank = 1 + sum(r.number < request.number for r in self.running)
        return rank <= too_many and rank <= self.cores(self.others_above(rung))

    def driven_to(self, request: Request) -> list[int]:
        """The rungs above the wanted one on which a waiter may start, in ascending order."""
        if Rule.MAKE_ROOM not in self.ladder.rules:
            return []
        rungs = [self.wanted(request)]
        while self.is_too_many(request, rungs[-1]):
            rungs.append(self.others_above(rungs[-1])[0])
        return rungs[1:]

    def way_out(self, request: Request) -> int | None:
        """The next unit, if the request has to make room."""
        others = self.others_above(request.rung)
        if not others:
            return None
        if self.is_too_many(request, request.rung) and self.is_free(others[0]):
            return others[0]
        return others[0] if self.is_asked(request) and self.is_open(request, others[0]) else None

    def is_oldest_on_its_unit(self, request: Request) -> bool:
        here = [r for r in self.running if self.unit(r.rung) == self.unit(request.rung)]
        return request is here[0]

    def is_short(self, unit: int) -> bool:
        """Whether all its cores are held, and somebody below is to come or waits for one."""
        first = self.lowest(unit)
        if self.is_free(first):
            return False
        wanting = [r for r in self.running if r.rung < self.wanted(r) and self.is_below(r, unit)]
        wanting += self.waiting[:1]
        if any(self.unit(self.wanted(r)) == unit for r in wanting):
            return True
        return any(
            self.others_above(r.rung)[:1] == [first] and self.is_asked(r) for r in self.running
        )

    def is_asked(self, request: Request) -> bool:
        return self.is_oldest_on_its_unit(request) and self.is_short(self.unit(request.rung))

    def lowest(self, unit: int) -> int:
        return next(rung for rung in self.rungs if self.unit(rung) == unit)

    def is_below(self, request: Request, unit: int) -> bool:
        return self.lowest(self.unit(request.rung)) < self.lowest(unit)

    def next_event(self, coming: list[Request]) -> int:
        times = [coming[0].arrival_ns] if coming else []
        quantum = self.ladder.quantum_us * NS_PER_US
        for r in self.running:
            times.append(r.start_ns + ((self.now - r.start_ns) // quantum + 1) * quantum)
            works_from = max(self.now, r.moving_until_ns)
            times.append(works_from + ceil(r.left / r.speed[r.rung]))
            if self.cut_off_ns is not None:
                times.append(r.start_ns + self.cut_off_ns)
        for r in self.waiting:
            by_ppm = PPM if self.loop is None else self.loop.output
            row = self.row(self.ladders[r.ladder], self.load)
            ages_us = [scaled_age_us(climb.age_us, by_ppm) for climb in row.climbs]
            times += [r.arrival_ns + age_us * NS_PER_US for age_us in ages_us]
        return min(time for time in times if time > self.now or time == coming_at(coming))

    def pass_time(self, then: int) -> None:
        for r in self.running:
            if r.rung < self.rungs[-1]:
                self.spent_ns[r.core] = self.spent_ns.get(r.core, 0) + then - self.now
            worked = max(then - max(self.now, r.moving_until_ns), 0)
            r.left -= r.speed[r.rung] * worked
            r.energy += self.power(r.rung) * (then - self.now)
        self.idle_energy += self.idle_power() * (then - self.now)
        self.now = then

    def idle_power(self) -> Fraction:
        power = Fraction(0)
        for number, unit in enumerate(self.ladder.cost_units):
            if unit.capacity_ppm is not None:
                power += self.free_cores(number) * Fraction(self.ladder.power.idle_ppm[number], PPM)
        return power

    def exits(self) -> None:
        for r in self.running:
            is_late = self.cut_off_ns is not None and self.now - r.start_ns >= self.cut_off_ns
            if r.left > 0 and not is_late:
                continue
            r.exit_ns = self.now
            self.left = [*(core for core in self.left if core != r.core), r.core]
            r.is_cut = r.left > 0
            if self.loop is not None:
                self.loop.complete(self.now - r.arrival_ns, self.now, len(self.arrived))

    def starts(self) -> None:
        while self.waiting:
            first = self.waiting[0]
            rung = self.where_to_start(first)
            if rung is None:
                return
            first.load_at_start = self.load
            first.rung = rung
            if Rule.BUSY_PERIOD_AGE in self.ladder.rules:
                # The rung is that of the age on this core.
                self.take_core(first)
                first.start_ns = self.now
                first.rung = self.wanted(first)
            first.start_ns = first.moving_until_ns = self.now
            first.left = Fraction(first.work_ns)

    def ticks(self) -> None:
        quantum = self.ladder.quantum_us * NS_PER_US
        for r in self.running:
            executed = self.now - r.start_ns
            if executed == 0 or executed % quantum:
                continue
            rung = self.where_to_move(r)
            if rung is not None:
                r.rung = rung
                move_us = self.ladder.rungs[rung].move_us or 0
                r.moving_until_ns = self.now + move_us * NS_PER_US
                self.starts()


def coming_at(coming: list[Request]) -> int | None:
    return coming[0].arrival_ns if coming else None


def replay_cores_plain(
    ladders: list[Ladder],
    requests: list[Request],
    *,
    cut_off_us: int | None = None,
    loop: Loop | None = None,
) -> Server:
    """Run all `requests` (in order of arrival) to their exits; times in whole nanoseconds."""
    cut_off_ns = None if cut_off_us is None else cut_off_us * NS_PER_US
    server = Server(ladders, cut_off_ns, loop)
    coming = list(requests)
    while coming or server.load:
        server.pass_time(server.next_event(coming))
        server.exits()
        while coming and coming[0].arrival_ns == server.now:
            server.arrived.append(coming.pop(0))
        server.starts()
        server.ticks()
    return server
