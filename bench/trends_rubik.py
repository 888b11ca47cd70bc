"""The published figures of Rubik on requests alone beside ours, on services like the published.

    python -m bench.trends_rubik

The bound of a service is the p95 that its core has at the nominal clock at half load, as published;
a load of 1 is the highest rate at that clock. Figures are means over repetitions with 95 %
intervals, all subjects on the same requests at the same times. `bench.trends_rubik_batch` has the
batch work, and docs/published-results.md says why ours differ.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.clocks_study import (
    DYNAMIC,
    FIXED,
    NS_PER_US,
    OPEN,
    OWN,
    STATIC,
    ClocksStudy,
    Run,
    fixed_p95_us,
    p95_ns,
)
from bench.rubik_workloads import (
    CORES,
    NAMES,
    REST_W,
    SLEEP_W,
    UNCORE_W,
    service,
    with_memory_at_random,
    with_memory_by_cycles,
)
from bench.study import Figure
from bench.timing import show
from tailc.models.arrivals import RateProfile, RateStep
from tailc.models.core_queues.baselines.fixed_frequency import at_level
from tailc.models.outcome import Outcome

LOADS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
HALF = 0.5
# At which six copies are published, each with the fixed clock's tail at that load as its bound.
COPIES_AT = (0.2, 0.6)
# The range that is published of the tail with feedback, as a share of the bound.
LEAST_TAIL, MOST_TAIL = 0.95, 1.0
PERCENT = 100
MS_PER_S, US_PER_MS, NS_PER_MS = 1_000, 1_000, 1_000_000
# So that the feedback has settled before the first step.
SETTLING_MS = 30_000
STEP_LOADS, STEP_MS = (0.25, 0.5, 0.75), (1_000, 1_000, 4_000)
STEP_REPETITIONS = 40
ROLLING_MS = 200
READ_AT_MS = (900, 1_200, 1_500, 1_900, 2_200, 2_500, 3_000, 4_000, 6_000)
FAST = "{epoch: 20ms, window: 200ms}"
JOINT_AT = (0.2, 0.5)

Row = list[str]


def main() -> None:
    loads = [f"{load:.0%}" for load in LOADS]
    show(["published", "value", "ours"], published())
    for name, title in ((OWN, "with feedback"), (OPEN, "without feedback"), (STATIC, "static")):
        rows = ([each, *(_share(study(each).tail(name, x)) for x in LOADS)] for each in NAMES)
        show([f"p95, {title}, % of the bound", *loads], rows)
    show(["energy of a request, % of the fixed clock's", "", *loads], energies())
    heads = ("feedback outside 95 to 100 %", "load", "p95", "static", "at its lowest", "bound by")
    show(heads, exceptions())
    show(("six copies", "load", "p95, %", "power of cores, %", "of the server, %"), copies())
    show(["masstree, p95 of the last 200 ms, % of the bound", *_times()], steps())
    show(["masstree at 50 % all the time", "p95, %", "energy, %"], steady())
    heads = ("tails", "", *(f"{what} {x:.0%}" for x in JOINT_AT for what in ("p95", "energy")))
    show(heads, joint())


@functools.cache
def study(name: str) -> ClocksStudy:
    """A service under the published bound."""
    one = service(name)
    return ClocksStudy(one, fixed_p95_us(one, HALF, LOADS), LOADS)


def published() -> Iterator[Row]:
    feasible = [x for x in LOADS if x <= HALF]
    every = [(study(name), x) for name in NAMES for x in feasible]
    below = [PERCENT * (1 - one.tail(OPEN, x).mean) for one, x in every]
    yield ["without feedback: p95 below the bound, %", "2 to 15", _range(below)]
    kept = sum(_is_kept(one.tail(OWN, x)) for one, x in every)
    cases = f"{PERCENT * kept / len(every):.0f} % ({kept} of {len(every)})"
    yield ["with feedback: p95 within 95 to 100 % of the bound", "100 % of cases", cases]
    saved = [PERCENT * (1 - one.energy(OWN, x).mean) for one, x in every]
    yield ["energy of a request saved up to half load, %", "up to 40", _range(saved)]
    at_half = [PERCENT * (1 - study(name).energy(DYNAMIC, HALF).mean) for name in NAMES]
    yield ["dynamic oracle: saved at half load, %", "often 20 to 45", _range(at_half)]
    times = [one.ratio(_energy, STATIC, DYNAMIC, x).mean for one, x in every]
    yield ["energy of the static oracle over the dynamic, most", "2 (moses)", f"{max(times):.2f}"]
    yield ["the same, moses", "2", f"{max(times[len(feasible) : 2 * len(feasible)]):.2f}"]
    for name in NAMES:
        yield [f"of what the dynamic oracle saves at half load, {name}, %", "most", _part(name)]


def _part(name: str) -> str:
    one = study(name)
    saved = [1 - one.energy(subject, HALF).mean for subject in (OWN, DYNAMIC)]
    return f"{PERCENT * saved[0] / saved[1]:.0f}"


def energies() -> Iterator[Row]:
    for name in NAMES:
        for subject in (STATIC, OPEN, OWN, DYNAMIC):
            yield [name, subject, *(_share(study(name).energy(subject, x)) for x in LOADS)]


def exceptions() -> Iterator[Row]:
    """Where the tail is surely or possibly out of the range, and what the core then does."""
    for name in NAMES:
        for load in LOADS:
            one = study(name)
            tail, runs = one.tail(OWN, load), one.runs_at(OWN, load)
            if _is_kept(tail):
                continue
            lowest = statistics.fmean(run.levels[0] for run in runs)
            output = statistics.fmean(run.output or 1.0 for run in runs)
            tails = [_share(each) for each in (tail, one.tail(STATIC, load))]
            yield [name, f"{load:.0%}", *tails, f"{lowest:.0%}", f"{output:.2f}"]


def _is_kept(tail: Figure) -> bool:
    """Not outside the range by more than its interval."""
    return tail.mean + tail.half >= LEAST_TAIL and tail.mean - tail.half <= MOST_TAIL


def copies() -> Iterator[Row]:
    """Cores share nothing here, so six copies are six times one; sleep counts as drawn by cores."""
    saved: list[float] = []
    for name in NAMES:
        for load in COPIES_AT:
            one = service(name)
            alike = ClocksStudy(one, fixed_p95_us(one, load), [load])
            cores = alike.ratio(_core_w, OWN, FIXED, load)
            server = alike.ratio(_server_w, OWN, FIXED, load)
            saved.append(PERCENT * (1 - cores.mean))
            tail = alike.tail(OWN, load)
            yield [name, f"{load:.0%}", _share(tail), _saved(cores), _saved(server)]
    yield ["all, saved by cores on average", "", "", f"{statistics.fmean(saved):.0f}", ""]


def _core_w(run: Run) -> float:
    return run.power_w + (1 - run.busy) * SLEEP_W


def _server_w(run: Run) -> float:
    return CORES * _core_w(run) + UNCORE_W + REST_W


def steps() -> Iterator[Row]:
    """Load that grows in steps on a core that has settled at the first, with two feedbacks."""
    slow, fast = _stepped("pi"), _stepped(FAST)
    clocks = slow.own.clocks
    assert clocks is not None
    slow.add("highest", at_level("highest", clocks, len(slow.table.levels) - 1))
    for one, name, title in (
        *((slow, FIXED, "fixed"), (slow, "highest", "highest clock")),
        *((slow, OPEN, "without feedback"), (slow, OWN, "with feedback")),
        (fast, OWN, "five times as fast"),
    ):
        outcomes = one.outcomes(name, _steps(one), STEP_REPETITIONS)
        yield [title, *(_rolled(outcomes, at, one.bound_us) for at in READ_AT_MS)]
        if name == OWN:
            yield [f"{title}: bound by", *(_output(outcomes, at) for at in READ_AT_MS)]


def steady() -> Iterator[Row]:
    """What the faster feedback has where nothing changes."""
    for feedback, title in (("pi", "with feedback"), (FAST, "five times as fast")):
        one = _stepped(feedback)
        yield [title, _share(one.tail(OWN, HALF)), _share(one.energy(OWN, HALF))]


def _stepped(feedback: str) -> ClocksStudy:
    one = service("masstree")
    return ClocksStudy(one, study(one.name).bound_us, STEP_LOADS[-1:], feedback=feedback)


def _steps(one: ClocksStudy) -> RateProfile:
    rates = [round(1_000 * one.service.rate_rps(load)) for load in STEP_LOADS]
    first = RateStep(SETTLING_MS * US_PER_MS, rates[0])
    parts = zip(STEP_MS, rates, strict=True)
    return RateProfile((first, *(RateStep(ms * US_PER_MS, rate) for ms, rate in parts)))


def _rolled(outcomes: list[Outcome], at_ms: int, bound_us: int) -> str:
    """p95 of those that ended within the last 200 ms."""
    until = (SETTLING_MS + at_ms) * NS_PER_MS
    found = []
    for outcome in outcomes:
        ended = outcome.arrival_ns + outcome.latency_ns
        within = (until - ROLLING_MS * NS_PER_MS < ended) & (ended <= until)
        found.append(p95_ns(outcome.latency_ns[within]) / NS_PER_US / bound_us)
    return _share(Figure.build(found))


def _output(outcomes: list[Outcome], at_ms: int) -> str:
    until = (SETTLING_MS + at_ms) * NS_PER_MS
    return f"{statistics.fmean(_last(outcome, until) for outcome in outcomes):.2f}"


def _last(outcome: Outcome, until_ns: int) -> float:
    assert outcome.steps is not None
    before: NDArray[np.int64] = outcome.steps.output_ppm[outcome.steps.time_ns <= until_ns]
    return float(before[-1]) / 1e6


def _times() -> list[str]:
    return [f"{at / MS_PER_S:.1f} s" for at in READ_AT_MS]


def joint() -> Iterator[Row]:
    """Added tails against the tail of both, without and with feedback."""
    shore = service("shore")
    for one in (with_memory_by_cycles(shore), with_memory_at_random(shore), service("specjbb")):
        bound_us = fixed_p95_us(one, HALF)
        for distribution in ("separate", "joint"):
            found = ClocksStudy(one, bound_us, JOINT_AT, distribution=distribution)
            for name, title in ((OPEN, "without feedback"), (OWN, "with feedback")):
                cells = [
                    _share(figure(name, load))
                    for load in JOINT_AT
                    for figure in (found.tail, found.energy)
                ]
                yield [one.name, f"{distribution}, {title}", *cells]


def _energy(run: Run) -> float:
    return run.energy_mj


def _share(figure: Figure) -> str:
    if not np.isfinite(figure.mean):
        return "no end"
    return f"{PERCENT * figure.mean:.1f} ± {PERCENT * figure.half:.1f}"


def _saved(left: Figure) -> str:
    return _share(Figure(1 - left.mean, left.half))


def _range(values: list[float]) -> str:
    return f"{min(values):.0f} to {max(values):.0f}"


if __name__ == "__main__":
    main()
