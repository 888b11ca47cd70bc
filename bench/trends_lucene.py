"""What Haque et al. (ASPLOS 2015, section 6) say of Lucene, beside our replay of a fitted workload.

Only what their text says in numbers or in words; nothing is read off a figure.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import replace

import tailc
from bench import published_server
from bench.study import Figure, Measure, Run, Study, study_of, with_target
from bench.timing import ROOT, show
from tailc.forms.ladder.table import Rule
from tailc.replay.arrivals import Burst, Bursts
from tailc.replay.subject import Subject

SPEC = ROOT / "examples" / "lucene-fm" / "service.yaml"
# Requests of one published run.
PUBLISHED_RUN = 2_000
RATES = (31, 36, 40, 43, 45, 47)
TARGETS = (20, 22, 24, 26, 28)
PUBLISHED_RATES = range(30, 49, 2)
BURSTS = Bursts(tuple(Burst(500, rate * 1000) for rate in (45, 30, 45, 30)))
BURST_REPETITIONS = 400
BOOSTED_REQUESTS = 3
ADDED = ("published table", "every-100ms+boost")

P99: Measure = operator.attrgetter("p99_ms")
MEAN: Measure = operator.attrgetter("mean_ms")

Row = list[str]


def lucene() -> Study:
    """The fitted workload, with the published table as one more policy."""
    policy = tailc.compile_policy(str(SPEC)).policy
    study = study_of(SPEC, policy, repetitions=40, requests=20_000, searched_rps=40)
    study.add("published table", Subject("published table", published_server.policy().forms))
    for target in TARGETS:
        study.add(f"target {target}", Subject("", with_target(SPEC, target).forms))
    every = study.subject("every-100ms").ladders[0]
    rules = (Rule.BOOST_LAST_RUNG, *every.rules)
    boosted = replace(every, rules=rules, boost=policy.forms[0].boost)
    study.add("every-100ms+boost", Subject("", (boosted,)))
    return study


def lean() -> Study:
    """The same if a thread that waits for the others of its request leaves its core.

    Then a request on d threads occupies as many cores as its speed-up, not d. At most three
    requests are boosted in both.
    """
    policy = tailc.compile_policy(str(SPEC)).policy
    ladder = policy.forms[0]
    rungs = tuple(replace(rung, cost_ppm=(rung.speed_ppm,)) for rung in ladder.rungs)
    boost = replace(ladder.boost, below_ppm=(BOOSTED_REQUESTS + 1) * rungs[-1].speed_ppm)
    policy = replace(policy, forms=(replace(ladder, rungs=rungs, boost=boost),))
    return study_of(SPEC, policy, repetitions=40, requests=20_000, searched_rps=40)


def report(study: Study) -> None:
    idle = lean()
    header = [
        "Lucene",
        "published",
        "ours",
        "no boosting",
        "cores given back",
        "one run",
        "note",
    ]
    show(header, [*against_others(study, idle), *inside(study, idle)])
    rates = [f"{burst.rate_mrps // 1000}/s" for burst in BURSTS.bursts]
    show(["p99 of the last 100, ms", *rates], bursts(study))
    rates = [f"{rate}/s" for rate in RATES]
    show(["p99, ms", *rates], order(study, P99))
    show(["mean, ms", *rates], order(study, MEAN))
    show(["p99 where cores are given back, ms", *rates], order(idle, P99))


def against_others(study: Study, idle: Study) -> Iterator[Row]:
    """Comparisons of FM with other policies, in percent."""
    for other, rate, measure, published, note in (
        ("fix-2", 40, P99, -33, "a b"),
        ("fix-2", 43, P99, -40, "a b"),
        ("fix-2", 40, MEAN, -29, "a"),
        ("fix-2", 43, MEAN, -20, "a"),
        ("adaptive", 40, P99, -32, "a b c"),
        ("adaptive", 43, P99, -30, "a b c"),
        ("rc-4", 40, P99, -22, "a b d"),
        ("rc-4", 43, P99, -38, "a b d"),
        ("rc-4>225ms", 40, P99, -22, "a b"),
        ("rc-4>225ms", 43, P99, -38, "a b"),
    ):
        what = "p99" if measure is P99 else "mean"
        single = study.single_runs(measure, "fm", other, rate, PUBLISHED_RUN)
        yield [
            f"{what} of FM against {TITLES[other]}, {rate}/s",
            f"{published:+d} %",
            percent(study.change(measure, "fm", other, rate)),
            percent(study.change(measure, "no-boost", other, rate)),
            percent(idle.change(measure, "fm", other, rate)),
            spread(single),
            note,
        ]
    for name, other, rate, published, note in (
        ("fm", "fix-4", 30, "a little lower", "b"),
        ("fix-4", "fix-2", 40, "higher", ""),
        ("rc-4", "adaptive", 40, "lower", "c"),
        ("rc-4", "adaptive", 43, "higher", ""),
        ("fm", "no-boost", 40, "-12 %", "b"),
        ("fm", "no-boost", 43, "-16 %", "b"),
        ("fix-3+boost", "fix-3", 40, "lower", "b"),
        ("fix-3+boost", "fix-3", 43, "lower", "b"),
        ("every-100ms+boost", "every-100ms", 40, "", "b"),
        ("every-100ms+boost", "every-100ms", 43, "", "b"),
    ):
        yield [
            f"p99 of {TITLES[name]} against {TITLES[other]}, {rate}/s",
            published,
            percent(study.change(P99, name, other, rate)),
            "",
            percent(idle.change(P99, name, other, rate)) if name != "every-100ms+boost" else "",
            spread(study.single_runs(P99, name, other, rate, PUBLISHED_RUN)),
            note,
        ]


def inside(study: Study, idle: Study) -> Iterator[Row]:
    """How FM used the server."""

    def row(what: str, published: str, said: Callable[[Study, str], str], note: str = "") -> Row:
        return [what, published, said(study, "fm"), said(study, "no-boost"), "", "", note]

    def at(measure: Measure, rate: int, digits: int = 2) -> Callable[[Study, str], str]:
        return lambda where, name: where.figure(measure, name, rate).said(digits)

    def span(measure: Measure, digits: int) -> Callable[[Study, str], str]:
        return lambda where, name: _span(where, measure, name, digits)

    above = [crossing(study), "", crossing(idle)]
    yield ["rate from which p99 of FIX-4 is above SEQ", "about 42/s", *above, "", "b"]
    found = [study.note("rc-4")[10:], "", idle.note("rc-4")[10:]]
    yield ["threshold of RC found by search", "225 ms", *found, "", "d"]
    yield row("mean degree, 30 to 48/s", "2.2 to 3.8", span(_degree, 1), "e")
    yield row("mean degree of the shortest 5 %, 30/s", "almost 4", at(_shortest, 30))
    yield row("mean degree of the longest 5 %, 30/s", "almost 4", at(_longest, 30))
    yield row("mean degree of the shortest 5 %, 47/s", "1.29", at(_shortest, 47), "e")
    yield row("mean degree of the longest 5 %, 47/s", "3", at(_longest, 47), "e")
    yield row("% that finish on one thread, 45/s", "19", at(_sequential, 45, 1), "e")
    yield row("% that finish on at most three, 45/s", "41", at(_few, 45, 1), "e")
    yield row("mean threads, 30 to 48/s", "17 to 25", span(_threads, 0), "e")
    yield row("mean threads, 48/s", "25", at(_threads, 48, 1))
    yield row("% of the cores in use, 48/s", "almost 100", at(_used, 48, 1), "e")
    for rate in (40, 43):
        tails = [study.figure(P99, f"target {target}", rate).mean for target in TARGETS]
        said = f"{min(tails):.0f} to {max(tails):.0f} ms"
        yield [f"p99 for targets of 20 to 28, {rate}/s", "small differences", said, "", "", "", "f"]


def bursts(study: Study) -> Iterator[Row]:
    for name in ("fm", "no-boost", "seq", "fix-2", "fix-4"):
        runs = study.runs(name, BURSTS, BURSTS.requests, BURST_REPETITIONS)
        stretches = zip(*(run.stretch_p99_ms for run in runs), strict=True)
        yield [TITLES[name], *(Figure.of(values).said(0) for values in stretches)]


def order(study: Study, measure: Measure) -> Iterator[Row]:
    """Every policy at every rate; a star where it is surely below FM."""
    for name, title in TITLES.items():
        if name in ADDED and not study.has(name):
            continue
        cells = []
        for rate in RATES:
            is_below = name != "fm" and study.change(measure, name, "fm", rate).is_below(0)
            cells.append(study.figure(measure, name, rate).said(0) + " *" * is_below)
        yield [title, *cells]


TITLES = {
    "fm": "FM",
    "no-boost": "FM without boosting",
    "published table": "FM, the published table",
    "seq": "SEQ",
    "fix-2": "FIX-2",
    "fix-3": "FIX-3",
    "fix-3+boost": "FIX-3 with boosting",
    "fix-4": "FIX-4",
    "every-20ms": "a thread every 20 ms",
    "every-100ms": "a thread every 100 ms",
    "every-500ms": "a thread every 500 ms",
    "every-100ms+boost": "a thread every 100 ms with boosting",
    "adaptive": "Adaptive (approximation)",
    "rc-4": "RC, threshold searched",
    "rc-4>225ms": "RC, 225 ms",
}


def percent(figure: Figure) -> str:
    return f"{figure.said(1, sign='+')} %"


def spread(changes: list[float]) -> str:
    """The middle 95 %."""
    beyond = len(changes) // 40
    return f"{changes[beyond]:+.0f} to {changes[-1 - beyond]:+.0f} %"


def crossing(study: Study) -> str:
    """The first whole rate at which FIX-4 is above SEQ."""
    changes = {rate: study.change(P99, "fix-4", "seq", rate) for rate in range(38, 50)}
    above = next((rate for rate, change in changes.items() if change.mean > 0), None)
    return "above 49/s" if above is None else f"{above}/s"


def _span(study: Study, measure: Measure, name: str, digits: int) -> str:
    means = [study.figure(measure, name, rate).mean for rate in PUBLISHED_RATES]
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
