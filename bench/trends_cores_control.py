"""The controller of slow-to-fast under load that jumps, and with other gains and epochs.

A point is the p99 of the last 2,000 requests at the end of an epoch (Haque et al., MICRO 2017,
section 6.6; the dissertation plots the last 100, of which a p99 is the longest but one).
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import numpy as np

from bench.core_study import OWN, CoreStudy, Run
from bench.core_workloads import study
from bench.trends_cores_load import ENERGY, P99
from tailc.models.arrivals import Burst, Bursts

Row = list[str]
REPETITIONS = 40
BURST_REQUESTS = 6_000
WINDOW = 2_000
# What counts as a violation: the p99 of 2,000 requests is itself uncertain by some per cent.
SLACK = 1.05
EPOCH = 500
# Haque et al., MICRO 2017, table 2, read as ms of threshold by ms of error at each epoch.
PUBLISHED_GAINS = (
    "{structure: pid, boundaries: [50/s, 70/s], gains: [{kp: 0.11, ki: 0.49}, "
    "{kp: 0.15, ki: 0.25}, {kp: 0.19, ki: 0.17, kd: 0.03}]}"
)
FIRST_PUBLISHED = "{structure: pid, intervals: 1, gains: [{kp: 0.11, ki: 0.49}]}"
# Server, its title, rates of the bursts, and rates that its gains are made for.
SERVERS = (
    ("micro-13s-2f", "2F-13S", (10, 90), (10, 40, 60, 80)),
    ("micro-13s-2f", "2F-13S", (10, 130), (10, 40, 60, 120)),
    ("dissertation-8s-1f", "8S+1F", (10, 50), (10, 20, 30, 40, 50)),
)
SPIKE_HEADS = (
    *("least and largest p99 at a burst's end", "largest point", "points over 105 %"),
    *("largest run of them, epochs",),
)


def spikes() -> Iterator[Row]:
    """Four bursts, low and high in turn, twice."""
    for server, title, rates, compiled_for in SERVERS:
        arrivals = Bursts(
            tuple(Burst(BURST_REQUESTS, rate * 1000) for rate in (*rates, *rates)), WINDOW
        )
        for one, name, said in _subjects(server, compiled_for):
            yield [f"{title}, {rates[0]} and {rates[1]}/s: {said}", *_spike(one, name, arrivals)]


def _subjects(server: str, rates: tuple[int, ...]) -> Iterator[tuple[CoreStudy, str, str]]:
    plain = study(server, rates=rates)
    yield plain, "s2f", "no controller"
    yield plain, OWN, "gains by load"
    yield plain, "one-gain", "one set of gains"
    yield study(server, rates=rates, control="{intervals: 6}"), OWN, "gains for six intervals"
    if server == "micro-13s-2f":
        yield study(server, rates=rates, control=PUBLISHED_GAINS), OWN, "published gains"
        yield study(server, rates=rates, control=FIRST_PUBLISHED), OWN, "first published set"


def _spike(one: CoreStudy, name: str, arrivals: Bursts) -> tuple[str, ...]:
    runs = one.spikes(name, arrivals, REPETITIONS)
    ends = np.array([_ends(run, arrivals) for run in runs]).mean(axis=0)
    points = [_points(run) for run in runs]
    limit_ms = SLACK * one.target_us / 1e3
    over = [point > limit_ms for point in points]
    share = np.concatenate(over).mean()
    return (
        f"{ends.min():.0f} and {ends.max():.0f} ms",
        f"{statistics.fmean(float(point.max()) for point in points):.0f} ms",
        f"{share:.1%}",
        f"{statistics.fmean(_longest_run(each) for each in over):.1f}",
    )


def _ends(run: Run, arrivals: Bursts) -> list[float]:
    latency_ms = run.outcome.latency_ns / 1e6
    return [float(np.quantile(latency_ms[a:b], 0.99)) for a, b in arrivals.stretches]


def _points(run: Run) -> np.ndarray:
    """p99 of the last window at the end of each epoch, from the first full window on [ms]."""
    latency_ns = run.outcome.latency_ns
    by_exit = latency_ns[np.argsort(run.outcome.arrival_ns + latency_ns, kind="stable")] / 1e6
    ends = range(WINDOW, len(by_exit) + 1, EPOCH)
    return np.array([np.quantile(by_exit[end - WINDOW : end], 0.99) for end in ends])


def _longest_run(over: np.ndarray) -> int:
    longest = now = 0
    for each in over:
        now = now + 1 if each else 0
        longest = max(longest, now)
    return longest


def epochs(rates: Sequence[int]) -> Iterator[Row]:
    """2F-13S with epochs and windows of other lengths."""
    for epoch, window in ((250, 1000), (500, 2000), (1000, 4000), (2000, 8000), (2000, 2000)):
        one = study(
            "micro-13s-2f",
            control=f"{{epoch: {epoch} requests, window: {window} requests}}",
            rates=(10, 25, 60, 80),
        )
        cells = []
        for rate in rates:
            ratio = one.ratio(ENERGY, OWN, "s2f", rate)
            cells.append(f"{one.figure(P99, OWN, rate).text(0)} ms, {ratio.text(2)}")
        yield [f"epoch {epoch}, window {window}", *cells]
