"""Servers of whole cores to replay on: small ones by hand, and random ones."""

import dataclasses
import random
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tailc.forms.controller import Actuator, Controller, GainRow
from tailc.forms.ladder.table import (
    AT_ONCE,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Outside,
    Power,
    Row,
    Rule,
    Rung,
)
from tailc.models.core_types.model import CoreTypes
from tailc.models.core_types.outcome import CoreTypesOutcome
from tailc.models.steering import Lookup, OpenLoop, Setting, Steering
from tailc.models.workload import Workload
from tests.reference.replay_cores_plain import Request

MS = 1_000_000
PPM = 1_000_000
ALWAYS = (Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND, Rule.REREAD_ROW)
FROM_ARRIVAL = (Rule.AGE_FROM_ARRIVAL, *ALWAYS)
MAKING_ROOM = (Rule.MAKE_ROOM, *FROM_ARRIVAL)


def row(*climbs: tuple[float, int], first: int = 0, last: int | None = None) -> Row:
    return Row(first, last, AT_ONCE, tuple(Climb(round(ms * 1000), rung) for ms, rung in climbs))


def cores(
    counts: list[int],
    *rows: Row,
    speeds: tuple[float, ...] = (1, 2, 4, 8),
    powers: tuple[float, ...] = (1, 6, 20, 60),
    idle: float = 0,
    move_us: int | None = None,
    rules: tuple[Rule, ...] = MAKING_ROOM,
    quantum_us: int = 1000,
) -> Ladder:
    """A rung for each type of core; free cores of every type draw `idle`."""
    kinds = range(len(counts))
    units = [CostUnit(f"type{i + 1}", count * PPM) for i, count in enumerate(counts)]
    return Ladder(
        LoadAxis.IN_SYSTEM,
        None,
        (*units, CostUnit("power")),
        tuple(
            Rung(
                f"type{i + 1}",
                round(speeds[i] * PPM),
                (*(PPM * (unit == i) for unit in kinds), round(powers[i] * PPM)),
                move_us if i else None,
            )
            for i in kinds
        ),
        tuple(sorted(rules, key=lambda rule: rule.value)),
        quantum_us,
        rows,
        Guard(0, 10_000),
        power=Power(len(counts), (*(round(idle * PPM) for _ in kinds), 0)),
    )


def levels(count: int, *rows: Row, speeds: tuple[float, ...], move_us: int | None = None) -> Ladder:
    """Cores of one type, a rung for each speed; power is the speed cubed."""
    rungs = tuple(
        Rung(f"{speed:g} GHz", round(speed * PPM), (PPM, round(speed**3 * PPM)), move_us)
        for speed in speeds
    )
    units = (CostUnit("cores", count * PPM), CostUnit("power"))
    rules = tuple(sorted(MAKING_ROOM, key=lambda rule: rule.value))
    guard = Guard(0, 10_000)
    power = Power(1, (0, 0))
    return Ladder(LoadAxis.IN_SYSTEM, None, units, rungs, rules, 1000, rows, guard, power=power)


def run(
    policy: Ladder | list[Ladder],
    arrivals_ms: list[float],
    work_ms: list[float],
    speed: tuple[float, ...] | None = None,
    most: int = 10_000,
    ladder_of: list[int] | None = None,
    cut_off_us: int | None = None,
    steering: Steering | None = None,
) -> CoreTypesOutcome:
    ladders = tuple(policy) if isinstance(policy, list) else (policy,)
    count = len(work_ms)
    own = [rung.speed_ppm / PPM for rung in ladders[0].rungs]
    load = Workload(
        np.array([round(w * MS) for w in work_ms]),
        np.ones(count, np.int64),
        np.zeros(count, np.int32),
        np.array([own if speed is None else speed], dtype=float),
    )
    arrival_ns = np.array([round(a * MS) for a in arrivals_ms])
    which = None if ladder_of is None else np.array(ladder_of, np.int32)
    engine = CoreTypes("x", ladders, which, steering=steering).engine(1000, most, cut_off_us)
    return engine.replay(load, np.arange(count), arrival_ns, 0)


