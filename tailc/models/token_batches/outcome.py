"""Result of a replay of token batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.models.token_batches.arrays import TokenRequests
from tailc.models.token_batches.token_log import (
    BUSY_NS,
    DECODED_TOKENS,
    ITERATIONS,
    PREEMPTIONS,
    PROMPT_TOKENS,
    TokenLog,
)
from tailc.specs.slo import Metric, Slo

Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class MetricValues:
    """Values of a metric of tokens, such as the time between tokens.

    value_ns: the values [ns]. request: number of the request of each value, ascending.
    """

    value_ns: Int64s
    request: Int64s


@dataclass(frozen=True, eq=False)
class TokenOutcome:
    """Result of a replay of a language model's server: requests by arrival, and recorded times.

    request_class: name of the class of each request; None: there are no classes.
    """

    requests: TokenRequests
    log: TokenLog
    request_class: NDArray[np.str_] | None = None

    def values(self, slo: Slo) -> MetricValues:
        """The values that an SLO limits [ns], with the request of each.

        They are of the SLO's class: one value for each request, or one for each gap between tokens.
        """
        found = self._all_values(slo.metric)
        if slo.request_class is None:
            return found
        assert self.request_class is not None
        chosen = (self.request_class == slo.request_class)[found.request]
        return MetricValues(found.value_ns[chosen], found.request[chosen])

    def values_ns(self, slo: Slo) -> Int64s:
        """The values that an SLO limits [ns], in the order of requests."""
        if slo.request_class is not None:
            return self.values(slo).value_ns
        return self._all_ns(slo.metric)

    def _all_values(self, metric: Metric) -> MetricValues:
        numbers, gaps = np.arange(len(self.log.ttft_ns)), self.requests.output - 1
        of = {
            Metric.TTFT: np.ones_like(gaps),
            Metric.ITL: gaps,
            Metric.TPOT: np.minimum(gaps, 1),
        }[metric]
        return MetricValues(self._all_ns(metric), np.repeat(numbers, of))

    def _all_ns(self, metric: Metric) -> Int64s:
        if metric is Metric.TTFT:
            return self.log.ttft_ns
        if metric is Metric.ITL:
            return self.log.gap_ns
        assert metric is Metric.TPOT
        gaps = self.requests.output - 1
        several = gaps > 0
        first_ns = self.requests.arrival_ns + self.log.ttft_ns
        return (self.log.end_ns - first_ns)[several] // gaps[several]

    @property
    def iterations(self) -> int:
        """Number of iterations of a language model's engine in the replay."""
        return int(self.log.counts[ITERATIONS])

    @property
    def preemptions(self) -> int:
        """Number of times that a sequence lost its blocks of the cache and was computed again."""
        return int(self.log.counts[PREEMPTIONS])

    @property
    def tokens_by_iteration(self) -> float:
        """Mean number of tokens that an iteration of a language model's engine processes."""
        tokens = self.log.counts[PROMPT_TOKENS] + self.log.counts[DECODED_TOKENS]
        return float(tokens) / max(self.iterations, 1)

    @property
    def busy(self) -> float:
        """Share of time, up to the last token, in which the server computes iterations."""
        span_ns = int(self.log.end_ns.max() - self.requests.arrival_ns[0])
        return float(self.log.counts[BUSY_NS]) / max(span_ns, 1)

    @property
    def cell_shares(self) -> NDArray[np.float64]:
        """Share of the time of iterations that each cell of the token-budget table decided.

        float64 (rows, columns).
        """
        return self.log.visits / max(int(self.log.visits.sum()), 1)
