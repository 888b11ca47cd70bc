"""Compare a policy with its baselines on the same requests, for verdicts, tuning and reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.baseline_names import choose_baselines
from tailc.experiment.by_hand import best_by_hand
from tailc.experiment.experiment import Experiment, experiment_for, no_tick
from tailc.experiment.interval import (
    FEWEST_JUDGED,
    interval,
    more_requests,
    ruling,
    windows_met,
    windows_met_ppm,
)
from tailc.experiment.options import VerifyOptions
from tailc.experiment.point import Point, Run, SloEstimate
from tailc.experiment.replications import Replication
from tailc.experiment.ruling import Ruling
from tailc.experiment.server_use import ServerUse, load, never_keeps_up, server_use, usage_of
from tailc.experiment.sizes import BY_HAND_AT_MOST
from tailc.experiment.spectrum import estimates, spectrum, spectrum_tails
from tailc.experiment.spike import Spike
from tailc.experiment.spikes import (
    Stretch,
    TailMeasurement,
    measure_stretches,
    spikes,
    tail_measurement,
)
from tailc.experiment.tail_change import tail_change
from tailc.experiment.tail_sample import (
    Tail,
    TailSample,
    stretch_latencies,
    stretch_percentile_us,
    tail_of,
)
from tailc.models.arrivals import Arrivals
from tailc.models.execution_model import Subject
from tailc.models.named_baselines import FIRST
from tailc.models.occupancy import Counts, Occupancy
from tailc.models.outcome import Outcome
from tailc.models.server_load import Load
from tailc.models.workload import Workload
from tailc.specs.slo import Slo
from tailc.tasks.engine import results_of
from tailc.traces.profile import DemandProfile


def compare(
    subject: Subject,
    slos: Sequence[Slo],
    profile: DemandProfile,
    arrivals: Sequence[Arrivals],
    options: VerifyOptions,
    workers: Executor,
    *,
    by_cost: bool,
) -> tuple[Point, ...]:
    """Replay a policy and its baselines under each arrival process.

    by_cost: whether the best fixed setting is the cheapest one; only without named baselines.
    Raises TailcError for names that are not baselines of the policy.
    """
    workload = subject.workload(profile)
    requested = options.baselines
    if requested is None:
        requested = _default_names(
            subject, slos[0], profile, arrivals, options, workers, by_cost=by_cost
        )
    names = choose_baselines(requested, subject, workload)
    comparison = _PolicyComparison(
        subject,
        workload,
        tuple(slos),
        tuple(tail_of(slo, profile) for slo in slos),
        names,
        options.of_task,
    )
    if options.engine is not None:
        work = partial(_point_alone, comparison)
        return tuple(results_of(options.engine, work, arrivals, options.progress))
    tick = _progress(arrivals, 1 + len(names), options)
    return tuple(comparison.point(one, workers, tick) for one in arrivals)


def _point_alone(comparison: _PolicyComparison, arrivals: Arrivals) -> Point:
    with ThreadPoolExecutor(comparison.options.threads) as workers:
        return comparison.point(arrivals, workers, no_tick)


def _default_names(
    subject: Subject,
    slo: Slo,
    profile: DemandProfile,
    arrivals: Sequence[Arrivals],
    options: VerifyOptions,
    workers: Executor,
    *,
    by_cost: bool,
) -> tuple[str, ...]:
    """Names of the first default, the best settings by hand, and the policy without extras."""
    few = options.requests_for(profile.total_weight)
    if slo.request_class is None:
        few = min(few, BY_HAND_AT_MOST.requests)
    sized = replace(options, requests_per_replay=few, repeats=BY_HAND_AT_MOST.repeats)
    by_hand = best_by_hand(subject, profile, slo, arrivals, sized, workers, by_cost=by_cost)
    return (FIRST, *by_hand, *subject.without_extras)


@dataclass(frozen=True, eq=False)
class _PolicyComparison:
    """What is the same under every arrival process."""

    subject: Subject
    workload: Workload
    slos: tuple[Slo, ...]
    tails: tuple[Tail, ...]
    names: tuple[str, ...]
    options: VerifyOptions

    @cached_property
    def spectrum(self) -> tuple[Tail, ...]:
        """Percentiles that only pictures use."""
        if not self.options.pictured:
            return ()
        promised_ppm = [slo.percentile_ppm for slo in self.slos]
        return spectrum_tails(promised_ppm, self.workload.requests)

    @cached_property
    def measuring(self) -> TailMeasurement | None:
        """How to measure the tail under a changing rate; None if the machine measures none."""
        first = self.slos[0]
        return tail_measurement(self.subject, first.percentile_ppm, first.latency_us)

    def point(self, arrivals: Arrivals, workers: Executor, tick: Callable[[], None]) -> Point:
        """Replay the policy and every baseline under one arrival process."""
        experiment = experiment_for(
            self.options, self.workload, arrivals, workers, self.subject, tick=tick
        )
        search = experiment.search(self.tails[0], self.slos[0].latency_us)
        run, own = self._run(experiment, self.subject)
        others = tuple(
            self._baseline_run(
                experiment, self.subject.baseline(name, self.workload, search), run, own
            )
            for name in self.names
        )
        point = Point(arrivals.name, arrivals.rate_mrps, run, others)
        return point.with_ratios(self.options.other_power_ppm)

    def _baseline_run(
        self, experiment: Experiment, subject: Subject, policy: Run, own: Sequence[TailSample]
    ) -> Run:
        """The run of a baseline; own: the samples of the policy's run."""
        run, samples = self._run(experiment, subject)
        if policy.load.is_overloaded or run.load.is_overloaded:
            return run
        return replace(run, changes=tuple(map(tail_change, own, samples)))

    def _run(self, experiment: Experiment, subject: Subject) -> tuple[Run, Sequence[TailSample]]:
        """The run of a subject, and its sample for each SLO."""
        is_policy = subject is self.subject
        tails = (*self.tails, *self.spectrum)

        def extract(one: Replication, outcome: Outcome) -> _RepeatResult:
            is_pictured = self.options.pictured and is_policy
            cells = subject.occupancy_counts(outcome, one.order) if is_pictured else ()
            return self._repeat(experiment, subject, one, outcome, cells)

        repeats = experiment.replay_repeats(subject, tails, extract)
        samples = experiment.sample(subject, tails, repeats)
        promised, further = samples[: len(self.tails)], samples[len(self.tails) :]
        uses = [one.use for one in repeats.results]
        busy = load(experiment.scenario.arrivals, uses)
        by_slo = enumerate(zip(promised, self.slos, strict=True))
        run = Run(
            subject.name,
            subject.note,
            busy,
            tuple(
                _estimate(repeats.results, at, tail, slo, busy, self.options.comparisons)
                for at, (tail, slo) in by_slo
            ),
            usage_of(subject, uses),
            _stretch_us(repeats.results, self.tails),
            self._spikes(experiment.scenario.arrivals, repeats.results),
            spectrum(further) if is_policy else estimates(further),
            self._occupancy(repeats.results) if is_policy else (),
        )
        return run, promised

    def _repeat(
        self,
        experiment: Experiment,
        subject: Subject,
        one: Replication,
        outcome: Outcome,
        cells: tuple[Counts | None, ...],
    ) -> _RepeatResult:
        workload, arrivals = experiment.scenario.workload, experiment.scenario.arrivals
        curve = workload.curve_of[one.order[outcome.measured][outcome.served]]
        return _RepeatResult(
            server_use(subject, outcome, workload.work_ns[one.order]),
            tuple(
                windows_met(outcome, slo, None if tail.curve is None else curve == tail.curve)
                for slo, tail in zip(self.slos, self.tails, strict=True)
            ),
            tuple(
                tuple(
                    stretch_latencies(experiment.scenario, one, outcome, tail, stretch)
                    for tail in self.tails
                )
                for stretch in arrivals.stretches
            ),
            () if self.measuring is None else measure_stretches(arrivals, outcome, self.measuring),
            cells,
        )

    def _occupancy(self, repeats: Sequence[_RepeatResult]) -> tuple[Occupancy | None, ...]:
        if not self.options.pictured:
            return ()
        return self.subject.occupancy([one.cells for one in repeats])

    def _spikes(self, arrivals: Arrivals, repeats: Sequence[_RepeatResult]) -> tuple[Spike, ...]:
        if self.measuring is None:
            return ()
        return spikes(arrivals, [one.spikes for one in repeats], self.measuring)


