"""Random valid forms of policies, with every field and every rule."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tailc.forms.budget_table import BatchEngine, BudgetRow, BudgetTable
from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_ERROR_US,
    LARGEST_GAIN,
    LARGEST_OUTPUT_PPM,
    LARGEST_WINDOW,
    MOST_FRACTION_BITS,
    Actuator,
    Controller,
    GainRow,
)
from tailc.forms.ladder.overload import Overload
from tailc.forms.ladder.sharing import Sharing
from tailc.forms.ladder.table import (
    AT_ONCE,
    Admission,
    AdmissionKind,
    Boost,
    Climb,
    CostUnit,
    Guard,
    Ladder,
    Lane,
    LoadAxis,
    Outside,
    Power,
    Row,
    Rule,
    Rung,
)
from tailc.forms.shares import (
    LARGEST_COVARIANCE,
    LARGEST_HEADROOM_PPM,
    LARGEST_LAG,
    MOST_CAP_STEPS,
    Machine,
    ShareCap,
    ShareLaw,
    Shares,
)
from tailc.forms.step_times import LARGEST_AMOUNT, LARGEST_NS, StepPart, StepTimes
from tailc.forms.tail_table import (
    LARGEST_BOUND_US,
    LARGEST_CYCLES,
    LARGEST_FREQUENCY_KHZ,
    Batch,
    Level,
    Sleep,
    TailRow,
    TailTable,
    Transition,
)
from tailc.traces.profile import Measure
from tests.tailc.forms.random_values import (
    LARGEST,
    any_member,
    number_or_none,
    number_up_to,
    some_name,
    whole_number,
)

PPM = 1_000_000
_ANY_RULES = (Rule.REREAD_ROW, Rule.NEVER_DESCEND, Rule.AGE_FROM_ARRIVAL)
_OF_OVERLOAD = (Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE)
_TAKING_OVER = (Rule.WAITED_START_LAST, Rule.BUSY_PERIOD_AGE)
_OF_DEMAND = tuple(
    measure
    for measure in Measure
    if measure not in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)
)
_OF_OVERLOAD = (Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE)
_TAKING_OVER = (Rule.WAITED_START_LAST, Rule.BUSY_PERIOD_AGE)
_OF_DEMAND = tuple(
    measure
    for measure in Measure
    if measure not in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)
)
_TAKING_OVER = (Rule.WAITED_START_LAST, Rule.BUSY_PERIOD_AGE)
_OF_DEMAND = tuple(
    measure
    for measure in Measure
    if measure not in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)
)


def random_budget_table(rng: Random) -> BudgetTable:
    """With up to four rows and columns, every number up to its limit."""
    waiting, decoding = (_from_zero(rng, LARGEST_AMOUNT) for _ in range(2))
    least = [1] + [0] * (len(decoding) - 1)
    rows = tuple(
        BudgetRow(
            first,
            rng.randint(low, 9),
            tuple(rng.choice((low, 512, LARGEST_AMOUNT)) for _ in waiting),
        )
        for first, low in zip(decoding, least, strict=True)
    )
    parts = [_step_part(rng) for _ in range(4)]
    step = StepTimes(rng.choice((1, LARGEST_NS)), *parts)
    engine = BatchEngine(rng.choice((1, 2**22)), 16, rng.choice((1, LARGEST_AMOUNT)), step)
    return BudgetTable(waiting, rows, engine)


def _step_part(rng: Random) -> StepPart:
    knots = _from_zero(rng, LARGEST_AMOUNT)
    knots = knots if len(knots) > 1 else (0, LARGEST_AMOUNT)
    rises = sorted(rng.randint(0, LARGEST_NS) for _ in knots[1:])
    return StepPart(knots, (0, *rises))


def _from_zero(rng: Random, most: int) -> tuple[int, ...]:
    """Ascending from 0, up to three more."""
    return (0, *sorted({rng.randint(1, most) for _ in range(rng.randint(0, 3))}))


def random_tail_table(rng: Random) -> TailTable:
    """Any that is valid, the largest and the smallest of every number among them."""
    khz = sorted({number_up_to(rng, LARGEST_FREQUENCY_KHZ) for _ in range(rng.randint(1, 5))})
    positions = rng.randint(1, 4)
    return TailTable(
        percentile_ppm=rng.randrange(1, PPM),
        bound_us=number_up_to(rng, LARGEST_BOUND_US),
        levels=tuple(Level(frequency, whole_number(rng)) for frequency in khz),
        cycles=_tail_rows(rng, positions, LARGEST_CYCLES),
        memory_ns=_tail_rows(rng, positions, LARGEST),
        sleep=Sleep(whole_number(rng), whole_number(rng)),
        cores=whole_number(rng, 1),
        batch=rng.choice((None, Batch(rng.choice(khz), rng.choice(khz), whole_number(rng)))),
        reference_khz=rng.choice((None, number_up_to(rng, LARGEST_FREQUENCY_KHZ))),
        transition=rng.choice((None, Transition(whole_number(rng), whole_number(rng)))),
    )


def _tail_rows(rng: Random, positions: int, most: int) -> tuple[TailRow, ...]:
    starts = sorted({0, *(whole_number(rng) for _ in range(rng.randint(0, 3)))})
    return tuple(
        TailRow(
            start, tuple(sorted(rng.choice((0, number_up_to(rng, most))) for _ in range(positions)))
        )
        for start in starts
    )


def random_shares(rng: Random) -> Shares:
    """Any that is valid."""
    estimate_us = whole_number(rng, 1)
    lag = rng.choice((1, number_up_to(rng, min(LARGEST // estimate_us, LARGEST_LAG))))
    machines = [_machine(rng, number) for number in range(rng.randint(1, 4))]
    if all(machine.target_milli is None for machine in machines):
        machines.append(Machine("served", whole_number(rng, 1), 0, whole_number(rng, 1)))
    served = sum(machine.target_milli is not None for machine in machines)
    host_ppm = number_up_to(rng, PPM)
    return Shares(
        law=any_member(rng, ShareLaw),
        pole_ppm=rng.randrange(PPM),
        window_us=whole_number(rng, 1),
        estimate_us=estimate_us,
        step_us=lag * estimate_us,
        enforce_us=whole_number(rng, 1),
        forgetting_ppm=number_up_to(rng, PPM),
        first_covariance=number_up_to(rng, LARGEST_COVARIANCE),
        least_b_ppm=whole_number(rng, 1),
        least_ppm=rng.randint(0, host_ppm // served),
        host_ppm=host_ppm,
        shortage_steps=whole_number(rng, 1),
        tolerance_ppm=whole_number(rng, 1),
        machines=tuple(machines),
        cap=rng.choice((None, _cap(rng))),
    )


def _cap(rng: Random) -> ShareCap:
    """With few steps now and then, so that a short run goes through all modes."""
    steps, probe_steps = (rng.choice((1, 2, number_up_to(rng, MOST_CAP_STEPS))) for _ in range(2))
    return ShareCap(steps, probe_steps, number_up_to(rng, LARGEST_HEADROOM_PPM))


def _machine(rng: Random, number: int) -> Machine:
    name = f"{some_name(rng)}{number}"
    return Machine(name, number_or_none(rng, 1), rng.randrange(1 - PPM, PPM), whole_number(rng, 1))


def random_ladder(
    rng: Random, request_class: str | None = None, oldest_us: int = LARGEST
) -> Ladder:
    """Of whole cores or not; no climb is later than `oldest_us`."""
    draw = _core_ladder if rng.random() < 0.3 else _shared_ladder
    return draw(rng, request_class, oldest_us)


def random_overload(rng: Random) -> tuple[Overload | None, tuple[Rule, ...]]:
    """What is said of overload, if anything, and the rules for it."""
    rules = tuple(rule for rule in _OF_OVERLOAD if rng.random() < 0.2)
    if not rules:
        return None, ()
    shed_from = whole_number(rng, 1) if Rule.SHED in rules else None
    degrade_from = None
    if Rule.DEGRADE in rules:
        degrade_from = rng.randrange(LARGEST if shed_from is None else shed_from)
    return Overload(
        shed_from,
        whole_number(rng, 1) if Rule.CUT_OFF in rules else None,
        degrade_from,
        None if degrade_from is None else rng.randrange(1, PPM),
    ), rules


def random_sharing(rng: Random, units: int) -> tuple[Sharing | None, tuple[Rule, ...]]:
    """What is said of sharing, if anything, and the rules for it."""
    start_unit = rng.randrange(units) if units and rng.random() < 0.2 else None
    start_below_ppm = None if start_unit is None else whole_number(rng, 1)
    give_up_us = whole_number(rng, 1) if rng.random() < 0.2 else None
    rules = () if start_unit is None else (Rule.START_BELOW,)
    rules += () if give_up_us is None else (Rule.GIVE_UP,)
    return (Sharing(start_unit, start_below_ppm, give_up_us) if rules else None), rules


def _shared_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    units = tuple(
        CostUnit(some_name(rng), number_or_none(rng, 1)) for _ in range(rng.randint(0, 2))
    )
    rungs = rng.randint(1, 4)
    rules = _some_rules(rng, (*_ANY_RULES, *((Rule.BOOST_LAST_RUNG,) if units else ())))
    low, high = sorted((whole_number(rng), whole_number(rng)))
    boost = Boost(rng.randrange(len(units)), whole_number(rng, 1)) if units else None
    overload, more = random_overload(rng)
    sharing, others = random_sharing(rng, len(units))
    rows = _rows(rng, rungs, oldest_us)
    if Rule.START_BELOW in others:
        rows = tuple(replace(row, admission=AT_ONCE) for row in rows)
    return Ladder(
        load_axis=any_member(rng, LoadAxis),
        request_class=request_class,
        cost_units=units,
        rungs=tuple(
            _with_settings(
                rng,
                Rung(some_name(rng), whole_number(rng, 1), tuple(whole_number(rng) for _ in units)),
            )
            for _ in range(rungs)
        ),
        rules=tuple(sorted((*rules, *more, *others), key=lambda rule: rule.value)),
        quantum_us=whole_number(rng, 1),
        rows=rows,
        guard=Guard(low, high, any_member(rng, Outside)),
        boost=boost if Rule.BOOST_LAST_RUNG in rules else None,
        overload=overload,
        sharing=sharing,
    )


def _core_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    """Rungs on one to three kinds of core, power the last cost unit."""
    kinds = rng.randint(1, 3)
    cores = tuple(CostUnit(some_name(rng), PPM * rng.randint(1, 64)) for _ in range(kinds))
    rungs = rng.randint(1, 4)
    low, high = sorted((whole_number(rng), whole_number(rng)))
    made = _some_rules(rng, (*_ANY_RULES, Rule.MAKE_ROOM, *(_TAKING_OVER if kinds == 1 else ())))
    return Ladder(
        load_axis=any_member(rng, LoadAxis),
        request_class=request_class,
        cost_units=(*cores, CostUnit("power")),
        rungs=tuple(_core_rung(rng, kinds) for _ in range(rungs)),
        rules=tuple(sorted((*made, Rule.CORE_PER_REQUEST), key=lambda rule: rule.value)),
        quantum_us=whole_number(rng, 1),
        rows=_rows(rng, rungs, oldest_us),
        guard=Guard(low, high, any_member(rng, Outside)),
        power=Power(kinds, (*(whole_number(rng) for _ in range(kinds)), 0)),
    )


def _core_rung(rng: Random, kinds: int) -> Rung:
    held = rng.randrange(kinds)
    cores = (PPM if kind == held else 0 for kind in range(kinds))
    rung = Rung(
        some_name(rng), whole_number(rng, 1), (*cores, whole_number(rng)), number_or_none(rng, 1)
    )
    return _with_settings(rng, rung)


def _with_settings(rng: Random, rung: Rung) -> Rung:
    return replace(
        rung,
        threads=number_or_none(rng, 1),
        frequency_khz=number_or_none(rng, 1),
        core_type=rng.choice((None, some_name(rng))),
        lane=rng.choice((None, *Lane)),
        one_thread_ppm=number_or_none(rng, 1),
    )


def _some_rules(rng: Random, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    chosen = set(rng.sample(rules, rng.randint(0, len(rules))))
    if Rule.BUSY_PERIOD_AGE in chosen:
        chosen.discard(Rule.AGE_FROM_ARRIVAL)
    return tuple(sorted(chosen, key=lambda rule: rule.value))


def random_controller(rng: Random, acts_on: Actuator = Actuator.CLIMB_AGES) -> Controller:
    """Any that is valid, the largest and the smallest of every number among them."""
    top = LARGEST_OUTPUT_PPM[acts_on]
    epoch_requests = rng.choice((1, 500, LARGEST_WINDOW, rng.randint(1, LARGEST_WINDOW)))
    least_ppm, first_ppm, most_ppm = sorted(rng.choice((0, 1, top, rng.randint(0, top)))
                                            for _ in range(3))  # fmt: skip
    rates_mrps = sorted({whole_number(rng, 1) for _ in range(rng.randint(0, 3))})
    return Controller(
        acts_on=acts_on,
        percentile_ppm=rng.randrange(1, PPM),
        target_us=rng.choice((1, LARGEST_ERROR_US, rng.randint(1, LARGEST_ERROR_US))),
        epoch_requests=epoch_requests,
        window_requests=rng.randint(epoch_requests, LARGEST_WINDOW),
        first_ppm=first_ppm,
        least_ppm=least_ppm,
        most_ppm=most_ppm,
        fraction_bits=rng.randint(FEWEST_FRACTION_BITS, MOST_FRACTION_BITS),
        gains=tuple(
            GainRow(rate_mrps, _gain(rng), _gain(rng), _gain(rng)) for rate_mrps in (0, *rates_mrps)
        ),
    )


def _gain(rng: Random) -> int:
    return rng.choice((0, LARGEST_GAIN, -LARGEST_GAIN, rng.randint(-LARGEST_GAIN, LARGEST_GAIN)))


def _rows(rng: Random, rungs: int, oldest_us: int) -> tuple[Row, ...]:
    firsts = sorted({whole_number(rng) for _ in range(rng.randint(1, 4))})
    lasts = [first - 1 for first in firsts[1:]] + [None]
    return tuple(
        Row(first, last, _admission(rng), _climbs(rng, rungs, oldest_us))
        for first, last in zip(firsts, lasts, strict=True)
    )


def _admission(rng: Random) -> Admission:
    kind = any_member(rng, AdmissionKind)
    return Admission(kind, whole_number(rng, 1) if kind is AdmissionKind.DELAY else 0)


def _climbs(rng: Random, rungs: int, oldest_us: int) -> tuple[Climb, ...]:
    reached = sorted(rng.sample(range(rungs), rng.randint(1, rungs)))
    ages: set[int] = {0}
    while len(ages) < len(reached):
        ages.add(min(whole_number(rng, 1), oldest_us - rng.randrange(9)))
    return tuple(Climb(age, rung) for age, rung in zip(sorted(ages), reached, strict=True))
