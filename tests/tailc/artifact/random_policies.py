"""Valid policies drawn at random, every field and every kind of value among them."""

from __future__ import annotations

import enum
from random import Random
from typing import TypeVar

from tailc.artifact.envelope import Evidence, Input, InputRole, Policy
from tailc.forms.controller import (
    FEWEST_FRACTION_BITS,
    LARGEST_AGE_US,
    LARGEST_ERROR_US,
    LARGEST_GAIN,
    LARGEST_WINDOW,
    MOST_FRACTION_BITS,
    Actuator,
    Controller,
    GainRow,
)
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
    Power,
    Row,
    Rule,
    Rung,
)
from tailc.specs.slo import Slo
from tailc.traces.profile import Measure
from tailc.traces.reading import Curve, Reading, SplitBy, SplitRule, TimeUnit, Timings
from tailc.traces.summary import GRID_PPM, DemandSummary

LARGEST = 2**53 - 1
PPM = 1_000_000
_ANY_RULES = (Rule.REREAD_ROW, Rule.NEVER_DESCEND, Rule.AGE_FROM_ARRIVAL)
_NAMES = ("a", "search", "Zürich", "線形", '"quoted"\\', "tab\there", "\U0001f422", "\u007f\u2028")
_E = TypeVar("_E", bound=enum.Enum)


def random_policy(rng: Random) -> Policy:
    classes = rng.choice([(None,), (None,), ("short",), (None, "short")])
    steered = rng.random() < 0.3
    oldest = LARGEST_AGE_US if steered else LARGEST
    ladders = tuple(random_ladder(rng, request_class, oldest) for request_class in classes)
    return Policy(
        name=_name(rng),
        kind=_name(rng),
        generation=rng.randint(1, 9),
        slos=tuple(_slo(rng) for _ in range(rng.randint(0, 2))),
        rates_mrps=_wholes(rng, 2),
        forms=(*ladders, random_controller(rng)) if steered else ladders,
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


def random_ladder(
    rng: Random, request_class: str | None = None, oldest_us: int = LARGEST
) -> Ladder:
    """Of whole cores or not; no climb is later than `oldest_us`."""
    draw = _core_ladder if rng.random() < 0.3 else _shared_ladder
    return draw(rng, request_class, oldest_us)


def _shared_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    units = tuple(CostUnit(_name(rng), _maybe(rng, 1)) for _ in range(rng.randint(0, 2)))
    rungs = rng.randint(1, 4)
    rules = _some_rules(rng, (*_ANY_RULES, *((Rule.BOOST_LAST_RUNG,) if units else ())))
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
        rules=rules,
        quantum_us=_whole(rng, 1),
        rows=_rows(rng, rungs, oldest_us),
        guard=Guard(low, high, _any(rng, Outside)),
        boost=boost if Rule.BOOST_LAST_RUNG in rules else None,
    )


def _core_ladder(rng: Random, request_class: str | None, oldest_us: int) -> Ladder:
    """Rungs on one to three kinds of core, power the last cost unit."""
    kinds = rng.randint(1, 3)
    cores = tuple(CostUnit(_name(rng), PPM * rng.randint(1, 64)) for _ in range(kinds))
    rungs = rng.randint(1, 4)
    low, high = sorted((_whole(rng), _whole(rng)))
    made = _some_rules(rng, (*_ANY_RULES, Rule.MAKE_ROOM))
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
    return Rung(_name(rng), _whole(rng, 1), (*cores, _whole(rng)), _maybe(rng, 1))


def _some_rules(rng: Random, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    chosen = rng.sample(rules, rng.randint(0, len(rules)))
    return tuple(sorted(chosen, key=lambda rule: rule.value))


def random_controller(rng: Random) -> Controller:
    """Any that is valid, the largest and the smallest of every number among them."""
    epoch_requests = rng.choice((1, 500, LARGEST_WINDOW, rng.randint(1, LARGEST_WINDOW)))
    least_ppm, first_ppm, most_ppm = sorted(rng.choice((0, 1, PPM, rng.randint(0, PPM)))
                                            for _ in range(3))  # fmt: skip
    rates_mrps = sorted({_whole(rng, 1) for _ in range(rng.randint(0, 3))})
    return Controller(
        acts_on=_any(rng, Actuator),
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
