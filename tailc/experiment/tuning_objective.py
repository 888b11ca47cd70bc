"""What a whole table is tuned for on the replay, queues included."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from tailc.forms.ladder.lanes import Waking
from tailc.models.arrivals import Arrivals, Pattern, Poisson
from tailc.traces.arrivals import ArrivalColumn


class Criterion(enum.Enum):
    """What is minimised: a percentile of latency, or under it what a request costs.

    That is energy, or batch work given up for it. Or what is maximised: the rate up to which the
    percentile is kept.
    """

    TAIL = "tail"
    ENERGY = "energy"
    BATCH = "batch work"
    RATE = "rate"


class OptionalRule(enum.Enum):
    """A rule that a table may use beyond climbing and waiting by the number in the system.

    may-descend: a request falls where its row has a lower rung. The others are rules of the ladder.
    """

    START_BELOW = "start-below"
    GIVE_UP = "give-up"
    MAY_DESCEND = "may-descend"


@dataclass(frozen=True)
class Beside:
    """Of batch work beside requests: how long it takes to leave its lane, and to wake up again."""

    release_us: int
    waking: Waking


@dataclass(frozen=True)
class Objective:
    """A percentile of latencies that must keep to `latency_us`: of all requests, or of a curve's.

    curve: in the workload that is replayed; None: all.
    """

    percentile_ppm: int
    latency_us: int
    curve: int | None = None


@dataclass(frozen=True)
class TuningObjective:
    """The percentile of latency to make small, at which rates, and how much may be replayed.

    rates_mrps: in thousandths of a request per second. weights: how much each rate counts.
    most_requests: budget, in simulated requests. pattern: how requests arrive; None: Poisson.
    judged_by: how they do where tables are judged; None: alike. recorded: the column of the trace
    that both are read from. may_wait: whether a request may wait for another to leave. criterion:
    what is minimised; target_us: latency that the percentile must then keep to in the search, and
    limit_us, no less, before the judge; None where nothing is to be kept. target_by_rate_us: what
    takes the place of target_us at each rate; empty: nothing. optional_rules: what a tuned table
    may use. objectives: what must hold besides at every rate. Where the rate is made large,
    `rates_mrps` are the ends of its range.

    The six that may be None are asked for each by itself in a spec, beside any criterion.
    """

    percentile_ppm: int
    rates_mrps: tuple[int, ...]
    weights: tuple[int, ...]
    most_requests: int
    pattern: Pattern | None = None
    judged_by: Pattern | None = None
    recorded: ArrivalColumn | None = None
    may_wait: bool = True
    criterion: Criterion = Criterion.TAIL
    target_us: int | None = None
    limit_us: int | None = None
    target_by_rate_us: tuple[int, ...] = ()
    optional_rules: tuple[OptionalRule, ...] = ()
    beside: Beside | None = None
    objectives: tuple[Objective, ...] = ()

    def __post_init__(self) -> None:
        keeps_latency = self.criterion is not Criterion.TAIL
        assert keeps_latency == (self.target_us is not None) == (self.limit_us is not None)
        assert (self.criterion is Criterion.BATCH) == (self.beside is not None)
        assert len(self.rates_mrps) == len(self.weights) > 0
        assert all(weight > 0 for weight in self.weights)
        if self.criterion is Criterion.RATE:
            lowest_mrps, highest_mrps = self.rates_mrps
            assert lowest_mrps < highest_mrps

    @property
    def targets_us(self) -> tuple[int, ...]:
        """The latency that a search keeps the percentile within at each rate."""
        assert self.target_us is not None
        return self.target_by_rate_us or (self.target_us,) * len(self.rates_mrps)

    @property
    def or_fewer_rates(self) -> str:
        """What may be done besides where a budget is too small, for a message."""
        several = len(self.rates_mrps) > 1 and self.criterion is not Criterion.RATE
        return ", or give fewer rates" if several else ""

    @property
    def arrivals(self) -> tuple[Arrivals, ...]:
        """At each rate."""
        return tuple(self.arrivals_at(rate_mrps) for rate_mrps in self.rates_mrps)

    @property
    def judging(self) -> TuningObjective:
        """The same, with the arrivals that tables are judged under."""
        return self if self.judged_by is None else replace(self, pattern=self.judged_by)

    def arrivals_at(self, rate_mrps: int) -> Arrivals:
        """At a rate; of recorded ones once they are read."""
        assert self.recorded is None or self.judged_by is not None
        return Poisson(rate_mrps) if self.pattern is None else self.pattern.at(rate_mrps)
