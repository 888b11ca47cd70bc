"""What a change of frequency costs a core: by hand, and against a simulator of one core."""

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

import pytest

from tailc.forms.tail_table import Batch, Sleep, TailTable, Transition
from tailc.models.core_queues.clocks import ClairvoyantRule, FixedLevel
from tests.tailc.models.core_queues.servers import MS, US, clocks, replayed, tail_table

HALT = 5 * US
# Two requests in the queue need 1.2 GHz: 120,000 cycles in 100 us.
TWO_NEED_MORE = tail_table((0, 0, 120_000), bound_us=100)


def halting(table: TailTable, halt_ns: int = HALT, energy_nj: int = 0) -> TailTable:
    return replace(table, transition=Transition(halt_ns, energy_nj))


@dataclass
class OneCore:
    """A core that is told nothing but the rule: a list of requests, one event after another.

    Its table has one row, so the level depends on ages alone.
    """

    table: TailTable
    halt_ns: int
    work: list[tuple[int, int, int]]  # arrival, compute at 1 GHz and memory time [ns]
    now: int = 0
    waits_until: int = 0
    level: int = 0
    left: Fraction = Fraction(1)  # of the running request
    queue: list[int] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    drawn: list[int] = field(default_factory=list)  # mW ns
    changes: int = 0

    def chosen(self) -> int:
        top = len(self.table.levels) - 1
        cycles, memory = self.table.cycles[0].left, self.table.memory_ns[0].left
        if len(self.queue) > len(cycles):
            return top
        needed = Fraction(0)
        for place, number in enumerate(self.queue):
            slack = self.table.bound_us * 1_000 - (self.now - self.work[number][0]) - memory[place]
            if slack <= 0:
                return top
            needed = max(needed, Fraction(cycles[place] * 1_000_000, slack))
        fits = [k for k, level in enumerate(self.table.levels) if level.frequency_khz >= needed]
        return fits[0] if fits else top

    def whole(self) -> Fraction:
        _, compute, memory = self.work[self.queue[0]]
        return compute * Fraction(1_000_000, self.table.levels[self.level].frequency_khz) + memory

    def change(self) -> None:
        level = self.chosen()
        if level != self.level:
            self.level, self.waits_until = level, max(self.waits_until, self.now + self.halt_ns)
            self.changes += 1

    def pass_until(self, later: int) -> None:
        worked = max(later - max(self.now, self.waits_until), 0)
        self.left = max(self.left - worked / self.whole(), Fraction(0))
        power_mw = self.table.levels[self.level].power_mw
        self.drawn[self.queue[0]] += power_mw * (later - self.now)
        self.now = later

    def run(self) -> None:
        self.drawn = [0] * len(self.work)
        coming = 0
        while coming < len(self.work) or self.queue:
            arrival = self.work[coming][0] if coming < len(self.work) else None
            if not self.queue:
                assert arrival is not None
                self.now, self.left, coming = arrival, Fraction(1), coming + 1
                self.queue.append(coming - 1)
                # The core sets its clock while it wakes up.
                self.level, self.waits_until = self.chosen(), arrival + self.table.sleep.wake_ns
                continue
            ends = ceil(max(self.now, self.waits_until) + self.left * self.whole())
            if arrival is not None and arrival < ends:
                self.pass_until(arrival)
                self.queue.append(coming)
                coming += 1
                self.change()
                continue
            self.pass_until(ends)
            number = self.queue.pop(0)
            self.latencies.append(ends - self.work[number][0])
            self.left = Fraction(1)
            if self.queue:
                self.change()


def random_case(rng: random.Random) -> tuple[TailTable, list[tuple[int, int, int]]]:
    ghz = tuple(sorted(rng.sample((0.8, 1.2, 1.6, 2.0, 2.4, 3.4), rng.randint(2, 5))))
    table = tail_table(
        (0, *sorted(rng.randint(0, 400) * 1_000 for _ in range(3))),
        memory_ns=((0, *sorted(rng.randint(0, 90) * US for _ in range(3))),),
        bound_us=rng.randint(50, 500),
        ghz=ghz,
        power_mw=tuple(range(1_000, 1_000 + 700 * len(ghz), 700)),
        sleep=Sleep(0, rng.choice([0, 20 * US])),
    )
    now, work = 0, []
    for _ in range(60):
        now += int(rng.expovariate(1 / (120 * US)))
        work.append((now, rng.randint(1, 150 * US), rng.choice([0, rng.randint(0, 40 * US)])))
    return table, work


@pytest.mark.parametrize("halt_ns", [0, 1, 7 * US, 100 * US, 2 * MS])
def test_the_engine_does_what_a_simulator_of_one_core_does(halt_ns):
    rng, changes = random.Random(halt_ns), 0
    for _ in range(12):
        table, work = random_case(rng)
        core = OneCore(table, halt_ns, work)
        core.run()
        arrivals, compute, memory = map(list, zip(*work, strict=True))
        demand = [c + m for c, m in zip(compute, memory, strict=True)]
        outcome = replayed(clocks(halting(table, halt_ns, 3)), arrivals, demand, memory)
        assert outcome.latency_ns.tolist() == core.latencies
        drawn = outcome.energy.of_request.sum()
        assert drawn == pytest.approx(sum(core.drawn) / 1_000 + 3 * core.changes, rel=1e-12)
        changes += core.changes
    assert changes > 30


