"""What Haque et al. (ASPLOS 2015, section 7) say of Bing, beside our replay of a fitted workload.

Requests are cut off after 200 ms of execution, as at Bing; nothing boosts.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator

import tailc
from bench.study import Figure, Measure, Run, Study, study_of
from bench.timing import ROOT, show
from bench.trends_lucene import percent

SPEC = ROOT / "examples" / "bing-fm" / "service.yaml"
CUT_OFF_US = 200_000
TARGET_MS = 120.0
RATES = (100, 180, 260, 340, 400, 440, 480)
SEARCHED_RATES = range(300, 700, 20)

P99: Measure = operator.attrgetter("p99_ms")

Row = list[str]

TITLES = {
    "fm": "FM",
    "seq": "SEQ",
    "fix-3<30": "FIX-3 below 30 requests",
    "adaptive": "Adaptive (approximation)",
    "rc-3": "RC, threshold searched",
}


def bing() -> Study:
    policy = tailc.compile_policy(str(SPEC)).policy
    return study_of(
        SPEC, policy, repetitions=20, requests=30_000, searched_rps=260, cut_off_us=CUT_OFF_US
    )


def report(study: Study) -> None:
    show(["Bing", "published", "ours", "note"], claims(study))
    show(["p99, ms", *(f"{rate}/s" for rate in RATES)], order(study))


def claims(study: Study) -> Iterator[Row]:
    yield ["p99 of FM, 260/s", "100 ms", f"{study.figure(P99, 'fm', 260).said()} ms", "g"]
    tail = study.figure(P99, "fix-3<30", 150).said()
    yield ["p99 of FIX-3 below 30 requests, 150/s", "over 200 ms", f"{tail} ms", "g"]
    for rate, published in ((180, -26), (260, -24)):
        change = percent(study.change(P99, "fm", "adaptive", rate))
        yield [f"p99 of FM against Adaptive, {rate}/s", f"{published:+d} %", change, "c g"]
    for rate, published in ((200, "about 35 %"), (280, "over 50 %")):
        share = study.figure(_sequential, "fm", rate).said(2)
        yield [f"finish on one thread, {rate}/s", published, f"{share} %", "g"]
    for rate, published in ((200, "under 16"), (280, "16")):
        threads = study.figure(_threads, "fm", rate).said()
        yield [f"mean threads, {rate}/s", published, threads, "g"]
    fastest = {name: highest_rates(study, name) for name in ("fm", "adaptive")}
    for name, rates in fastest.items():
        said = Figure.of(rates).said(0)
        yield [f"highest rate of {TITLES[name]} with p99 up to 120 ms", "", f"{said}/s", "h"]
    saved = [100 * (1 - a / f) for f, a in zip(fastest["fm"], fastest["adaptive"], strict=True)]
    yield ["servers saved against Adaptive at 120 ms", "42 %", percent(Figure.of(saved)), "c g h"]


def highest_rates(study: Study, name: str) -> list[float]:
    """Of each repetition, where its p99 passes the target, between two rates that were replayed."""
    tails = [[run.p99_ms for run in study.at(name, rate)] for rate in SEARCHED_RATES]
    return [_passes(one) for one in zip(*tails, strict=True)]


def _passes(tails_ms: tuple[float, ...]) -> float:
    first = next(number for number, tail in enumerate(tails_ms) if tail > TARGET_MS)
    low, high = tails_ms[first - 1], tails_ms[first]
    part = (TARGET_MS - low) / (high - low) if math.isfinite(high) else 0.0
    return SEARCHED_RATES[first - 1] + part * SEARCHED_RATES.step


def order(study: Study) -> Iterator[Row]:
    """Every policy at every rate; a star where it is surely below FM."""
    for name, title in TITLES.items():
        cells = []
        for rate in RATES:
            is_below = name != "fm" and study.change(P99, name, "fm", rate).is_below(0)
            cells.append(study.figure(P99, name, rate).said(0) + " *" * is_below)
        yield [title, *cells]


_threads: Measure = operator.attrgetter("threads")


def _sequential(run: Run) -> float:
    return 100 * run.left_on[0]
