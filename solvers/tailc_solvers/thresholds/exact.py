"""Exact energy and latency of climb ages in whole microseconds, in integer arithmetic.

Speeds and powers are whole millionths, ages whole microseconds and demands whole nanoseconds (the
nearest, as in replays), so work is an integer in millionths of a reference nanosecond. Sums and
comparisons are between integers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tailc_solvers.sample import WeightedSample

PPM = 1_000_000
NS_PER_US = 1_000
NS_PER_MS = 1_000_000


class ExactFigures(NamedTuple):
    """Exact figures of a set of climb ages on a sample of requests.

    energy: mean energy of a request, in units of power times ms. tail_us: latency of the request at
    the tail's rank.
    """

    energy: Fraction
    tail_us: Fraction


class _Curve(NamedTuple):
    """Requests of one curve by demand in ns; sums are over weight and start with 0."""

    speed_ppm: tuple[int, ...]
    demand_ns: list[int]
    weight: list[int]
    weight_upto: list[int]
    ns_upto: list[int]


class ExactSample:
    """A sample, prepared for the exact evaluation of many sets of climb ages.

    Args:
        sample: demands, weights and curves; its own speeds are not used.
        speed_ppm: positive speeds of all types, [N] for all requests or [curves, N].
        power_ppm: power of each type [N].
        rank: 1-based rank of the tail, weights counted.
    """

    def __init__(
        self, sample: WeightedSample, speed_ppm: ArrayLike, power_ppm: Sequence[int], rank: int
    ) -> None:
        sample.check_rank(rank)
        table = _whole(speed_ppm)
        curve = np.zeros_like(sample.curve) if table.shape[0] == 1 else sample.curve
        if table.shape[1] != len(power_ppm) or int(curve.max()) >= table.shape[0]:
            raise ValueError("speed_ppm must be [N] or [curves, N] with N powers")
        self._power = tuple(int(p) for p in power_ppm)
        self._rank = rank
        self._total = sample.total_weight
        self._curves = [
            _curve(table[at].tolist(), demand_ns, weight)
            for at, demand_ns, weight in _by_curve(sample, curve)
        ]

    def figures(self, age_us: Sequence[int | None]) -> ExactFigures:
        """Compute the exact energy and tail of climb ages.

        age_us: ages that do not decrease; None for never [N - 1].
        """
        energy = sum((self._energy(curve, age_us) for curve in self._curves), Fraction(0))
        return ExactFigures(energy / (self._total * PPM * NS_PER_MS), self._tail(age_us))

    def _energy(self, curve: _Curve, age_us: Sequence[int | None]) -> Fraction:
        """Energy of all requests of a curve, in ppm ns."""
        energy = Fraction(0)
        done = 0
        for at, (speed, power) in enumerate(zip(curve.speed_ppm, self._power, strict=True)):
            upto = _work_done(curve, self._work_at(curve, age_us, at))
            energy += Fraction(power * (upto - done), speed)
            done = upto
        return energy

    def _work_at(self, curve: _Curve, age_us: Sequence[int | None], at: int) -> int | None:
        """Work by which type `at` is left; None if it never is."""
        if at == len(age_us) or age_us[at] is None:
            return None
        work = begin = 0
        for speed, age in zip(curve.speed_ppm, age_us[: at + 1], strict=False):
            assert age is not None, "no age follows never"
            work += speed * (age - begin) * NS_PER_US
            begin = age
        return work

    def _tail(self, age_us: Sequence[int | None]) -> Fraction:
        if len(self._curves) == 1:
            # Latency rises with demand.
            curve = self._curves[0]
            demand_ns = curve.demand_ns[bisect_left(curve.weight_upto, self._rank) - 1]
            return self._latency(curve, demand_ns, age_us)
        latencies = sorted(
            (self._latency(curve, demand_ns, age_us), weight)
            for curve in self._curves
            for demand_ns, weight in zip(curve.demand_ns, curve.weight, strict=True)
        )
        upto = list(accumulate(weight for _, weight in latencies))
        return latencies[bisect_left(upto, self._rank)][0]

    def _latency(self, curve: _Curve, demand_ns: int, age_us: Sequence[int | None]) -> Fraction:
        begin, left = 0, PPM * demand_ns
        for speed, age in zip(curve.speed_ppm, age_us, strict=False):
            here = None if age is None else speed * (age - begin) * NS_PER_US
            if here is None or age is None or left <= here:
                return begin + Fraction(left, speed * NS_PER_US)
            left -= here
            begin = age
        return begin + Fraction(left, curve.speed_ppm[-1] * NS_PER_US)


def _whole(speed_ppm: ArrayLike) -> np.ndarray:
    table = np.atleast_2d(np.array(speed_ppm))
    if not np.issubdtype(table.dtype, np.integer) or (table <= 0).any():
        raise ValueError("speed_ppm must be positive integers")
    return table


def _by_curve(
    sample: WeightedSample, curve: NDArray[np.int64]
) -> Iterator[tuple[int, list[int], list[int]]]:
    """Each used curve, with the demands of its requests ascending and their weights."""
    demand_ns = np.rint(sample.demand_ms * NS_PER_MS).astype(np.int64)
    order = np.lexsort((demand_ns, curve))
    used, begins = np.unique(curve[order], return_index=True)
    for at, here in zip(used.tolist(), np.split(order, begins[1:]), strict=True):
        yield at, demand_ns[here].tolist(), sample.weight[here].tolist()


def _curve(speed_ppm: list[int], demand_ns: list[int], weight: list[int]) -> _Curve:
    return _Curve(
        tuple(speed_ppm),
        demand_ns,
        weight,
        [0, *accumulate(weight)],
        [0, *accumulate(map(mul, demand_ns, weight))],
    )


def _work_done(curve: _Curve, upto: int | None) -> int:
    """The work of all requests of a curve up to a threshold, in ppm ns."""
    if upto is None:
        return PPM * curve.ns_upto[-1]
    shorter = bisect_right(curve.demand_ns, upto // PPM)
    longer = curve.weight_upto[-1] - curve.weight_upto[shorter]
    return PPM * curve.ns_upto[shorter] + upto * longer
