"""Replay plans of sharing SMT cores on one sample: the same requests at the same times."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from statistics import fmean

from tailc.experiment.experiment import Experiment
from tailc.experiment.options import VerifyOptions
from tailc.experiment.replications import Replication, Replications
from tailc.experiment.scenario import scenario_for
from tailc.experiment.server_use import is_overloaded
from tailc.experiment.sizes import PLAN
from tailc.experiment.tail_sample import Tail
from tailc.forms.ladder.lanes import (
    AT_ONCE_AWAKE,
    Lanes,
    SharingPlan,
    Waking,
    lane_ladder,
    plan_at_any_load,
)
from tailc.models.arrivals import Poisson
from tailc.models.outcome import NS_PER_US, nearest_us
from tailc.models.smt.baselines.no_batch import no_batch
from tailc.models.smt.model import Smt
from tailc.models.smt.outcome import SmtOutcome
from tailc.order_statistics import rank_limits
from tailc.percentiles import PPM, percentile_rank
from tailc.traces.profile import DemandProfile

# The tail of an overloaded server, which grows without end.
NO_END_US = 1 << 60


@dataclass(frozen=True)
class PlanMeasurement:
    """Results of replaying a plan of sharing cores at one rate.

    low_us, high_us: 95 % limits of the tail, as if latencies were independent; `high_us` is None if
    the design trace is too small. given_up_us: batch work given up per request. batch_ppm: batch
    work per core, relative to that next to a hardware thread without requests.
    """

    tail_us: int
    low_us: int
    high_us: int | None
    mean_us: int
    given_up_us: int
    batch_ppm: int

    @property
    def is_overloaded(self) -> bool:
        """Whether the server is overloaded, so that no percentile of latency exists."""
        return self.tail_us == NO_END_US

    @property
    def tail_or_none_us(self) -> int | None:
        """Measured tail latency [us]; None if the server is overloaded."""
        return None if self.is_overloaded else self.tail_us


_OVERLOADED = PlanMeasurement(NO_END_US, NO_END_US, None, NO_END_US, NO_END_US, 0)


class PlanSample:
    """A sample of design requests to replay plans of sharing cores on.

    `seed` determines requests and arrivals.
    """

    def __init__(
        self,
        profile: DemandProfile,
        percentile_ppm: int,
        seed: int,
        workers: Executor,
        waking: Waking = AT_ONCE_AWAKE,
    ) -> None:
        self._profile = profile
        self._tail = Tail(percentile_ppm)
        self._waking = waking
        self._options = VerifyOptions(
            requests_per_replay=PLAN.requests, repeats=PLAN.repeats, seed=seed
        )
        self._workers = workers
        self._experiments: dict[int, Experiment] = {}
        self.evaluations = 0

    def measure(self, lanes: Lanes, plan: SharingPlan, rate_mrps: int) -> PlanMeasurement:
        """Replay a plan of sharing cores on SMT cores with these lanes, at one rate."""
        return self._measure(
            Smt("plan", (lane_ladder(lanes, plan),), waking=self._waking), rate_mrps
        )

    def _measure(self, subject: Smt, rate_mrps: int) -> PlanMeasurement:
        self.evaluations += 1
        lanes = subject.lanes
        experiment = self._experiment(subject, rate_mrps)
        repeated = experiment.replay_repeats(subject, (self._tail,), _outcome_of)
        if is_overloaded(experiment.scenario.arrivals, repeated.results):
            return _OVERLOADED
        total = self._profile.total_weight
        limits = rank_limits(self._tail.percentile_ppm, total)
        sorted_ns = repeated.law_ns[0]

        def latency_us(rank: int) -> int:
            return nearest_us(
                int(sorted_ns[percentile_rank(rank * PPM // total, len(sorted_ns)) - 1])
            )

        (tail_us,) = repeated.tails_us
        return PlanMeasurement(
            tail_us,
            min(latency_us(max(limits.low, 1)), tail_us),
            limits.high and max(latency_us(limits.high), tail_us),
            nearest_us(round(float(sorted_ns.mean()))),
            round(fmean(_given_up_ns(one, lanes) for one in repeated.results) / NS_PER_US),
            _batch_ppm(repeated.results, lanes),
        )

    def _experiment(self, subject: Smt, rate_mrps: int) -> Experiment:
        """The experiment at a rate: the same requests at the same times for every plan."""
        workload = subject.workload(self._profile)
        if rate_mrps not in self._experiments:
            scenario = scenario_for(workload, Poisson(rate_mrps), self._options, subject)
            self._experiments[rate_mrps] = Experiment(scenario, PLAN.repeats, 0, self._workers)
        return self._experiments[rate_mrps].with_workload(workload)

    def replications(self, rate_mrps: int) -> Replications:
        """The random numbers of the replays at a rate, at which some plan was measured before."""
        return self._experiments[rate_mrps].replications

    def alone(self, lanes: Lanes, rate_mrps: int) -> PlanMeasurement:
        """Replay requests at one rate without batch work."""
        return self._measure(no_batch(lanes, self._waking), rate_mrps)

    def measure_shared(self, lanes: Lanes, rate_mrps: int) -> PlanMeasurement:
        """Replay requests that share their cores with batch work all the time."""
        return self.measure(lanes, plan_at_any_load(None, lanes.cores), rate_mrps)


def _batch_ppm(repeats: Sequence[SmtOutcome], lanes: Lanes) -> int:
    """Mean batch work per core over replications, relative to that next to a free core."""
    given_up = fmean(one.mean_power + lanes.lost_waking(*one.mean_waking) for one in repeats)
    return PPM - round(given_up * PPM / lanes.cores)


def _given_up_ns(outcome: SmtOutcome, lanes: Lanes) -> float:
    """Batch work given up per request, including that lost while lanes wake up [ns]."""
    return outcome.mean_energy + outcome.by_request(lanes.lost_waking(*outcome.mean_waking))


def _outcome_of(one: Replication, outcome: SmtOutcome) -> SmtOutcome:  # noqa: ARG001 - called with both
    return outcome
