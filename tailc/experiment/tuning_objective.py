"""What tuning by simulation optimises, at which rates, and under which constraints."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from tailc.forms.ladder.lanes import Waking
from tailc.models.arrivals import Arrivals, Pattern, Poisson
from tailc.traces.arrivals import ArrivalColumn


class Criterion(enum.Enum):
    """The criterion of tuning: minimise latency or cost, or maximise the rate.

    Minimise a percentile of latency; or minimise the energy, or batch work given up, of a request
    subject to the percentile; or maximise the rate up to which the percentile holds.
    """

    TAIL = "tail"
    ENERGY = "energy"
    BATCH = "batch work"
    RATE = "rate"


class OptionalRule(enum.Enum):
    """A rule that a tuned table may use, in addition to its climbs and waits.

    may-descend: a request moves down if its row has a lower rung. The other values are rules of the
    ladder with the same names.
    """

    START_BELOW = "start-below"
    GIVE_UP = "give-up"
    MAY_DESCEND = "may-descend"


@dataclass(frozen=True)
class BatchTiming:
    """Times [ns] that batch work next to a request takes to leave its lane, and to wake again."""

    release_us: int
    waking: Waking


@dataclass(frozen=True)
class TailConstraint:
    """A constraint of tuning: a latency percentile that must be at most `latency_us`.

    curve: number of the speed-up curve whose requests count, in the replayed workload; None: all
    requests.
    """

    percentile_ppm: int
    latency_us: int
    curve: int | None = None


@dataclass(frozen=True)
class TuningObjective:
    """The objective of tuning: a criterion at some rates, its constraints, and the budget.

    Attributes:
        percentile_ppm: the percentile of latency.
        rates_mrps: rates in thousandths of a request per second; if the rate is maximised, the ends
            of its range.
        weights: weight of each rate.
        most_requests: budget, in simulated requests.
        pattern: arrival pattern; None: Poisson.
        validation_pattern: arrival pattern for validating tables; None: the same.
        recorded: the column of the trace with recorded arrivals, for both; None: generated.
        may_wait: whether a request may wait for another to leave.
        criterion: what to optimise.
        target_us, limit_us: limit of the percentile in the search, and in the validation, where it
            is at least as large; None without a limit.
        target_by_rate_us: replaces target_us at each rate; empty: no replacement.
        optional_rules: rules that a tuned table may use.
        batch_timing: times of batch work next to requests; None without batch work.
        objectives: constraints on other percentiles at every rate.
    """

    percentile_ppm: int
    rates_mrps: tuple[int, ...]
    weights: tuple[int, ...]
    most_requests: int
    pattern: Pattern | None = None
    validation_pattern: Pattern | None = None
    recorded: ArrivalColumn | None = None
    may_wait: bool = True
    criterion: Criterion = Criterion.TAIL
    target_us: int | None = None
    limit_us: int | None = None
    target_by_rate_us: tuple[int, ...] = ()
    optional_rules: tuple[OptionalRule, ...] = ()
    batch_timing: BatchTiming | None = None
    objectives: tuple[TailConstraint, ...] = ()

    def __post_init__(self) -> None:
        keeps_latency = self.criterion is not Criterion.TAIL
        assert keeps_latency == (self.target_us is not None) == (self.limit_us is not None)
        assert (self.criterion is Criterion.BATCH) == (self.batch_timing is not None)
        assert len(self.rates_mrps) == len(self.weights) > 0
        assert all(weight > 0 for weight in self.weights)
        if self.criterion is Criterion.RATE:
            lowest_mrps, highest_mrps = self.rates_mrps
            assert lowest_mrps < highest_mrps

    @property
    def targets_us(self) -> tuple[int, ...]:
        """Limit of the latency percentile in the search for a table, at each rate [us]."""
        assert self.target_us is not None
        return self.target_by_rate_us or (self.target_us,) * len(self.rates_mrps)

    @property
    def or_fewer_rates(self) -> str:
        """The end of a hint that fewer rates also help, if there are several."""
        several = len(self.rates_mrps) > 1 and self.criterion is not Criterion.RATE
        return ", or give fewer rates" if several else ""

    @property
    def arrivals(self) -> tuple[Arrivals, ...]:
        """The arrival processes of the tuning replays, one for each rate."""
        return tuple(self.arrivals_at(rate_mrps) for rate_mrps in self.rates_mrps)

    @property
    def judging(self) -> TuningObjective:
        """The same objective, but with the arrivals of the validation of tables."""
        return (
            self
            if self.validation_pattern is None
            else replace(self, pattern=self.validation_pattern)
        )

    def arrivals_at(self, rate_mrps: int) -> Arrivals:
        """The arrival process for which tables are tuned, at an arrival rate [1/1000 s].

        If arrivals are recorded, the recording must have been read.
        """
        assert self.recorded is None or self.validation_pattern is not None
        return Poisson(rate_mrps) if self.pattern is None else self.pattern.with_rate(rate_mrps)
