"""What Haque et al. (ASPLOS 2015, section 7) say of Bing, beside our replay of a fitted workload.

Requests are cut off after 200 ms of execution, as at Bing; nothing boosts.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from bench.study import Figure, Measure, Run, Study, published_policy, study_of, with_target
from bench.timing import ROOT, show
from bench.trends_lucene import percent
from bench.views import View, given_back
from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.model import SharedCores

SPEC = ROOT / "examples" / "bing-fm" / "service.yaml"
CUT_OFF_US = 200_000
TARGET_MS = 120.0
RATES = (100, 180, 260, 340, 400, 440, 480)
SEARCHED_RATES = range(300, 1000, 20)
COMPARED_WITH_SEQ = (100, 260, 480)

P99: Measure = operator.attrgetter("p99_ms")

Row = list[str]

TITLES = {
    "fm": "FM",
    "target 12": "FM, target 12",
    "seq": "SEQ",
    "fix-3<30": "FIX-3 below 30 requests",
    "adaptive": "Adaptive (approximation)",
    "rc-3": "RC, threshold searched",
}


def views() -> tuple[View, ...]:
    return tuple(
        View(title, _study(here), "fm")
        for title, here in (("ours", lambda ladder: ladder), ("cores given back", given_back))
    )


def _study(here: Callable[[Ladder], Ladder]) -> Study:
    policy = published_policy(str(SPEC))
    policy = replace(policy, forms=(here(policy.forms[0]),))
    study = study_of(
        SPEC, policy, repetitions=20, requests=30_000, searched_rps=260, cut_off_us=CUT_OFF_US
    )
    study.add("target 12", SharedCores("", (here(with_target(SPEC, 12).forms[0]),)))
    return study


def report(views: Sequence[View]) -> None:
    held, lean = (view.study for view in views)
    show(["Bing", "published", *(view.title for view in views), "note"], claims(views))
    rates = [f"{rate}/s" for rate in RATES]
    show(["p99, ms", *rates], order(held))
    show(["p99 where cores are given back, ms", *rates], order(lean))


def claims(views: Sequence[View]) -> Iterator[Row]:
    def row(what: str, published: str, said: Callable[[Study], str], note: str) -> Row:
        return [what, published, *(said(view.study) for view in views), note]

    yield row("p99 of FM, 260/s, ms", "100", _figure(P99, "fm", 260), "h")
    what = "p99 of FIX-3 below 30 requests, 150/s, ms"
    yield row(what, "over 200", _figure(P99, "fix-3<30", 150), "h")
    for rate, published in ((180, "-26 %"), (260, "-24 %")):
        yield row(f"p99 of FM against Adaptive, {rate}/s", published, _against(rate), "b c h")
    what = f"p99 of SEQ over p99 of FM, {', '.join(map(str, COMPARED_WITH_SEQ))}/s"
    yield row(what, "2, rate not said", _seq_over_fm, "i")
    for rate, published in ((200, "about 35"), (280, "over 50")):
        said = _figure(_sequential, "fm", rate, 2)
        yield row(f"% that finish on one thread, {rate}/s", published, said, "h")
    for rate, published in ((200, "under 16"), (280, "16")):
        said = _figure(_threads, "fm", rate)(views[0].study)
        yield [f"mean threads, {rate}/s", published, said, "", "h"]
    for name in ("fm", "adaptive"):
        what = f"highest rate of {TITLES[name]} with p99 up to 120 ms"
        yield row(what, "", _fastest(name), "")
    yield row("servers saved against Adaptive at 120 ms", "42 %", _saved, "b c h")


def _figure(measure: Measure, name: str, rate: int, digits: int = 1) -> Callable[[Study], str]:
    return lambda study: study.figure(measure, name, rate).text(digits)


def _against(rate: int) -> Callable[[Study], str]:
    return lambda study: percent(study.change(P99, "fm", "adaptive", rate))


def _seq_over_fm(study: Study) -> str:
    changes = [study.change(P99, "seq", "fm", rate).mean for rate in COMPARED_WITH_SEQ]
    return ", ".join(f"{1 + change / 100:.1f}" for change in changes)


def _fastest(name: str) -> Callable[[Study], str]:
    return lambda study: f"{Figure.build(highest_rates(study, name)).text(0)}/s"


def _saved(study: Study) -> str:
    ours, theirs = (highest_rates(study, name) for name in ("fm", "adaptive"))
    return percent(Figure.build([100 * (1 - a / f) for f, a in zip(ours, theirs, strict=True)]))


def highest_rates(study: Study, name: str) -> list[float]:
    """Of each repetition, where its p99 passes the target, between two rates that were replayed."""
    tails = [[run.p99_ms for run in study.runs_at(name, rate)] for rate in SEARCHED_RATES]
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
            cells.append(study.figure(P99, name, rate).text(0) + " *" * is_below)
        yield [title, *cells]


_threads: Measure = operator.attrgetter("threads")


def _sequential(run: Run) -> float:
    return 100 * run.left_on[0]
