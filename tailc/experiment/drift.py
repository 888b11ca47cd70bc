"""Distance of the held-out demand from the demand that a policy was compiled for.

There are two distances: Kolmogorov-Smirnov, the largest difference of the distribution functions,
and Wasserstein-1, the mean distance of equal quantiles. The policy contains the compile demand only
at the quantiles of `GRID_PPM`. Between two of them the distribution is bounded by both, so each
distance of the two samples lies between a least and a greatest value. The estimate assumes a
straight quantile function between two known quantiles.

Intervals are for the distance of the two *laws* (distributions) from which the samples are drawn.
By the triangle inequality it differs from the distance of the samples by at most the sum of the
distances of each sample from its own law.

- Kolmogorov-Smirnov: each is at most sqrt(ln(2 / 2.5 %) / 2n) with 97.5 %, so both with 95 %, for
  any law (Massart, Annals of Probability 1990, corollary 1).
- Wasserstein: the 95 % quantile of the sum of both under the bootstrap (del Barrio, Gine and
  Matran, Annals of Probability 1999), which draws at most `_MOST_DRAWN` requests and is scaled to
  the sample by the root of its size.

Both are wider than necessary, because they add distances that partly cancel.

If only a spectrum of a sample is known, its quantiles and shares lie in a band;
`tailc.experiment.bands` has the distances of bands.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import InputRole, Policy
from tailc.errors import Code, Finding, Place, Severity
from tailc.experiment.bands import (
    DistanceBounds,
    DistributionBand,
    ks_bounds,
    least_moved,
    mean_distance,
    wasserstein_bounds,
)
from tailc.experiment.demand_drift import Distance, Drift
from tailc.models import streams
from tailc.percentiles import PPM, percentile_rank
from tailc.traces.counted_times import tells_points
from tailc.traces.profile import NS_PER_MS, DemandProfile
from tailc.traces.summary import GRID_PPM, DemandSummary
from tailc.units import format_ppm, format_us

Array = NDArray[np.float64]

# A smaller change of demand is no reason to compile again. A tenth more on average moves an
# exponential distribution function by 4 %.
MATERIAL_KS = 0.05
# Of Kolmogorov-Smirnov, which is 100 % between requests of 5 ms and those of 5.01 ms.
SAME_DEMAND = 0.05
MATERIAL_SHARE_OF_MEAN = 0.1

_ONE_SIDE = 0.025
_INTERVAL_PPM = 950_000
_MOST_DRAWN = 4_096
# Number of values that represent a law: a sample of few requests is drawn from all of it.
_FINE = 2_048
_REPLICATES = 400
_NS_PER_US = 1_000
# Precision in sentences: significant digits of means, and trailing zeros of shares.
_DIGITS, _PPM_DIGITS = 3, -3
# Separates these random streams from those of replays, whose second part is an arrival rate.
_STREAMS = -1


def drift_from(policy: Policy, held_out: DemandProfile, seed: int) -> Drift | None:
    """Measure the drift of demand since the compile; None if the policy has no compile demand."""
    for part in policy.inputs:
        if part.role is InputRole.DESIGN and part.demand is not None:
            is_of_points = tells_points(policy.reading.measured.note)
            return drift(part.demand, part.requests, held_out, seed, is_of_points=is_of_points)
    return None


def drift(
    compiled: DemandSummary,
    compiled_requests: int,
    held_out: DemandProfile,
    seed: int,
    *,
    is_of_points: bool = False,
) -> Drift:
    """Compute both distances of two samples of demand, with 95 % intervals.

    Requests of a sample are assumed to be independent. The drift is flagged if, for either
    distance, the interval lies above zero and the distance is material: a tenth of the mean compile
    demand for Wasserstein, and for Kolmogorov-Smirnov 5 %, where demands that differ by at most 5 %
    count as equal. is_of_points: whether the compile sample was a spectrum.
    """
    compile_sample, sample = (
        _CompileSample.from_summary(compiled),
        _HeldOutSample.from_profile(held_out),
    )
    counts = (compiled_requests, sample.requests)
    bands = (
        compile_sample.band(is_of_points=is_of_points),
        sample.band(is_of_points=held_out.is_of_points),
    )
    if is_of_points or held_out.is_of_points:
        ks, moved = ks_bounds(*bands), wasserstein_bounds(*bands)
    else:
        ks, moved = _ks(compile_sample, sample), _wasserstein(compile_sample, sample)
    radius = sum(map(_ks_radius, counts))
    ks = ks.at_radius(radius)
    moved = moved.at_radius(_bootstrap(compile_sample, sample, counts, seed))
    flags = (
        least_moved(*bands, SAME_DEMAND) >= max(MATERIAL_KS, radius),
        moved.least > 0 and moved.estimate >= MATERIAL_SHARE_OF_MEAN * compiled.mean_ns,
    )
    return Drift(
        ks_ppm=_round_outwards(ks, PPM, most=PPM),
        wasserstein_us=_round_outwards(moved, 1 / _NS_PER_US),
        compiled_mean_us=round(compiled.mean_ns / _NS_PER_US),
        held_out_mean_us=round(sample.mean_ns / _NS_PER_US),
        is_flagged=any(flags),
    )


def drift_findings(drift: Drift | None, place: Place | None) -> tuple[Finding, ...]:
    """Warn of drift in the trace at `place`, if it is flagged."""
    if drift is None or not drift.is_flagged:
        return ()
    before = _approximate_text(drift.compiled_mean_us)
    now = _approximate_text(drift.held_out_mean_us)
    message = (
        f"demand has drifted: the mean was {before} when the policy was compiled and is {now} now, "
        f"and {_distance_text(drift)}"
    )
    hint = "compile again on newer requests, or check that this is a trace of the same service"
    return (Finding(Code.DRIFT, message, place, hint, Severity.WARNING),)


def _distance_text(drift: Drift) -> str:
    """Text of the distance that flags the drift; Kolmogorov-Smirnov if both do."""
    ks, moved = drift.ks_ppm, drift.wasserstein_us
    if ks.low > 0 and ks.estimate >= MATERIAL_KS * PPM:
        share = format_ppm(round(ks.estimate, _PPM_DIGITS))
        return f"the distribution functions differ by up to {share}"
    moved_by = _approximate_text(moved.estimate)
    return f"quantiles differ by {moved_by} on average (Wasserstein distance)"


def _approximate_text(time_us: int) -> str:
    return format_us(round(time_us, _DIGITS - len(str(time_us))))


@dataclass(frozen=True, eq=False)
class _CompileSample:
    """The known part of the compile sample: quantile `x_ns[i]` at probability `p[i]`."""

    p: Array
    x_ns: Array

    @classmethod
    def from_summary(cls, compiled: DemandSummary) -> _CompileSample:
        return cls(np.array(GRID_PPM) / PPM, np.array(compiled.quantiles_ns, dtype=np.float64))

    def quantiles(self, count: int) -> Array:
        """Quantiles at `count` even probabilities, by straight lines between the known ones."""
        return np.interp((np.arange(count) + 0.5) / count, self.p, self.x_ns)

    def steps(self) -> tuple[Array, Array, Array]:
        """The distinct quantiles, and the first and the last probability of each."""
        x_ns, starts = np.unique(self.x_ns, return_index=True)
        return x_ns, self.p[starts], self.p[np.append(starts[1:], len(self.p)) - 1]

    def band(self, *, is_of_points: bool) -> DistributionBand:
        """Bounds of the distribution; for points, requests may be anywhere below a quantile."""
        x_ns, first, last = self.steps()
        after = np.append(first[1:], 1.0)
        return DistributionBand(x_ns, last, after, after if is_of_points else first)


@dataclass(frozen=True, eq=False)
class _HeldOutSample:
    """The held-out demands: distinct, ascending, with the share of requests up to each."""

    x_ns: Array
    p: Array
    requests: int
    mean_ns: float

    @classmethod
    def from_profile(cls, profile: DemandProfile) -> _HeldOutSample:
        demand_ns = np.rint(profile.demand_ms * NS_PER_MS)
        x_ns, index_of = np.unique(demand_ns, return_inverse=True)
        count = np.bincount(index_of, weights=profile.weight)
        share = count / profile.total_weight
        return cls(
            x_ns,
            np.minimum(np.cumsum(share), 1.0),
            profile.total_weight,
            float(np.sum(share * x_ns)),
        )

    def up_to(self, x_ns: Array) -> Array:
        """The share of requests of at most this demand."""
        return np.concatenate([[0.0], self.p])[np.searchsorted(self.x_ns, x_ns, side="right")]

    def below(self, x_ns: Array) -> Array:
        """The share of requests of less than this demand."""
        return np.concatenate([[0.0], self.p])[np.searchsorted(self.x_ns, x_ns, side="left")]

    def quantiles_at(self, p: Array) -> Array:
        """The quantile at each probability."""
        return self.x_ns[np.minimum(np.searchsorted(self.p, p), len(self.x_ns) - 1)]

    def band(self, *, is_of_points: bool) -> DistributionBand:
        """Bounds of the distribution; for points, requests lie anywhere between two of them."""
        before = np.append(0.0, self.p[:-1])
        return DistributionBand(self.x_ns, self.p, self.p, self.p if is_of_points else before)

    def quantiles(self, count: int) -> Array:
        """Quantiles at `count` even probabilities."""
        return self.quantiles_at((np.arange(count) + 0.5) / count)


def _ks(compile_sample: _CompileSample, sample: _HeldOutSample) -> DistanceBounds:
    """Bounds of the Kolmogorov-Smirnov distance.

    At a known quantile x the compile function rises from at most `first` to at least `last`.
    """
    x_ns, first, last = compile_sample.steps()
    up_to, below = sample.up_to(x_ns), sample.below(x_ns)
    before = np.append(0.0, last[:-1])
    after = np.append(first[1:], 1.0)
    least = max(float((last - up_to).max()), float((below - first).max()), 0.0)
    greatest = max(float((after - up_to).max()), float((below - before).max()), 0.0)
    return DistanceBounds(least, max(least, _ks_on_lines(x_ns, first, last, sample)), greatest)


def _ks_on_lines(x_ns: Array, first: Array, last: Array, sample: _HeldOutSample) -> float:
    """The largest difference strictly between two known quantiles, on the line that joins them."""
    is_inside = (sample.x_ns > x_ns[0]) & (sample.x_ns < x_ns[-1]) & ~np.isin(sample.x_ns, x_ns)
    inside = sample.x_ns[is_inside]
    gap = np.searchsorted(x_ns, inside) - 1
    share = (inside - x_ns[gap]) / (x_ns[gap + 1] - x_ns[gap])
    line = last[gap] + share * (first[gap + 1] - last[gap])
    ends = np.abs(np.concatenate([line - sample.up_to(inside), line - sample.below(inside)]))
    return float(ends.max(initial=0.0))


def _wasserstein(compile_sample: _CompileSample, sample: _HeldOutSample) -> DistanceBounds:
    """Bounds of the Wasserstein distance.

    Sums over intervals of probability in which the held-out quantile is constant. There the compile
    quantile lies between two known ones. The means give another lower bound.
    """
    edges = np.unique(np.concatenate([compile_sample.p, sample.p, [0.0, 1.0]]))
    width, middle = np.diff(edges), (edges[:-1] + edges[1:]) / 2
    quantiles = sample.quantiles_at(middle)
    gap = np.searchsorted(compile_sample.p, middle) - 1
    low, high = compile_sample.x_ns[gap], compile_sample.x_ns[gap + 1]
    ends = np.interp(edges, compile_sample.p, compile_sample.x_ns)
    nearest = np.maximum(np.maximum(low - quantiles, quantiles - high), 0.0)
    farthest = np.maximum(np.abs(quantiles - low), np.abs(quantiles - high))
    return DistanceBounds(
        float(np.sum(nearest * width)),
        float(np.sum(mean_distance(ends[:-1] - quantiles, ends[1:] - quantiles) * width)),
        float(np.sum(farthest * width)),
    )


def _ks_radius(requests: int) -> float:
    return math.sqrt(math.log(2 / _ONE_SIDE) / (2 * requests))


def _bootstrap(
    compile_sample: _CompileSample, sample: _HeldOutSample, counts: tuple[int, int], seed: int
) -> float:
    """The 95 % quantile of the sum of the Wasserstein distances of both samples from their laws.

    Each law is known only from a sample, and a small one has no tail. So samples of both sizes are
    drawn from both, and the greater distance counts.
    """
    missed = np.zeros(_REPLICATES)
    for side, count in enumerate(counts):
        drawn = min(count, _MOST_DRAWN)
        laws = np.stack([compile_sample.quantiles(_FINE), sample.quantiles(_FINE)])
        distances = _bootstrap_distances(laws, drawn, (seed, _STREAMS, side))
        missed += distances.max(axis=0) * math.sqrt(drawn / count)
    return float(np.sort(missed)[percentile_rank(_INTERVAL_PPM, _REPLICATES) - 1])


def _bootstrap_distances(laws: Array, drawn: int, streams_of: tuple[int, ...]) -> Array:
    """Wasserstein distances of samples from each law that they are drawn from, (laws, replicates).

    A law is a row of ascending, equally likely values.
    """
    widths = np.diff(laws)
    values = laws.shape[1]
    law = np.arange(1, values) / values
    one_each = np.arange(1, values + 1)
    record, spacing = np.empty(drawn, np.int32), np.empty(drawn + 1)
    distances = np.empty((len(laws), _REPLICATES))
    for number in range(_REPLICATES):
        streams.draw_sorted(streams.stream(*streams_of, number), one_each, spacing, record)
        reached = np.cumsum(np.bincount(record, minlength=values))[:-1] / drawn
        distances[:, number] = np.sum(widths * np.abs(reached - law), axis=1)
    return distances


def _round_outwards(distance: DistanceBounds, steps: float, most: int | None = None) -> Distance:
    """Round to whole steps, limits outwards."""
    low, high = math.floor(distance.least * steps), math.ceil(distance.greatest * steps)
    return Distance(
        round(distance.estimate * steps), low, high if most is None else min(high, most)
    )
