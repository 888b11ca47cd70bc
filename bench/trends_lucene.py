"""What Haque et al. (ASPLOS 2015, section 6) say of Lucene, beside our replay of a fitted workload.

Only what their text says in numbers or in words; nothing is read off a figure.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence

from bench.lucene_views import SMALL_TARGETS, TARGETS
from bench.study import Figure, Measure, Run, Study
from bench.timing import show
from bench.views import Said, View, planned_threads
from tailc.models.arrivals import Burst, Bursts

# Requests of one published run.
PUBLISHED_RUN = 2_000
RATES = (31, 36, 40, 43, 45, 47)
PUBLISHED_RATES = range(30, 49, 2)
BURSTS = Bursts(tuple(Burst(500, rate * 1000) for rate in (45, 30, 45, 30)))
BURST_REPETITIONS = 400
PLANNED_AT = (6, 13, 18)
# No p99 of a repetition that has not locked up is near it.
LOCKED_UP_MS = 2_000

P99: Measure = operator.attrgetter("p99_ms")
MEAN: Measure = operator.attrgetter("mean_ms")

Row = list[str]

TITLES = {
    "fm": "FM",
    "no-boost": "FM without boosting",
    "published table": "FM, the published table",
    "published table, no boosting": "FM, the published table, no boosting",
    "target 18": "FM, target 18",
    "target 18, no boosting": "FM, target 18, no boosting",
    "seq": "SEQ",
    "fix-2": "FIX-2",
    "fix-3": "FIX-3",
    "fix-3+boost": "FIX-3 with boosting",
    "fix-4": "FIX-4",
    "every-20ms": "a thread every 20 ms",
    "every-100ms": "a thread every 100 ms",
    "every-500ms": "a thread every 500 ms",
    "every-100ms+boost": "a thread every 100 ms, boosting",
    "adaptive": "Adaptive (approximation)",
    "rc-4": "RC, threshold searched",
    "rc-4>225ms": "RC, 225 ms",
}
OTHERS = tuple(name for name in TITLES if "boost" not in name and not TITLES[name].startswith("FM"))
WITHOUT_BOOSTING = {
    "fm": "no-boost",
    "published table": "published table, no boosting",
    "target 18": "target 18, no boosting",
}


def report(views: Sequence[View]) -> None:
    """The first view is the study as published, the last two give cores back."""
    study, given_back = views[0].study, views[-1].study
    columns = [view.title for view in views]
    header = ["Lucene", "published", *columns, "note"]
    show(header, [*against_others(views), *among_others(views), *inside(views)])
    show(["p99 of one run", "40/s", "43/s"], one_run(study))
    show(["p99 of FM is below", *columns], views_below(views, P99))
    show(["mean of FM is below", *columns], views_below(views, MEAN))
    rates = [f"{rate}/s" for rate in RATES]
    show(["p99, ms", *rates], order(study))
    show(["p99 where cores are given back, ms", *rates], order(given_back))
    show(["locked up, of 40", *rates], locked_up(study))
    burst_rates = [f"{burst.rate_mrps // 1000}/s" for burst in BURSTS.bursts]
    show(["p99 of the last 100, ms", *burst_rates], bursts(study))


def against_others(views: Sequence[View]) -> Iterator[Row]:
    """FM against other policies, and against itself without boosting."""
    for other, rate, measure, published, note in (
        ("fix-2", 40, P99, "-33 %", "a b"),
        ("fix-2", 43, P99, "-40 %", "a b"),
        ("fix-2", 40, MEAN, "-29 %", "a b"),
        ("fix-2", 43, MEAN, "-20 %", "a b"),
        ("adaptive", 40, P99, "-32 %", "b c"),
        ("adaptive", 43, P99, "-30 %", "b c"),
        ("rc-4", 40, P99, "-22 %", "b d"),
        ("rc-4", 43, P99, "-38 %", "b d"),
        ("rc-4>225ms", 40, P99, "-22 %", "b d"),
        ("rc-4>225ms", 43, P99, "-38 %", "b d"),
        ("fix-4", 30, P99, "a little lower", ""),
    ):
        title = f"{_measure_name(measure)} of FM against {TITLES[other]}, {rate}/s"
        cells = [percent(view.study.change(measure, view.policy, other, rate)) for view in views]
        yield [title, published, *cells, note]
    for rate, published in ((40, "-12 %"), (43, "-16 %")):
        title = f"p99 of FM against FM without boosting, {rate}/s"
        yield [title, published, *(_boosted(view, rate) for view in views), "e"]


def _measure_name(measure: Measure) -> str:
    return "p99" if measure is P99 else "mean"


def _boosted(view: View, rate: int) -> str:
    without = WITHOUT_BOOSTING.get(view.policy)
    return percent(view.study.change(P99, view.policy, without, rate)) if without else ""


def among_others(views: Sequence[View]) -> Iterator[Row]:
    """What does not depend on FM: it is the same in all columns of a study."""

    def row(what: str, published: str, said: Callable[[Study], str], note: str) -> Row:
        cells = [said(view.study) if view.policy == "fm" else "" for view in views]
        return [what, published, *cells, note]

    for name, other, rate, published, note in (
        ("fix-4", "fix-2", 40, "higher", "b"),
        ("rc-4", "adaptive", 40, "lower", "c"),
        ("rc-4", "adaptive", 43, "higher", "c"),
        ("fix-3+boost", "fix-3", 40, "lower", "e"),
        ("fix-3+boost", "fix-3", 43, "lower", "e"),
    ):
        what = f"p99 of {TITLES[name]} against {TITLES[other]}, {rate}/s"
        yield row(what, published, _change_of(name, other, rate), note)
    yield row("rate from which p99 of FIX-4 is above SEQ", "about 42/s", crossing, "b")
    yield row(
        "threshold of RC found by search", "225 ms", lambda study: study.note("rc-4")[10:], "d"
    )
    for rate in (40, 43):
        what = f"p99 for targets of 20 to 28, {rate}/s"
        yield row(what, "small differences", _by_target(rate), "g")


def _change_of(name: str, other: str, rate: int) -> Callable[[Study], str]:
    return lambda study: percent(study.change(P99, name, other, rate))


def _by_target(rate: int) -> Callable[[Study], str]:
    def text_of(study: Study) -> str:
        tails = [study.figure(P99, f"target {target}", rate).mean for target in TARGETS]
        return f"{min(tails):.0f} to {max(tails):.0f} ms"

    return text_of


def inside(views: Sequence[View]) -> Iterator[Row]:
    """How FM used the server."""

    def row(what: str, published: str, said: Said, note: str = "") -> Row:
        return [what, published, *map(said, views), note]

    def figure_at(measure: Measure, rate: int, digits: int = 2) -> Said:
        return lambda view: view.study.figure(measure, view.policy, rate).text(digits)

    def span(measure: Measure, digits: int) -> Said:
        return lambda view: _span(view, measure, digits)

    def planned(view: View) -> str:
        return ", ".join(f"{planned_threads(view, count):.1f}" for count in PLANNED_AT)

    yield row("threads by eq. 2 with 6, 13 and 18 in the system", "up to 24", planned, "a")

    def threads(said: Said) -> Said:
        return lambda view: "" if view.gives_back else said(view)

    yield row("mean degree, 30 to 48/s", "2.2 to 3.8", threads(span(_degree, 1)), "f")
    for what, measure, at_47 in (("shortest", _shortest, "1.29"), ("longest", _longest, "3")):
        for rate, published, note in ((30, "almost 4", ""), (47, at_47, "f")):
            title = f"mean degree of the {what} 5 %, {rate}/s"
            yield row(title, published, threads(figure_at(measure, rate)), note)
    yield row("% that finish on one thread, 45/s", "19", figure_at(_sequential, 45, 1), "f")
    yield row("% that finish on at most three, 45/s", "41", figure_at(_few, 45, 1), "f")
    yield row("mean threads, 30 to 48/s", "17 to 25", threads(span(_threads, 0)), "a")
    yield row("mean threads, 48/s", "25", threads(figure_at(_threads, 48, 1)))
    yield row("% of the cores in use, 48/s", "almost 100", figure_at(_used, 48, 1), "a")


def one_run(study: Study) -> Iterator[Row]:
    """What runs as short as the published one would have shown."""
    for other in ("fix-2", "adaptive", "rc-4"):
        cells = [
            spread(study.single_runs(P99, "fm", other, rate, PUBLISHED_RUN)) for rate in (40, 43)
        ]
        yield [f"FM against {TITLES[other]}", *cells]


def views_below(views: Sequence[View], measure: Measure) -> Iterator[Row]:
    """The rates at which FM is surely below each of the others."""
    for other in OTHERS:
        yield [TITLES[other], *(_rates_below(view, measure, other) for view in views)]


def _rates_below(view: View, measure: Measure, other: str) -> str:
    below = tuple(
        rate for rate in RATES if view.study.change(measure, view.policy, other, rate).is_below(0)
    )
    if below == RATES:
        return "all"
    if below and below == RATES[: len(below)]:
        return f"up to {below[-1]}/s"
    if below and below == RATES[-len(below) :]:
        return f"from {below[0]}/s"
    return ", ".join(map(str, below)) or "none"


def order(study: Study) -> Iterator[Row]:
    """p99 of every policy at every rate; a star where it is surely below FM."""
    for name, title in TITLES.items():
        cells = []
        for rate in RATES:
            is_below = name != "fm" and study.change(P99, name, "fm", rate).is_below(0)
            cells.append(study.figure(P99, name, rate).text(0) + " *" * is_below)
        yield [title, *cells]


def locked_up(study: Study) -> Iterator[Row]:
    """In how many repetitions; `without exits` is the same table without its last row."""

    def count(name: str, rate: int) -> int:
        return sum(run.p99_ms > LOCKED_UP_MS for run in study.runs_at(name, rate))

    targets = [f"target {target}" for target in (*SMALL_TARGETS, *TARGETS)]
    for name in targets[: len(SMALL_TARGETS)]:
        yield [name, *(str(count(name, rate)) for rate in RATES)]
    larger = targets[len(SMALL_TARGETS) :]
    yield ["targets 20 to 28", *(str(sum(count(name, rate) for name in larger)) for rate in RATES)]
    never = [f"{name}, without exits" for name in targets]
    yield [
        "all of these, without exits",
        *(str(sum(count(name, rate) for name in never)) for rate in RATES),
    ]


def bursts(study: Study) -> Iterator[Row]:
    for name in ("fm", "no-boost", "published table", "target 18", "seq", "fix-2", "fix-4"):
        runs = study.runs(name, BURSTS, BURSTS.requests, BURST_REPETITIONS)
        stretches = zip(*(run.stretch_p99_ms for run in runs), strict=True)
        yield [TITLES[name], *(Figure.build(values).text(0) for values in stretches)]


def percent(figure: Figure) -> str:
    return f"{figure.text(1, sign='+')} %"


def spread(changes: list[float]) -> str:
    """The middle 95 %."""
    beyond = len(changes) // 40
    return f"{changes[beyond]:+.0f} to {changes[-1 - beyond]:+.0f} %"


def crossing(study: Study) -> str:
    """The first whole rate at which FIX-4 is above SEQ."""
    changes = {rate: study.change(P99, "fix-4", "seq", rate) for rate in range(38, 50)}
    above = next((rate for rate, change in changes.items() if change.mean > 0), None)
    return "above 49/s" if above is None else f"{above}/s"


def _span(view: View, measure: Measure, digits: int) -> str:
    means = [view.study.figure(measure, view.policy, rate).mean for rate in PUBLISHED_RATES]
    assert all(math.isfinite(mean) for mean in means)
    return f"{min(means):.{digits}f} to {max(means):.{digits}f}"


_degree: Measure = operator.attrgetter("degree")
_shortest: Measure = operator.attrgetter("degree_shortest")
_longest: Measure = operator.attrgetter("degree_longest")
_threads: Measure = operator.attrgetter("threads")


def _used(run: Run) -> float:
    return 100 * run.utilization


def _sequential(run: Run) -> float:
    return 100 * run.left_on[0]


def _few(run: Run) -> float:
    return 100 * sum(run.left_on[:3])
