"""Servers to replay on: small ladders by hand, and random ones."""

import dataclasses
import random
from typing import NamedTuple

from tailc.forms.ladder.overload import NO_OVERLOAD, Overload
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import (
    AT_ONCE,
    ON_EXIT,
    Admission,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    LoadAxis,
    Outside,
    Row,
    Rule,
    Rung,
)

MS = 1_000_000
PPM = 1_000_000
RULES = (Rule.NEVER_DESCEND, Rule.REREAD_ROW)


def ladder(
    *rows: Row, cores: int | None = None, rungs: int = 4, quantum_ms: int = 5, boost: int = 0
) -> Ladder:
    """Rung i costs i + 1 threads."""
    return Ladder(
        LoadAxis.IN_SYSTEM,
        None,
        (CostUnit("threads", cores * PPM if cores else None),),
        tuple(Rung(f"d{i + 1}", (i + 1) * PPM, ((i + 1) * PPM,)) for i in range(rungs)),
        (Rule.BOOST_LAST_RUNG, *RULES) if boost else RULES,
        quantum_ms * 1000,
        rows,
        Guard(1, 64),
        Boost(0, boost * PPM) if boost else None,
    )


def at_once(*climbs: tuple[int, int], first: int = 0, last: int | None = None) -> Row:
    return Row(first, last, AT_ONCE, tuple(Climb(ms * 1000, rung) for ms, rung in climbs))


def random_ladder(rng: random.Random, rungs: int = 0) -> Ladder:
    rungs = rungs or rng.randint(1, 4)
    rows, first = [], 1
    for _ in range(rng.randint(0, 4)):
        last = first + rng.randint(0, 2)
        rows.append(random_row(rng, first, last, rungs))
        first = last + 1
    rows.append(random_row(rng, first, None, rungs))
    cores = rng.randint(1, 8)
    boost = rng.choice([0, cores, cores + 2])
    rules = list(RULES)
    if rng.random() < 0.2:
        rules.append(Rule.AGE_FROM_ARRIVAL)
    if boost:
        rules.append(Rule.BOOST_LAST_RUNG)
    return dataclasses.replace(
        ladder(*rows, cores=cores, rungs=rungs, quantum_ms=rng.choice([1, 3, 5]), boost=boost),
        rules=tuple(sorted(rules, key=lambda rule: rule.value)),
        guard=Guard(1, rng.randint(1, 12), rng.choice(list(Outside))),
    )


class RandomServer(NamedTuple):
    ladders: list[Ladder]
    cut_off_us: int | None
    boosts_at_start: bool


def random_server(rng: random.Random) -> RandomServer:
    """Some of: several ladders, rows kept from the start, several pools, a cut-off."""
    first = random_ladder(rng)
    if rng.random() < 0.5:
        first = without(first, *rng.choice([[Rule.REREAD_ROW], [Rule.NEVER_DESCEND], list(RULES)]))
    if rng.random() < 0.5:
        first = in_pools(first, rng)
    ladders = [first, *(other_rows(first, rng) for _ in range(rng.choice([0, 0, 1, 2])))]
    cut_off_us = rng.choice([None, rng.randint(1, 60) * 1000])
    return RandomServer(ladders, cut_off_us, rng.random() < 0.5)


def overloaded(policy: Ladder, told: Overload) -> Ladder:
    """The ladder with what is said of overload, and the rules for it."""
    parts = {
        Rule.SHED: told.shed_from,
        Rule.CUT_OFF: told.cut_off_us,
        Rule.DEGRADE: told.degrade_from,
    }
    rules = {*policy.rules, *(rule for rule, part in parts.items() if part is not None)}
    names = tuple(sorted(rules, key=lambda rule: rule.value))
    return dataclasses.replace(policy, rules=names, overload=told)


def relieved_server(rng: random.Random) -> RandomServer:
    """The same with some of the rules for overload, tight enough to matter."""
    ladders, *others = random_server(rng)
    shed_from = rng.choice([None, rng.randint(1, 6)])
    degrade_from = rng.choice([None, rng.randrange(shed_from or 6)])
    told = Overload(
        shed_from,
        rng.choice([None, rng.randint(1, 40) * 1000]),
        degrade_from,
        None if degrade_from is None else rng.randint(1, PPM - 1),
    )
    if told == NO_OVERLOAD:
        return RandomServer(ladders, *others)
    return RandomServer([overloaded(one, told) for one in ladders], *others)


def without(policy: Ladder, *rules: Rule) -> Ladder:
    return dataclasses.replace(policy, rules=tuple(r for r in policy.rules if r not in rules))


def sharing_server(rng: random.Random) -> RandomServer:
    """A random server on which starts go by what is in use, or requests give up, or both."""
    ladders, *others = random_server(rng)
    unit = ladders[0].cost_units[0]
    start_ppm = rng.choice([None, rng.randint(1, 8) * PPM // 2])
    is_drawn_on = any(rung.cost_ppm[0] for rung in ladders[0].rungs)
    if unit.capacity_ppm is None or not is_drawn_on:
        start_ppm = None
    give_up_us = rng.randint(1, 80) * 500 if start_ppm is None or rng.random() < 0.5 else None
    told = Sharing(None if start_ppm is None else 0, start_ppm, give_up_us)
    return RandomServer([sharing(one, told) for one in ladders], *others)


def sharing(policy: Ladder, told: Sharing) -> Ladder:
    """The ladder with what is said of sharing, and the rules for it."""
    more = [Rule.START_BELOW] if told.start_below_ppm is not None else []
    more += [Rule.GIVE_UP] if told.give_up_us is not None else []
    rules = tuple(sorted((*policy.rules, *more), key=lambda rule: rule.value))
    rows = policy.rows
    if told.start_below_ppm is not None:
        rows = tuple(dataclasses.replace(row, admission=AT_ONCE) for row in rows)
    return dataclasses.replace(policy, rules=rules, rows=rows, sharing=told)


def in_pools(policy: Ladder, rng: random.Random) -> Ladder:
    """Every rung costs as before, but in one of two limited units or in one without a limit."""
    units = (
        CostUnit("little", rng.randint(1, 6) * PPM),
        CostUnit("watts"),
        CostUnit("big", rng.randint(1, 3) * PPM),
    )
    rungs, unit = [], 0
    for rung in policy.rungs:
        unit = rng.choice([0, 2] if policy.boost else [0, 1, 2])
        costs = tuple(rung.cost_ppm[0] if i == unit else 0 for i in range(len(units)))
        rungs.append(dataclasses.replace(rung, cost_ppm=costs))
    boost = dataclasses.replace(policy.boost, unit=unit) if policy.boost else None
    return dataclasses.replace(policy, cost_units=units, rungs=tuple(rungs), boost=boost)


def other_rows(policy: Ladder, rng: random.Random) -> Ladder:
    other = random_ladder(rng, len(policy.rungs))
    return dataclasses.replace(policy, rows=other.rows, guard=other.guard)


def random_row(rng: random.Random, first: int, last: int | None, rungs: int) -> Row:
    chosen = sorted(rng.sample(range(rungs), rng.randint(1, rungs)))
    ages = [0, *sorted(rng.sample(range(1, 40), len(chosen) - 1))]
    climbs = tuple(Climb(a * 1000, r) for a, r in zip(ages, chosen, strict=True))
    admission = rng.choice(
        [AT_ONCE, AT_ONCE, Admission.after_delay(rng.randint(1, 30) * 1000), ON_EXIT]
    )
    return Row(first, last, admission, climbs)
