"""p99, mean and energy against load for every policy on two servers, and whether energies are in
the order that Haque et al. (MICRO 2017, section 6) print: EE, RC, EETL, TL.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator

from bench.core_study import OWN, CoreStudy, Measure
from bench.core_workloads import target_of
from bench.timing import show

P99: Measure = operator.attrgetter("p99_ms")
MEAN: Measure = operator.attrgetter("mean_ms")
ENERGY: Measure = operator.attrgetter("energy")

TITLES = {
    OWN: "EETL",
    "tl": "TL",
    "ee": "EE",
    "rc": "RC",
    "s2f": "S2F, thresholds of low load",
    "s2f-50%": "S2F, half of them",
    "oblivious": "Oblivious",
}
ORDER = ("ee", "rc", OWN, "tl")
BASELINE_RATE = 10

Row = list[str]


def report(title: str, study: CoreStudy, baseline: str, rates: tuple[int, ...]) -> None:
    """Three tables of one server; energies are relative to `baseline` at 10/s, in the mean."""
    heads = [f"{rate}/s" for rate in rates]
    unit = study.figure(ENERGY, baseline, BASELINE_RATE).mean
    show([f"{title}: p99, ms", *heads], _rows(study, P99, rates, 0))
    show([f"{title}: mean, ms", *heads], _rows(study, MEAN, rates, 1))
    relative = f"{title}: energy, {TITLES[baseline]} at {BASELINE_RATE}/s = 1"
    show([relative, *heads], _rows(study, ENERGY, rates, 2, unit))
    show([f"{title}: energy in order", *heads], [order(study, rates)])


def _rows(
    study: CoreStudy, of: Measure, rates: tuple[int, ...], digits: int, unit: float = 1.0
) -> Iterator[Row]:
    def in_units(run: object) -> float:
        return of(run) / unit  # type: ignore[arg-type]

    for name, title in TITLES.items():
        yield [title, *(study.figure(in_units, name, rate).text(digits) for rate in rates)]


def order(study: CoreStudy, rates: tuple[int, ...]) -> Row:
    """Whether each of EE, RC, EETL and TL draws no more than the next, within the intervals."""
    return ["EE <= RC <= EETL <= TL", *(_in_order(study, rate) for rate in rates)]


def _in_order(study: CoreStudy, rate: int) -> str:
    """Pairs that are surely the other way round, and who is above the target by over 2 %."""
    wrong = []
    for less, more in itertools.pairwise(ORDER):
        ratio = study.ratio(ENERGY, less, more, rate)
        if ratio.mean - ratio.half > 1:
            wrong.append(f"{TITLES[less]} > {TITLES[more]}")
    missing = [
        TITLES[name]
        for name in ("rc", OWN, "tl")
        if study.figure(P99, name, rate).mean > 1.02 * target_of(study.policy)
    ]
    said = ", ".join(wrong) or "yes"
    return said + (f" ({', '.join(missing)} above the target)" if missing else "")