def latency_ms(outcome: CoreTypesOutcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.latency_ns]


def wait_ms(outcome: CoreTypesOutcome) -> list[float]:
    return [float(ns / MS) for ns in outcome.wait_ns]


class RandomServer(NamedTuple):
    ladders: list[Ladder]
    cut_off_us: int | None
    steering: Controller | OpenLoop | Lookup | None


def random_server(rng: random.Random) -> RandomServer:
    """Some of: core types, levels on one type or on several, moves, several ladders, a cut-off,
    ages from the start, no room made, rows by load, a controller.
    """
    first = random_ladder(rng)
    others = rng.choice([0, 0, 1, 2])
    ladders = [first, *(_other_rows(first, rng) for _ in range(others))]
    cut_off_us = rng.choice([None, None, rng.randint(1, 60) * 1000])
    return RandomServer(ladders, cut_off_us, rng.choice([_unsteered, _controller, _open_loop])(rng))


def random_lookup(rng: random.Random) -> RandomServer:
    """Types of core or levels of one, free cores that draw power, and settings by rate."""
    rungs = rng.randint(2, 4)
    rules = rng.choice([ALWAYS, FROM_ARRIVAL])
    counts = [rng.randint(1, 3) for _ in range(rungs)]
    if rng.random() < 0.5:
        speeds, counts = tuple(float(rung + 1) for rung in range(rungs)), counts[:1]
        ladder = levels(counts[0], row((0, 0)), speeds=speeds, move_us=rng.choice([None, 700]))
        ladder = dataclasses.replace(ladder, rules=tuple(sorted(rules, key=lambda r: r.value)))
    else:
        ladder = cores(counts, row((0, 0)), idle=0.3, move_us=500, rules=rules)
    rates = [0, *sorted(rng.sample(range(1, 400_000), rng.randint(1, 3)))]
    settings = [_setting(rng, rate, rungs, counts) for rate in rates]
    first = dataclasses.replace(ladder, rows=(row((0, settings[-1].rung)),))
    lookup = Lookup(tuple(settings), rng.randint(1, 4), rng.randint(0, 20) * 1000)
    return RandomServer([first], None, lookup)


def _setting(rng: random.Random, rate_mrps: int, rungs: int, counts: list[int]) -> Setting:
    rung = rng.randrange(rungs)
    unit = rung if len(counts) > 1 else 0
    on = tuple(rng.randint(1, count) * (at == unit) for at, count in enumerate(counts))
    return Setting(rate_mrps, rung, on)


def random_ladder(rng: random.Random) -> Ladder:
    rungs = rng.randint(2, 5)
    unit_of = _random_units(rng, rungs)
    units = range(max(unit_of) + 1)
    rules = [Rule.CORE_PER_REQUEST, Rule.NEVER_DESCEND]
    rules += [
        rule
        for rule in (Rule.MAKE_ROOM, Rule.AGE_FROM_ARRIVAL, Rule.REREAD_ROW)
        if rng.random() < 0.7
    ]
    if len(set(unit_of)) == 1:
        rules += _random_taking_over(rng, rules)
    speed, made = PPM, []
    for i, unit in enumerate(unit_of):
        cost = (*(PPM * (unit == other) for other in units), rng.randint(1, 9) * PPM)
        made.append(Rung(f"r{i}", speed, cost, rng.choice([None, rng.randint(1, 2500)])))
        speed = round(speed * rng.uniform(1, 2))
    return Ladder(
        LoadAxis.IN_SYSTEM,
        None,
        (*(CostUnit(f"u{unit}", rng.randint(1, 3) * PPM) for unit in units), CostUnit("power")),
        tuple(made),
        tuple(sorted(rules, key=lambda rule: rule.value)),
        rng.choice([1000, 1000, 700, 3000]),
        _random_rows(rng, rungs),
        Guard(1, rng.randint(1, 12), rng.choice(list(Outside))),
        power=Power(len(units), (*(rng.randint(0, PPM) for _ in units), 0)),
    )