def test_an_arrival_that_raises_the_frequency_halts_the_core():
    outcome = replayed(clocks(halting(TWO_NEED_MORE)), [0, 40 * US], [100 * US, 60 * US])
    # 40 us at 1 GHz, a halt, 30 us at 2 GHz; then a halt again, and 60 us at 1 GHz
    assert outcome.latency_ns.tolist() == [75 * US, 35 * US + HALT + 60 * US]
    assert outcome.energy.of_request.tolist() == [40 * US + 4 * 35 * US, 65 * US]
    assert outcome.levels.level_ns.sum(axis=0).tolist() == [105 * US, 35 * US]


def test_the_energy_of_a_change_is_that_of_the_request_that_runs():
    free, paid = (
        replayed(clocks(halting(TWO_NEED_MORE, 0, nj)), [0, 40 * US], [100 * US, 60 * US])
        for nj in (0, 700)
    )
    assert paid.latency_ns.tolist() == free.latency_ns.tolist()
    assert (paid.energy.of_request - free.energy.of_request).tolist() == [700, 700]
    assert paid.energy.drawn.sum() - free.energy.drawn.sum() == 2 * 700


def test_a_change_during_a_halt_begins_a_new_one():
    # three requests need the highest level, and two the one between
    table = tail_table(
        (0, 0, 120_000, 250_000), bound_us=100, ghz=(1, 2, 3), power_mw=(1_000, 2_000, 3_000)
    )
    outcome = replayed(
        clocks(halting(table, 10 * US)), [0, 40 * US, 44 * US], [100 * US, 2 * US, 2 * US]
    )
    # 40 % is done; a halt from 40 us on, and another from 44 to 54 us
    assert int(outcome.latency_ns[0]) == 54 * US + 20 * US


def test_a_core_that_wakes_up_sets_its_frequency_meanwhile():
    table = replace(tail_table((0, 120_000, 120_000), bound_us=100), sleep=Sleep(0, 20 * US))
    outcome = replayed(clocks(halting(table, 50 * US, 9)), [0, 2 * MS], [100 * US, 100 * US])
    assert outcome.latency_ns.tolist() == [70 * US, 70 * US]
    assert outcome.energy.of_request.tolist() == [4 * 70 * US] * 2


def test_one_frequency_costs_no_change():
    arrivals, work = [0, 40 * US, 500 * US], [100 * US, 60 * US, 10 * US]
    for level in (0, 1):
        fixed = FixedLevel(level)
        halted = replayed(clocks(halting(TWO_NEED_MORE, MS, MS), fixed), arrivals, work)
        free = replayed(clocks(TWO_NEED_MORE, fixed), arrivals, work)
        assert halted.latency_ns.tolist() == free.latency_ns.tolist()
        assert halted.energy.of_request.tolist() == free.energy.of_request.tolist()


def test_changes_that_cost_nothing_are_as_none():
    rng = random.Random(3)
    table, work = random_case(rng)
    arrivals, compute, _ = map(list, zip(*work, strict=True))
    free = replayed(clocks(halting(table, 0)), arrivals, compute)
    none = replayed(clocks(table), arrivals, compute)
    assert free.latency_ns.tolist() == none.latency_ns.tolist()
    assert free.energy.of_request.tolist() == none.energy.of_request.tolist()


def test_batch_work_at_another_frequency_costs_a_change_before_and_after_requests():
    table = tail_table((0, 0, 0), batch=Batch(1_000_000, 2_000_000, 3_000))
    outcome = replayed(clocks(halting(table, HALT, 70)), [10 * US, 200 * US], [50 * US, 20 * US])
    assert outcome.latency_ns.tolist() == [55 * US, 25 * US]
    assert outcome.energy.of_request.tolist() == [55 * US + 70, 25 * US + 70]
    # From 65 us on the core halts again; what follows the last request is not replayed.
    assert outcome.idle_changes.halted_ns.sum() == HALT
    assert outcome.idle_changes.energy.sum() == 2 * 70
    # What is measured ends with the last arrival.
    span_ns = 200 * US
    assert outcome.batch_share == pytest.approx((10 + 135 - 5) * US / span_ns)
    assert outcome.mean_idle_power * span_ns == pytest.approx(3 * (10 + 135) * US + 70)


def test_a_request_at_the_frequency_of_batch_work_waits_for_a_halt_that_goes_on():
    # a new request needs 0.6 GHz, and one that is 70 us old 2 GHz
    table = tail_table((0, 60_000, 60_000), bound_us=100, batch=Batch(1_000_000, 1_000_000, 0))
    arrivals, work = [0, 10 * US, 107 * US], [80 * US, 40 * US, 10 * US]
    outcome = replayed(clocks(halting(table)), arrivals, work)
    # At 105 us the second one leaves, and batch work halts until 110 us.
    assert outcome.latency_ns.tolist() == [80 * US, 95 * US, 13 * US]
    assert outcome.idle_changes.halted_ns.sum() == 2 * US


def test_the_dynamic_oracle_at_worst_runs_all_requests_at_one_frequency():
    rng = random.Random(5)
    table, work = random_case(rng)
    arrivals, compute, _ = map(list, zip(*work, strict=True))
    at = clocks(halting(table, 5 * MS, 10 * MS))
    at = replace(at, rule=ClairvoyantRule(950_000, 3_000))
    foreseen = replayed(at, arrivals, compute)
    assert len(set(foreseen.rung.tolist())) == 1
    assert (foreseen.latency_ns > 3 * MS).mean() <= 0.05
