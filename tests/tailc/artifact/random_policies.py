"""Random valid policies of every form, with their inputs and evidence."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tailc.artifact.envelope import PROOFS, Evidence, Input, InputRole, Policy
from tailc.artifact.estimates import ByHand, Estimates, RateEstimate, Sample, Standing
from tailc.artifact.reading_record import Reading, reading_of
from tailc.forms.budget_table import BudgetTable
from tailc.forms.controller import (
    LARGEST_AGE_US,
    Actuator,
    Controller,
)
from tailc.forms.ladder.row_evidence import RowEvidence
from tailc.forms.ladder.table import (
    Ladder,
)
from tailc.forms.plan.plan import Plan
from tailc.forms.shares import (
    Shares,
)
from tailc.forms.tail_table import (
    TailTable,
)
from tailc.specs.slo import Slo
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, SplitBy, SplitRule, TimeUnit, Timings, TraceReading
from tailc.traces.serial import Serial
from tailc.traces.summary import GRID_PPM, DemandSummary
from tests.tailc.forms.plan.random_plans import random_plan
from tests.tailc.forms.random_forms import (
    random_budget_table,
    random_controller,
    random_ladder,
    random_shares,
    random_tail_table,
)
from tests.tailc.forms.random_values import (
    LARGEST,
    any_member,
    number_or_none,
    some_name,
    whole_number,
    whole_numbers,
)

Form = Ladder | Controller | TailTable | Shares | Plan | BudgetTable
PPM = 1_000_000
_OF_DEMAND = tuple(
    measure
    for measure in Measure
    if measure not in (Measure.THROUGHPUT, Measure.RUN_TIME, Measure.TOKENS)
)


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


def _policy_of(rng: Random, forms: tuple[Form, ...]) -> Policy:
    policy = Policy(
        name=some_name(rng),
        kind=some_name(rng),
        generation=rng.randint(1, 9),
        slos=tuple(_slo(rng) for _ in range(rng.randint(0, 2))),
        rates_mrps=whole_numbers(rng, 2),
        forms=forms,
        inputs=tuple(_input(rng) for _ in range(rng.randint(0, 2))),
        reading=_reading(rng),
        evidence=_evidence(rng),
    )
    return _estimated(rng, policy) if rng.random() < 0.2 else policy


def _slo(rng: Random) -> Slo:
    window_requests = number_or_none(rng)
    return Slo(
        rng.randrange(1, 1_000_000),
        whole_number(rng, 1),
        window_requests,
        None if window_requests is not None else number_or_none(rng),
        rng.choice((None, some_name(rng))),
    )


def _input(rng: Random) -> Input:
    digest = f"{rng.getrandbits(256):064x}"
    demand = _summary(rng) if rng.random() < 0.1 else None
    return Input(any_member(rng, InputRole), digest, whole_number(rng), whole_number(rng), demand)


def _summary(rng: Random) -> DemandSummary:
    quantiles_ns = sorted(whole_number(rng, 1) for _ in GRID_PPM)
    return DemandSummary(rng.randint(quantiles_ns[0], quantiles_ns[-1]), tuple(quantiles_ns))


def _reading(rng: Random) -> TraceReading:
    draw = rng.random()
    if draw < 0.1:
        return reading_of(_throughput(rng))
    if draw > 0.9:
        return reading_of(_tokens(rng))
    return reading_of(_run_times(rng) if draw < 0.2 else _demand_reading(rng))


def _run_times(rng: Random) -> Reading:
    curves = tuple(_curve(rng) for _ in range(rng.randint(0, 2)))
    columns = {
        "demand": some_name(rng),
        "class_column": some_name(rng) if len(curves) > 1 else None,
    }
    return Reading(
        Measure.RUN_TIME, some_name(rng), any_member(rng, TimeUnit), curves=curves, **columns
    )


def _throughput(rng: Random) -> Reading:
    columns = {name: some_name(rng) for name in ("demand", "time", "machine", "share")}
    columns["waiting"] = rng.choice((None, some_name(rng)))
    return Reading(Measure.THROUGHPUT, some_name(rng), any_member(rng, TimeUnit), **columns)


def _tokens(rng: Random) -> Reading:
    columns = {name: some_name(rng) for name in ("demand", "time", "prompt")}
    columns["cached"] = rng.choice((None, some_name(rng)))
    return Reading(Measure.TOKENS, some_name(rng), any_member(rng, TimeUnit), **columns)


def _demand_reading(rng: Random) -> Reading:
    has_timings = rng.random() < 0.3
    curves = () if has_timings else tuple(_curve(rng) for _ in range(rng.randint(0, 3)))
    memory = None if has_timings else rng.choice((None, None, None, some_name(rng)))
    needs_columns = not has_timings and not curves
    return Reading(
        measure=rng.choice(_OF_DEMAND),
        reference=some_name(rng),
        unit=any_member(rng, TimeUnit),
        demand=None if has_timings else some_name(rng),
        timings=Timings(some_name(rng), some_name(rng), some_name(rng)) if has_timings else None,
        weight=rng.choice((None, some_name(rng))),
        class_column=some_name(rng) if len(curves) > 1 else None,
        speedup_columns=(some_name(rng), some_name(rng)) if needs_columns else (),
        curves=curves,
        where=tuple((some_name(rng), some_name(rng)) for _ in range(rng.randint(0, 2))),
        bin_us=number_or_none(rng),
        split=rng.choice((None, _split(rng))),
        note=rng.choice((None, "", some_name(rng))),
        max_degree=number_or_none(rng),
        memory=memory,
        clock_khz=None if memory is None else number_or_none(rng, 1),
        serial=rng.choice((None, _serial(rng))),
    )


def _serial(rng: Random) -> Serial:
    return Serial(
        whole_number(rng, 1), rng.choice((0, 400_000)), whole_number(rng), rng.choice((0, 600_000))
    )


def _curve(rng: Random) -> Curve:
    return Curve(
        rng.choice((None, some_name(rng))), (whole_number(rng, 1), *whole_numbers(rng, 3, 1))
    )


def _split(rng: Random) -> SplitRule:
    by = any_member(rng, SplitBy)
    column = None if by is SplitBy.SEED else some_name(rng)
    return SplitRule(by, rng.randrange(1, 1_000_000), column, rng.choice((0, -5, LARGEST)))


def _evidence(rng: Random) -> Evidence:
    return Evidence(
        objective=some_name(rng),
        method=some_name(rng),
        proof=rng.choice(PROOFS),
        solver=some_name(rng),
        versions=tuple((some_name(rng), some_name(rng)) for _ in range(rng.randint(0, 2))),
        evaluations=whole_number(rng),
        settings=tuple((some_name(rng), -whole_number(rng)) for _ in range(rng.randint(0, 2))),
        rows=tuple(_row_evidence(rng) for _ in range(rng.randint(0, 2))),
    )


def _estimated(rng: Random, policy: Policy) -> Policy:
    rows = tuple(_rate_estimate(rng, slo) for slo in range(len(policy.slos)))
    a, b, c, d = (whole_number(rng) for _ in range(4))
    estimates = Estimates(any_member(rng, Sample), a, b, c, d, rows)
    return replace(policy, evidence=replace(policy.evidence, estimates=estimates))


def _rate_estimate(rng: Random, slo: int) -> RateEstimate:
    a, b, c = (whole_number(rng) for _ in range(3))
    by_hand = rng.choice(
        (None, ByHand(some_name(rng), a, -b, rng.randrange(2), number_or_none(rng)))
    )
    standing = any_member(rng, Standing)
    return RateEstimate(slo, some_name(rng), a, b, c, number_or_none(rng), standing, by_hand)


def _row_evidence(rng: Random) -> RowEvidence:
    a, b, c, d, e, f = (whole_number(rng) for _ in range(6))
    return RowEvidence(
        a, b, number_or_none(rng), c, d, number_or_none(rng), e, f, whole_number(rng)
    )