def _random_taking_over(rng: random.Random, rules: list[Rule]) -> list[Rule]:
    """Ages count from arrival, or over the busy period of a core."""
    if Rule.AGE_FROM_ARRIVAL in rules and rng.random() < 0.5:
        rules.remove(Rule.AGE_FROM_ARRIVAL)
    taking = [] if Rule.AGE_FROM_ARRIVAL in rules else [Rule.BUSY_PERIOD_AGE]
    return [rule for rule in (*taking, Rule.WAITED_START_LAST) if rng.random() < 0.6]


def _random_units(rng: random.Random, rungs: int) -> list[int]:
    """A type for each rung; one type; types that have levels; types that take turns."""
    return rng.choice(
        [
            list(range(rungs)),
            list(range(rungs)),
            [0] * rungs,
            [i // 2 for i in range(rungs)],
            [i % 2 for i in range(rungs)],
        ]
    )


def _random_rows(rng: random.Random, rungs: int) -> tuple[Row, ...]:
    rows, first = [], 0
    for _ in range(rng.choice([0, 0, 1, 3])):
        last = first + rng.randint(0, 3)
        rows.append(_random_row(rng, first, last, rungs))
        first = last + 1
    return (*rows, _random_row(rng, first, None, rungs))


def _random_row(rng: random.Random, first: int, last: int | None, rungs: int) -> Row:
    chosen = sorted(rng.sample(range(rungs), rng.randint(1, rungs)))
    ages = [0, *sorted(rng.sample(range(1, 40), len(chosen) - 1))]
    return row(*zip(ages, chosen, strict=True), first=first, last=last)


def _other_rows(policy: Ladder, rng: random.Random) -> Ladder:
    return dataclasses.replace(policy, rows=_random_rows(rng, len(policy.rungs)))


def _unsteered(rng: random.Random) -> None:
    return None


def _controller(rng: random.Random) -> Controller:
    epoch = rng.randint(1, 6)
    firsts = [0, *sorted(rng.sample(range(1, 200_000), rng.randint(0, 2)))]
    gains = tuple(
        GainRow(first, *(rng.randint(-(10**4), 10**5) for _ in range(3))) for first in firsts
    )
    least, start, most = sorted(rng.randint(0, PPM) for _ in range(3))
    return Controller(
        Actuator.CLIMB_AGES,
        rng.choice([500_000, 900_000, 990_000]),
        rng.randint(1, 60) * 1000,
        epoch,
        epoch * rng.randint(1, 4),
        start,
        least,
        most,
        rng.choice([24, 32, 40]),
        gains,
    )


def _open_loop(rng: random.Random) -> OpenLoop:
    outputs = np.array([rng.randint(0, PPM) for _ in range(rng.randint(1, 6))])
    epoch = rng.randint(1, 5)
    return OpenLoop(outputs, epoch, epoch * 2, 900_000)


def random_requests(rng: random.Random, server: RandomServer) -> list[Request]:
    """At random times, with speeds of their own in whole millionths."""
    arrivals = sorted(rng.randint(0, 150 * MS) for _ in range(rng.randint(1, 30)))
    return [_request(n, at, rng.randint(1, 60 * MS), rng, server) for n, at in enumerate(arrivals)]


def requests_at_once(rng: random.Random, server: RandomServer) -> list[Request]:
    """At whole milliseconds, as the work is: many instants coincide."""
    arrivals = sorted(rng.randint(0, 40) * MS for _ in range(rng.randint(1, 25)))
    made = [_request(n, at, rng.randint(1, 30) * MS, rng, server) for n, at in enumerate(arrivals)]
    for request in made:
        request.speed = [Fraction(2**i) for i in range(len(request.speed))]
    return made


def _request(
    number: int, at_ns: int, work_ns: int, rng: random.Random, server: RandomServer
) -> Request:
    rungs = len(server.ladders[0].rungs)
    speed = sorted(Fraction(rng.randint(500_000, 4_000_000), PPM) for _ in range(rungs))
    return Request(number, at_ns, work_ns, speed, rng.randrange(len(server.ladders)))
