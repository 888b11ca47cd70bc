"""Queues whose latency is known exactly: formulas to hold the replay against.

Arrivals are Poisson, `load` is the utilization, times are in ms. Sources: Kleinrock, Queueing
Systems, volumes 1 (1975; M/M/k and M/G/1) and 2 (1976; processor sharing); for the distribution of
the wait in M/D/1 Erlang (1909) and Crommelin (1932).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Law:
    """A law of demand: its first two moments, and how to draw from it (all in ms)."""

    name: str
    mean: float
    second_moment: float

    @property
    def variation(self) -> float:
        """Squared coefficient of variation."""
        return self.second_moment / self.mean**2 - 1

    def draw(self, rng: np.random.Generator, size: int) -> np.ndarray:
        return _DRAWS[self.name](rng, size) * self.mean


# Means are 1.
_DRAWS = {
    "constant": lambda _rng, size: np.ones(size),
    "exponential": lambda rng, size: rng.exponential(1, size),
    "uniform": lambda rng, size: rng.uniform(0, 2, size),
    "erlang-4": lambda rng, size: rng.gamma(4, 1 / 4, size),
    "hyperexponential": lambda rng, size: rng.exponential(
        np.where(rng.random(size) < 0.9, 0.5, 5.5)
    ),
    "two points": lambda rng, size: np.where(rng.random(size) < 0.75, 1 / 3, 3.0),
    "lognormal": lambda rng, size: rng.lognormal(-0.25, math.sqrt(0.5), size),
}
_SECOND_MOMENTS = {
    "constant": 1.0,
    "exponential": 2.0,
    "uniform": 4 / 3,
    "erlang-4": 1.25,
    "hyperexponential": 2 * (0.9 * 0.25 + 0.1 * 5.5**2),
    "two points": 0.75 / 9 + 0.25 * 9,
    "lognormal": math.exp(0.5),
}
LAWS = tuple(_DRAWS)


def law(name: str, mean: float) -> Law:
    return Law(name, mean, _SECOND_MOMENTS[name] * mean**2)


def erlang_c(servers: int, load: float) -> float:
    """Probability that a request of M/M/k waits."""
    offered = servers * load
    blocking = 1.0
    for k in range(1, servers + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking / (1 - load * (1 - blocking))


def mmk_mean_wait(servers: int, load: float, mean: float) -> float:
    return erlang_c(servers, load) * mean / (servers * (1 - load))


def mmk_latency_quantile(servers: int, load: float, mean: float, p: float) -> float:
    """Of the sum of the wait (0, or exponential with probability C) and an exponential demand."""
    waits, drain, serve = erlang_c(servers, load), servers * (1 - load) / mean, 1 / mean

    def beyond(t: float) -> float:
        if math.isclose(drain, serve):
            return math.exp(-serve * t) * (1 + waits * serve * t)
        with_wait = (drain * math.exp(-serve * t) - serve * math.exp(-drain * t)) / (drain - serve)
        return (1 - waits) * math.exp(-serve * t) + waits * with_wait

    return _root(lambda t: beyond(t) - (1 - p), mean)


def mg1_mean_wait(demand: Law, load: float) -> float:
    """Pollaczek and Khinchine."""
    return load * demand.second_moment / demand.mean / 2 / (1 - load)


def md1_wait_beyond(load: float, demand: float, t: float) -> float:
    """P(W > t) in M/D/1. The terms alternate and grow with t: take few demands for t."""
    x = t / demand
    steps = [load * (k - x) for k in range(math.floor(x) + 1)]
    terms = [step**k / math.factorial(k) * math.exp(-step) for k, step in enumerate(steps)]
    return 1 - (1 - load) * math.fsum(terms)


def ps_mean_latency(mean: float, load: float) -> float:
    """M/G/1 under processor sharing, whatever the law."""
    return mean / (1 - load)


def ps_mean_stretch(load: float) -> float:
    """Latency over demand, the same in the mean for every demand."""
    return 1 / (1 - load)


def ps_mean_in_system(servers: int, load: float) -> float:
    """M/G/k where all share equally and none gets more than one server.

    Insensitive to the law, so as in M/M/k, whose birth and death rates are the same (Cohen, The
    multiple phase service network with generalized processor sharing, 1979).
    """
    return servers * load + erlang_c(servers, load) * load / (1 - load)


def _root(f: Callable[[float], float], start: float) -> float:
    """Where the falling function is 0."""
    high = start
    while f(high) > 0:
        high *= 2
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return high
