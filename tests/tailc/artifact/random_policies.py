"""Valid policies drawn at random, every field and every kind of value among them."""

from __future__ import annotations

import enum
from dataclasses import replace
from random import Random
from typing import TypeVar

from tailc.artifact.envelope import PROOFS, Evidence, Input, InputRole, Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.artifact.reading_record import Reading, reading_of
from tailc.forms.budget_table import BatchEngine, BudgetRow, BudgetTable
from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_AGE_US,
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
from tailc.forms.ladder.row_evidence import RowEvidence
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
from tailc.forms.plan.plan import Plan
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
from tailc.specs.slo import Slo
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, SplitBy, SplitRule, TimeUnit, Timings, TraceReading
from tailc.traces.serial import Serial
from tailc.traces.summary import GRID_PPM, DemandSummary
from tests.tailc.forms.plan.random_plans import random_plan

Form = Ladder | Controller | TailTable | Shares | Plan | BudgetTable

LARGEST = 2**53 - 1
PPM = 1_000_000
_ANY_RULES = (Rule.REREAD_ROW, Rule.NEVER_DESCEND, Rule.AGE_FROM_ARRIVAL)
_OF_OVERLOAD = (Rule.SHED, Rule.CUT_OFF, Rule.DEGRADE)
_TAKING_OVER = (Rule.WAITED_START_LAST, Rule.BUSY_PERIOD_AGE)
_OF_DEMAND = tuple(
    measure
    for measure in Measure
    if measure not in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)
)
_NAMES = ("a", "search", "Zürich", "線形", '"quoted"\\', "tab\there", "\U0001f422", "\u007f\u2028")
_E = TypeVar("_E", bound=enum.Enum)


def random_policy(rng: Random) -> Policy:
    """Of any form."""
    draw = rng.choice((_ladders, _ladders, _ladders, _tails, _shares, _plan, _budgets))
    return _policy_of(rng, draw(rng))


def random_ladder_policy(rng: Random) -> Policy:
    """Of ladders, with a controller or without."""
    return _policy_of(rng, _ladders(rng))


def random_tail_policy(rng: Random) -> Policy:
    """Of a tail table, with a controller or without."""
    return _policy_of(rng, _tails(rng))


def random_shares_policy(rng: Random) -> Policy:
    """Of shares."""
    return _policy_of(rng, _shares(rng))


def random_plan_policy(rng: Random) -> Policy:
    """Of a plan."""
    return _policy_of(rng, _plan(rng))


def random_budget_policy(rng: Random) -> Policy:
    """Of a budget table."""
    return _policy_of(rng, _budgets(rng))


def _ladders(rng: Random) -> tuple[Form, ...]:
    classes = rng.choice([(None,), (None,), ("short",), (None, "short")])
    steered = rng.random() < 0.3
    oldest = LARGEST_AGE_US if steered else LARGEST
    ladders = tuple(random_ladder(rng, request_class, oldest) for request_class in classes)
    return (*ladders, random_controller(rng)) if steered else ladders


def _tails(rng: Random) -> tuple[Form, ...]:
    table = random_tail_table(rng)
    if rng.random() < 0.7:
        return (table,)
    return (table, random_controller(rng, Actuator.LATENCY_BOUND))


def _shares(rng: Random) -> tuple[Form, ...]:
    return (random_shares(rng),)


def _plan(rng: Random) -> tuple[Form, ...]:
    return (random_plan(rng),)


def _budgets(rng: Random) -> tuple[Form, ...]:
    return (random_budget_table(rng),)


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


def _policy_of(rng: Random, forms: tuple[Form, ...]) -> Policy:
    policy = Policy(
        name=_name(rng),
        kind=_name(rng),
        generation=rng.randint(1, 9),
        slos=tuple(_slo(rng) for _ in range(rng.randint(0, 2))),
        rates_mrps=_wholes(rng, 2),
        forms=forms,
        inputs=tuple(_input(rng) for _ in range(rng.randint(0, 2))),
        reading=_reading(rng),
        evidence=_evidence(rng),
    )
    return _estimated(rng, policy) if rng.random() < 0.2 else policy


def random_tail_table(rng: Random) -> TailTable:
    """Any that is valid, the largest and the smallest of every number among them."""
    khz = sorted({_up_to(rng, LARGEST_FREQUENCY_KHZ) for _ in range(rng.randint(1, 5))})
    positions = rng.randint(1, 4)
    return TailTable(
        percentile_ppm=rng.randrange(1, PPM),
        bound_us=_up_to(rng, LARGEST_BOUND_US),
        levels=tuple(Level(frequency, _whole(rng)) for frequency in khz),
        cycles=_tail_rows(rng, positions, LARGEST_CYCLES),
        memory_ns=_tail_rows(rng, positions, LARGEST),
        sleep=Sleep(_whole(rng), _whole(rng)),
        cores=_whole(rng, 1),
        batch=rng.choice((None, Batch(rng.choice(khz), rng.choice(khz), _whole(rng)))),
        reference_khz=rng.choice((None, _up_to(rng, LARGEST_FREQUENCY_KHZ))),
        transition=rng.choice((None, Transition(_whole(rng), _whole(rng)))),
    )