@dataclass(frozen=True, eq=False)
class _RepeatResult:
    """The part of a repeat that is stored.

    windows: for each SLO, the number of its windows that met the target, and of all its windows.
    stretches_ns: for each stretch of the arrivals and each SLO, the latencies in it. spikes: for
    each stretch of a constant rate, the measurements in it. cells: for each ladder of the policy,
    how often requests were observed in each of its cells.
    """

    use: ServerUse
    windows: tuple[tuple[int, int], ...]
    stretches_ns: tuple[tuple[NDArray[np.int64], ...], ...]
    spikes: tuple[Stretch, ...]
    cells: tuple[Counts | None, ...]


def _estimate(
    repeats: Sequence[_RepeatResult],
    number: int,
    tail: TailSample,
    slo: Slo,
    busy: Load,
    comparisons: int,
) -> SloEstimate:
    """The estimate for one SLO, by its number; the ruling is one of several comparisons."""
    limits = interval(tail)
    wider = limits if comparisons == 1 else interval(tail, comparisons)
    says = ruling(wider, slo.latency_us, is_overloaded=busy.is_overloaded)
    if never_keeps_up([one.use for one in repeats]) and tail.held_out >= FEWEST_JUDGED:
        says = Ruling.FAIL
    asks = says is Ruling.UNDECIDED and not busy.is_overloaded
    return SloEstimate(
        estimate_us=limits.estimate_us,
        low_us=limits.low_us,
        high_us=limits.high_us,
        simulation_us=limits.simulation_us,
        ruling=says,
        more_requests=more_requests(wider, slo.latency_us, slo.percentile_ppm, tail.held_out)
        if asks
        else None,
        windows_met_ppm=windows_met_ppm(one.windows[number] for one in repeats),
    )


def _stretch_us(
    repeats: Sequence[_RepeatResult], tails: Sequence[Tail]
) -> tuple[tuple[int | None, ...], ...]:
    """Percentiles of the requests in each stretch of the arrivals, over all repeats."""
    return tuple(
        tuple(
            stretch_percentile_us([one.stretches_ns[stretch][number] for one in repeats], tail)
            for number, tail in enumerate(tails)
        )
        for stretch in range(len(repeats[0].stretches_ns))
    )


def _progress(
    arrivals: Sequence[Arrivals], subjects: int, options: VerifyOptions
) -> Callable[[], None]:
    if options.progress is None:
        return no_tick
    replays = [
        options.replicates + (1 if one.record_of is not None else options.repeats)
        for one in arrivals
    ]
    report, total, done = options.progress, subjects * sum(replays), 0

    def tick() -> None:
        nonlocal done
        done += 1
        report(done, total)

    return tick
