"""Replays of a language model's requests: any schedulers, all on the same requests and arrivals.

The recorded arrivals are stretched to a rate, so their bursts remain. Intervals come from a
bootstrap of blocks of successive requests, because requests that queue together have similar
latencies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, Place, TailcError, did_you_mean
from tailc.experiment.block_means import HIGH, LOW, MeanError, to_ppm
from tailc.forms.budget_table import BatchEngine
from tailc.models import streams
from tailc.models.outcome import nearest_us
from tailc.models.rule_baselines import RuleBaselines, rules_in
from tailc.models.streams import Purpose
from tailc.models.token_batches.arrays import TokenRequests, TokenScheduler, token_requests
from tailc.models.token_batches.outcome import TokenOutcome
from tailc.models.token_batches.replay import replay
from tailc.models.token_batches.rule import TokenRule
from tailc.percentiles import PPM, fewest_requests, percentile_rank
from tailc.specs.slo import Metric, Slo
from tailc.traces.tokens import TokenTrace
from tailc.units import shorten

# Blocks of a bootstrap: enough for an interval, and each much longer than a queue lasts.
BLOCKS = 30
# Values at which a bootstrap counts. The percentile is exact; ends of intervals are rounded up.
_EDGES = 2_000
_NS_PER_US = 1_000


@dataclass(frozen=True)
class TailEstimate:
    """An estimated percentile with its 95 % interval [us]; high_us: None with too few requests."""

    us: int
    low_us: int
    high_us: int | None


@dataclass(frozen=True, eq=False)
class TokenExperiment:
    """The requests of a language model's trace, to be replayed at a mean arrival rate."""

    trace: TokenTrace
    rate_mrps: int

    @cached_property
    def requests(self) -> TokenRequests:
        """The requests of the trace with arrival times at the experiment's rate."""
        trace = self.trace
        arrival_ns = trace.arrival_ns(self.rate_mrps)
        return token_requests(arrival_ns, trace.prompt, trace.output, trace.cached, trace.priority)

    def is_of(self, slo: Slo) -> NDArray[np.bool_]:
        """Whether each request is of the class of an SLO."""
        classes = self.trace.request_class
        if slo.request_class is None or classes is None:
            return np.ones(self.trace.requests, np.bool_)
        return classes == slo.request_class

    def outcome(self, scheduler: TokenScheduler) -> TokenOutcome:
        """Replay the requests of the experiment with one scheduler."""
        found = replay(scheduler, self.requests)
        return TokenOutcome(found.requests, found.log, self.trace.request_class)

    def best(self, candidates: Sequence[TokenScheduler], slos: Sequence[Slo]) -> TokenScheduler:
        """Choose the scheduler with the smallest percentile of the first SLO that meets the others.

        If none meets the others, take the one that exceeds their limits by the smallest factor.
        Ties go to the first.
        """
        if len(candidates) == 1:
            return candidates[0]
        return min(candidates, key=lambda one: rank(self.outcome(one), slos))


def token_rules() -> RuleBaselines[TokenRule]:
    """All baselines of token-budget tables."""
    return rules_in("tailc.models.token_batches.baselines")


def tail_us(outcome: TokenOutcome, slo: Slo) -> int:
    """The latency percentile that an SLO limits, from one replay [us]; 0 without values.

    It is an order statistic.
    """
    return int(nearest_us(_percentile_ns(outcome.values_ns(slo), slo.percentile_ppm)))


