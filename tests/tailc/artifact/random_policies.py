"""Valid policies drawn at random, every field and every kind of value among them."""

from __future__ import annotations

import enum
from random import Random
from typing import TypeVar

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.forms.ladder.solution import RowEvidence
from tailc.forms.ladder.table import (
    Admission,
    AdmissionKind,
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
from tailc.specs.slo import Slo
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, Reading, SplitBy, SplitRule, TimeUnit, Timings
from tailc.traces.summary import GRID_PPM, DemandSummary

LARGEST = 2**53 - 1
_NAMES = ("a", "search", "Zürich", "線形", '"quoted"\\', "tab\there", "\U0001f422", "\u007f\u2028")
_E = TypeVar("_E", bound=enum.Enum)


def random_policy(rng: Random) -> Policy:
    classes = rng.choice([(None,), (None,), ("short",), (None, "short")])
    return Policy(
        name=_name(rng),
        kind=_name(rng),
        generation=rng.randint(1, 9),
        slos=tuple(_slo(rng) for _ in range(rng.randint(0, 2))),
        rates_mrps=_wholes(rng, 2),
        forms=tuple(_ladder(rng, request_class) for request_class in classes),
        inputs=tuple(_input(rng) for _ in range(rng.randint(0, 2))),
        reading=_reading(rng),
        evidence=_evidence(rng),
    )


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


def _ladder(rng: Random, request_class: str | None) -> Ladder:
    units = tuple(CostUnit(_name(rng), _maybe(rng, 1)) for _ in range(rng.randint(0, 2)))
    rungs = rng.randint(1, 4)
    chosen = rng.sample(list(Rule), rng.randint(0, len(Rule)))
    rules = {rule for rule in chosen if rule is not Rule.BOOST_LAST_RUNG or units}
    low, high = sorted((_whole(rng), _whole(rng)))
    boost = Boost(rng.randrange(len(units)), _whole(rng, 1)) if units else None
    return Ladder(
        load_axis=_any(rng, LoadAxis),
        request_class=request_class,
        cost_units=units,
        rungs=tuple(
            Rung(_name(rng), _whole(rng, 1), tuple(_whole(rng) for _ in units))
            for _ in range(rungs)
        ),
        rules=tuple(sorted(rules, key=lambda rule: rule.value)),
        quantum_us=_whole(rng, 1),
        rows=_rows(rng, rungs),
        guard=Guard(low, high, _any(rng, Outside)),
        boost=boost if Rule.BOOST_LAST_RUNG in rules else None,
    )


def _rows(rng: Random, rungs: int) -> tuple[Row, ...]:
    firsts = sorted({_whole(rng) for _ in range(rng.randint(1, 4))})
    lasts = [first - 1 for first in firsts[1:]] + [None]
    return tuple(
        Row(first, last, _admission(rng), _climbs(rng, rungs))
        for first, last in zip(firsts, lasts, strict=True)
    )


def _admission(rng: Random) -> Admission:
    kind = _any(rng, AdmissionKind)
    return Admission(kind, _whole(rng, 1) if kind is AdmissionKind.DELAY else 0)


def _climbs(rng: Random, rungs: int) -> tuple[Climb, ...]:
    reached = sorted(rng.sample(range(rungs), rng.randint(1, rungs)))
    ages: set[int] = {0}
    while len(ages) < len(reached):
        ages.add(_whole(rng, 1))
    return tuple(Climb(age, rung) for age, rung in zip(sorted(ages), reached, strict=True))


def _reading(rng: Random) -> Reading:
    has_timings = rng.random() < 0.3
    curves = () if has_timings else tuple(_curve(rng) for _ in range(rng.randint(0, 3)))
    needs_columns = not has_timings and not curves
    return Reading(
        measure=_any(rng, Measure),
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
    )


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
        proof=_name(rng),
        solver=_name(rng),
        versions=tuple((_name(rng), _name(rng)) for _ in range(rng.randint(0, 2))),
        evaluations=_whole(rng),
        settings=tuple((_name(rng), -_whole(rng)) for _ in range(rng.randint(0, 2))),
        rows=tuple(_row_evidence(rng) for _ in range(rng.randint(0, 2))),
    )


def _row_evidence(rng: Random) -> RowEvidence:
    a, b, c, d, e, f = (_whole(rng) for _ in range(6))
    return RowEvidence(a, b, _maybe(rng), c, d, _maybe(rng), e, f, _whole(rng))