def _tail_rows(rng: Random, positions: int, most: int) -> tuple[TailRow, ...]:
    starts = sorted({0, *(_whole(rng) for _ in range(rng.randint(0, 3)))})
    return tuple(
        TailRow(start, tuple(sorted(rng.choice((0, _up_to(rng, most))) for _ in range(positions))))
        for start in starts
    )


def _up_to(rng: Random, most: int) -> int:
    return rng.choice((1, most, rng.randint(1, most)))


def random_shares(rng: Random) -> Shares:
    """Any that is valid."""
    estimate_us = _whole(rng, 1)
    lag = rng.choice((1, _up_to(rng, min(LARGEST // estimate_us, LARGEST_LAG))))
    machines = [_machine(rng, number) for number in range(rng.randint(1, 4))]
    if all(machine.target_milli is None for machine in machines):
        machines.append(Machine("served", _whole(rng, 1), 0, _whole(rng, 1)))
    served = sum(machine.target_milli is not None for machine in machines)
    host_ppm = _up_to(rng, PPM)
    return Shares(
        law=_any(rng, ShareLaw),
        pole_ppm=rng.randrange(PPM),
        window_us=_whole(rng, 1),
        estimate_us=estimate_us,
        step_us=lag * estimate_us,
        enforce_us=_whole(rng, 1),
        forgetting_ppm=_up_to(rng, PPM),
        first_covariance=_up_to(rng, LARGEST_COVARIANCE),
        least_b_ppm=_whole(rng, 1),
        least_ppm=rng.randint(0, host_ppm // served),
        host_ppm=host_ppm,
        shortage_steps=_whole(rng, 1),
        tolerance_ppm=_whole(rng, 1),
        machines=tuple(machines),
        cap=rng.choice((None, _cap(rng))),
    )


def _cap(rng: Random) -> ShareCap:
    """With few steps now and then, so that a short run goes through all modes."""
    steps, probe_steps = (rng.choice((1, 2, _up_to(rng, MOST_CAP_STEPS))) for _ in range(2))
    return ShareCap(steps, probe_steps, _up_to(rng, LARGEST_HEADROOM_PPM))


def _machine(rng: Random, number: int) -> Machine:
    name = f"{_name(rng)}{number}"
    return Machine(name, _maybe(rng, 1), rng.randrange(1 - PPM, PPM), _whole(rng, 1))


def _name(rng: Random) -> str:
    return rng.choice(_NAMES) + rng.choice(("", "0", "-b"))


def _whole(rng: Random, least: int = 0) -> int:
    top = rng.choice((3, 1_000, 10**9, LARGEST))
    return least + rng.randrange(top - least + 1)


def _wholes(rng: Random, most: int, least: int = 0) -> tuple[int, ...]:
    return tuple(_whole(rng, least) for _ in range(rng.randint(0, most)))


def _maybe(rng: Random, least: int = 0) -> int | None:
    return rng.choice((None, _whole(rng, least)))


def _any(rng: Random, members: type[_E]) -> _E:
    return rng.choice(list(members))


def _slo(rng: Random) -> Slo:
    window_requests = _maybe(rng)
    return Slo(
        rng.randrange(1, 1_000_000),
        _whole(rng, 1),
        window_requests,
        None if window_requests is not None else _maybe(rng),
        rng.choice((None, _name(rng))),
    )


def _input(rng: Random) -> Input:
    digest = f"{rng.getrandbits(256):064x}"
    demand = _summary(rng) if rng.random() < 0.1 else None
    return Input(_any(rng, InputRole), digest, _whole(rng), _whole(rng), demand)


def _summary(rng: Random) -> DemandSummary:
    quantiles_ns = sorted(_whole(rng, 1) for _ in GRID_PPM)
    return DemandSummary(rng.randint(quantiles_ns[0], quantiles_ns[-1]), tuple(quantiles_ns))


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
    shed_from = _whole(rng, 1) if Rule.SHED in rules else None
    degrade_from = None
    if Rule.DEGRADE in rules:
        degrade_from = rng.randrange(LARGEST if shed_from is None else shed_from)
    return Overload(
        shed_from,
        _whole(rng, 1) if Rule.CUT_OFF in rules else None,
        degrade_from,
        None if degrade_from is None else rng.randrange(1, PPM),
    ), rules


def random_sharing(rng: Random, units: int) -> tuple[Sharing | None, tuple[Rule, ...]]:
    """What is said of sharing, if anything, and the rules for it."""
    start_unit = rng.randrange(units) if units and rng.random() < 0.2 else None
    start_below_ppm = None if start_unit is None else _whole(rng, 1)
    give_up_us = _whole(rng, 1) if rng.random() < 0.2 else None
    rules = () if start_unit is None else (Rule.START_BELOW,)
    rules += () if give_up_us is None else (Rule.GIVE_UP,)
    return (Sharing(start_unit, start_below_ppm, give_up_us) if rules else None), rules


def _shared_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    units = tuple(CostUnit(_name(rng), _maybe(rng, 1)) for _ in range(rng.randint(0, 2)))
    rungs = rng.randint(1, 4)
    rules = _some_rules(rng, (*_ANY_RULES, *((Rule.BOOST_LAST_RUNG,) if units else ())))
    low, high = sorted((_whole(rng), _whole(rng)))
    boost = Boost(rng.randrange(len(units)), _whole(rng, 1)) if units else None
    overload, more = random_overload(rng)
    sharing, others = random_sharing(rng, len(units))
    rows = _rows(rng, rungs, oldest_us)
    if Rule.START_BELOW in others:
        rows = tuple(replace(row, admission=AT_ONCE) for row in rows)
    return Ladder(
        load_axis=_any(rng, LoadAxis),
        request_class=request_class,
        cost_units=units,
        rungs=tuple(
            _with_settings(rng, Rung(_name(rng), _whole(rng, 1), tuple(_whole(rng) for _ in units)))
            for _ in range(rungs)
        ),
        rules=tuple(sorted((*rules, *more, *others), key=lambda rule: rule.value)),
        quantum_us=_whole(rng, 1),
        rows=rows,
        guard=Guard(low, high, _any(rng, Outside)),
        boost=boost if Rule.BOOST_LAST_RUNG in rules else None,
        overload=overload,
        sharing=sharing,
    )


def _core_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    """Rungs on one to three kinds of core, power the last cost unit."""
    kinds = rng.randint(1, 3)
    cores = tuple(CostUnit(_name(rng), PPM * rng.randint(1, 64)) for _ in range(kinds))
    rungs = rng.randint(1, 4)
    low, high = sorted((_whole(rng), _whole(rng)))
    made = _some_rules(rng, (*_ANY_RULES, Rule.MAKE_ROOM, *(_TAKING_OVER if kinds == 1 else ())))
    return Ladder(
        load_axis=_any(rng, LoadAxis),
        request_class=request_class,
        cost_units=(*cores, CostUnit("power")),
        rungs=tuple(_core_rung(rng, kinds) for _ in range(rungs)),
        rules=tuple(sorted((*made, Rule.CORE_PER_REQUEST), key=lambda rule: rule.value)),
        quantum_us=_whole(rng, 1),
        rows=_rows(rng, rungs, oldest_us),
        guard=Guard(low, high, _any(rng, Outside)),
        power=Power(kinds, (*(_whole(rng) for _ in range(kinds)), 0)),
    )


def _core_rung(rng: Random, kinds: int) -> Rung:
    held = rng.randrange(kinds)
    cores = (PPM if kind == held else 0 for kind in range(kinds))
    rung = Rung(_name(rng), _whole(rng, 1), (*cores, _whole(rng)), _maybe(rng, 1))
    return _with_settings(rng, rung)


def _with_settings(rng: Random, rung: Rung) -> Rung:
    return replace(
        rung,
        threads=_maybe(rng, 1),
        frequency_khz=_maybe(rng, 1),
        core_type=rng.choice((None, _name(rng))),
        lane=rng.choice((None, *Lane)),
        one_thread_ppm=_maybe(rng, 1),
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
    rates_mrps = sorted({_whole(rng, 1) for _ in range(rng.randint(0, 3))})
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
    firsts = sorted({_whole(rng) for _ in range(rng.randint(1, 4))})
    lasts = [first - 1 for first in firsts[1:]] + [None]
    return tuple(
        Row(first, last, _admission(rng), _climbs(rng, rungs, oldest_us))
        for first, last in zip(firsts, lasts, strict=True)
    )


def _admission(rng: Random) -> Admission:
    kind = _any(rng, AdmissionKind)
    return Admission(kind, _whole(rng, 1) if kind is AdmissionKind.DELAY else 0)


def _climbs(rng: Random, rungs: int, oldest_us: int) -> tuple[Climb, ...]:
    reached = sorted(rng.sample(range(rungs), rng.randint(1, rungs)))
    ages: set[int] = {0}
    while len(ages) < len(reached):
        ages.add(min(_whole(rng, 1), oldest_us - rng.randrange(9)))
    return tuple(Climb(age, rung) for age, rung in zip(sorted(ages), reached, strict=True))


def _reading(rng: Random) -> TraceReading:
    draw = rng.random()
    if draw < 0.1:
        return reading_of(_throughput(rng))
    if draw > 0.9:
        return reading_of(_tokens(rng))
    return reading_of(_run_times(rng) if draw < 0.2 else _demand_reading(rng))


def _run_times(rng: Random) -> Reading:
    curves = tuple(_curve(rng) for _ in range(rng.randint(0, 2)))
    columns = {"demand": _name(rng), "class_column": _name(rng) if len(curves) > 1 else None}
    return Reading(Measure.RUN_TIME, _name(rng), _any(rng, TimeUnit), curves=curves, **columns)


def _throughput(rng: Random) -> Reading:
    columns = {name: _name(rng) for name in ("demand", "time", "machine", "share")}
    columns["waiting"] = rng.choice((None, _name(rng)))
    return Reading(Measure.THROUGHPUT, _name(rng), _any(rng, TimeUnit), **columns)


def _tokens(rng: Random) -> Reading:
    columns = {name: _name(rng) for name in ("demand", "time", "prompt")}
    columns["cached"] = rng.choice((None, _name(rng)))
    return Reading(Measure.TOKENS, _name(rng), _any(rng, TimeUnit), **columns)


def _demand_reading(rng: Random) -> Reading:
    has_timings = rng.random() < 0.3
    curves = () if has_timings else tuple(_curve(rng) for _ in range(rng.randint(0, 3)))
    memory = None if has_timings else rng.choice((None, None, None, _name(rng)))
    needs_columns = not has_timings and not curves
    return Reading(
        measure=rng.choice(_OF_DEMAND),
        reference=_name(rng),
        unit=_any(rng, TimeUnit),
        demand=None if has_timings else _name(rng),
        timings=Timings(_name(rng), _name(rng), _name(rng)) if has_timings else None,
        weight=rng.choice((None, _name(rng))),
        class_column=_name(rng) if len(curves) > 1 else None,
        speedup_columns=(_name(rng), _name(rng)) if needs_columns else (),
        curves=curves,
        where=tuple((_name(rng), _name(rng)) for _ in range(rng.randint(0, 2))),
        bin_us=_maybe(rng),
        split=rng.choice((None, _split(rng))),
        note=rng.choice((None, "", _name(rng))),
        max_degree=_maybe(rng),
        memory=memory,
        clock_khz=None if memory is None else _maybe(rng, 1),
        serial=rng.choice((None, _serial(rng))),
    )


def _serial(rng: Random) -> Serial:
    return Serial(_whole(rng, 1), rng.choice((0, 400_000)), _whole(rng), rng.choice((0, 600_000)))


def _curve(rng: Random) -> Curve:
    return Curve(rng.choice((None, _name(rng))), (_whole(rng, 1), *_wholes(rng, 3, 1)))


def _split(rng: Random) -> SplitRule:
    by = _any(rng, SplitBy)
    column = None if by is SplitBy.SEED else _name(rng)
    return SplitRule(by, rng.randrange(1, 1_000_000), column, rng.choice((0, -5, LARGEST)))


def _evidence(rng: Random) -> Evidence:
    return Evidence(
        objective=_name(rng),
        method=_name(rng),
        proof=rng.choice(PROOFS),
        solver=_name(rng),
        versions=tuple((_name(rng), _name(rng)) for _ in range(rng.randint(0, 2))),
        evaluations=_whole(rng),
        settings=tuple((_name(rng), -_whole(rng)) for _ in range(rng.randint(0, 2))),
        rows=tuple(_row_evidence(rng) for _ in range(rng.randint(0, 2))),
    )


def _estimated(rng: Random, policy: Policy) -> Policy:
    rows = tuple(_rate_estimate(rng, slo) for slo in range(len(policy.slos)))
    a, b, c, d = (_whole(rng) for _ in range(4))
    estimates = Estimates(_any(rng, Sample), a, b, c, d, rows)
    return replace(policy, evidence=replace(policy.evidence, estimates=estimates))


def _rate_estimate(rng: Random, slo: int) -> RateEstimate:
    a, b, c = (_whole(rng) for _ in range(3))
    by_hand = rng.choice((None, ByHand(_name(rng), a, -b, rng.randrange(2), _maybe(rng))))
    standing = _any(rng, Standing)
    return RateEstimate(slo, _name(rng), a, b, c, _maybe(rng), standing, by_hand)


def _row_evidence(rng: Random) -> RowEvidence:
    a, b, c, d, e, f = (_whole(rng) for _ in range(6))
    return RowEvidence(a, b, _maybe(rng), c, d, _maybe(rng), e, f, _whole(rng))