def largest_tail_us(outcome: TokenOutcome, slo: Slo, parts: int) -> int:
    """The largest percentile over successive parts of a replay's requests [us]; 0 without values.

    parts: number of parts; fewer if a part would have too few values for the percentile. A rare
    burst can miss the limit although the percentile of all requests is within it; the percentile of
    its own part shows this.
    """
    values_ns = outcome.values_ns(slo)
    number = min(max(len(values_ns) // fewest_requests(slo.percentile_ppm), 1), parts)
    tails = (_percentile_ns(part, slo.percentile_ppm) for part in np.array_split(values_ns, number))
    return int(nearest_us(max(tails)))


def rank(outcome: TokenOutcome, slos: Sequence[Slo]) -> tuple[float, int]:
    """Sort key of a replay of token batches; the best one has the smallest key.

    It is (factor by which the SLOs after the first are missed, as a logarithm; percentile of the
    first SLO).
    """
    first, *others = slos
    missed = sum(excess(tail_us(outcome, slo), slo.latency_us) for slo in others)
    return missed, tail_us(outcome, first)


def excess(tail: int, limit: float) -> float:
    """Logarithm of the ratio of a latency percentile to its limit; 0 if it is within the limit."""
    return max(math.log(max(tail, 1) / limit), 0.0)


def goodput(outcome: TokenOutcome, slos: Sequence[Slo]) -> float:
    """Share of requests that meet every SLO, 0 to 1.

    A request meets an SLO of gaps (times between tokens) if at most the SLO's share of its gaps is
    longer than the limit, and that of another class in any case.
    """
    good = np.ones(len(outcome.log.ttft_ns), np.bool_)
    for slo in slos:
        values = outcome.values(slo)
        late = values.value_ns > slo.latency_us * _NS_PER_US
        missed = np.bincount(values.request, late, len(good))
        total = np.bincount(values.request, minlength=len(good))
        allowed_ppm = PPM - slo.percentile_ppm if slo.metric is Metric.ITL else 0
        good &= missed.astype(np.int64) * PPM <= allowed_ppm * total
    return float(good.mean())


@dataclass(frozen=True, eq=False)
class TokenTail:
    """A percentile of latency of successive requests [ns], with bootstrap samples of it.

    Samples of one number of requests and one seed take the same blocks, so two schedulers can be
    compared pair by pair.
    """

    percentile_ppm: int
    values: int
    ns: int
    resampled_ns: NDArray[np.float64]

    @property
    def estimate(self) -> TailEstimate:
        """The percentile with its 95 % interval from the bootstrap samples [us]."""
        middle = int(nearest_us(self.ns))
        low, high = (
            int(nearest_us(int(one))) for one in np.quantile(self.resampled_ns, [LOW, HIGH])
        )
        enough = self.values >= fewest_requests(self.percentile_ppm)
        return TailEstimate(middle, min(low, middle), max(high, middle) if enough else None)

    def change_from(self, other: TokenTail) -> MeanError:
        """Relative change of this percentile from another one, with its 95 % interval.

        Zeros, of metrics without values, count as 1 ns: two of them have no change.
        """
        change = max(self.ns, 1) / max(other.ns, 1) - 1
        changes = np.maximum(self.resampled_ns, 1) / np.maximum(other.resampled_ns, 1) - 1
        low, high = np.quantile(changes, [LOW, HIGH])
        middle = to_ppm(change)
        return MeanError(middle, min(to_ppm(low), middle), max(to_ppm(high), middle))


def tail_sample(outcome: TokenOutcome, slo: Slo, seed: int, replicates: int) -> TokenTail:
    """The percentile that an SLO limits, with bootstrap samples of blocks of requests.

    A block has successive requests.
    """
    values, requests = outcome.values(slo), len(outcome.log.ttft_ns)
    value_ns, percentile_ppm = values.value_ns, slo.percentile_ppm
    if not len(value_ns):
        return TokenTail(percentile_ppm, 0, 0, np.zeros(replicates))
    edges, blocks = _edges(value_ns), min(BLOCKS, requests)
    place = np.searchsorted(edges, value_ns)
    block = values.request * blocks // requests
    counts = np.bincount(block * len(edges) + place, minlength=blocks * len(edges))
    counts = counts.reshape(blocks, len(edges))
    uniform = np.empty(blocks * replicates)
    streams.uniforms(streams.stream(seed, Purpose.RESAMPLE), uniform)
    chosen = (uniform.reshape(replicates, blocks) * blocks).astype(np.int64)
    resampled = [_percentile_of(edges, counts[one].sum(axis=0), percentile_ppm) for one in chosen]
    middle = _percentile_ns(value_ns, percentile_ppm)
    return TokenTail(percentile_ppm, len(value_ns), middle, np.array(resampled, np.float64))


def check_requests(trace: TokenTrace, engine: BatchEngine, slos: Sequence[Slo]) -> None:
    """Raise TailcError for a request that needs more tokens in the cache than the engine has.

    Also for an SLO of a class that has no request.
    """
    _check_fits(trace, engine)
    known = [] if trace.request_class is None else np.unique(trace.request_class).tolist()
    for number, slo in enumerate(slos):
        if slo.request_class is not None and slo.request_class not in known:
            message = f"no request is of the class `{shorten(slo.request_class)}` of `slo`"
            hint = did_you_mean(slo.request_class, known)
            place, about = Place(trace.source), ("slo", number, "class")
            raise TailcError(Finding(Code.BAD_VALUE, message, place, hint, about=about))


def _check_fits(trace: TokenTrace, engine: BatchEngine) -> None:
    needed = trace.prompt + trace.output
    large = np.flatnonzero(needed > engine.cache_tokens)
    if not len(large):
        return
    at = int(large[0])
    message = (
        f"request has {needed[at]:,} tokens, but the cache of the engine holds "
        f"{engine.cache_tokens:,}"
    )
    if len(large) > 1:
        message += f" (first of {len(large)} such requests)"
    hint = "raise `engine.kv_blocks`, or leave such requests out, as the engine refuses them"
    place = Place(trace.source, row=int(trace.row[at]))
    raise TailcError(Finding(Code.OUT_OF_RANGE, message, place, hint))


def experiments(trace: TokenTrace, rates_mrps: Sequence[int]) -> tuple[TokenExperiment, ...]:
    """Make an experiment for each arrival rate; for the recorded rate if none is given."""
    return tuple(TokenExperiment(trace, rate) for rate in rates_mrps or (trace.rate_mrps,))


def _percentile_ns(value_ns: NDArray[np.int64], percentile_ppm: int) -> int:
    if not len(value_ns):
        return 0
    place = percentile_rank(percentile_ppm, len(value_ns)) - 1
    return int(np.partition(value_ns, place)[place])


def _edges(value_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct order statistics up to the largest value, denser towards it."""
    part = 1 - np.geomspace(1, 1 / len(value_ns), _EDGES)
    places = np.unique(np.rint(np.append(part, 1.0) * (len(value_ns) - 1)).astype(np.int64))
    return np.unique(np.partition(value_ns, places)[places])


def _percentile_of(edges: NDArray[np.int64], counts: NDArray[np.int64], percentile_ppm: int) -> int:
    total = int(counts.sum())
    if not total:
        return 0
    return int(edges[np.searchsorted(np.cumsum(counts), percentile_rank(percentile_ppm, total))])
