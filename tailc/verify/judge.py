"""The judge of a policy: its own emitted form, replayed on requests it was not compiled from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tailc.artifact.envelope import Policy
from tailc.errors import Finding, TailcError
from tailc.experiment.comparison import Point, Run, Verdict
from tailc.experiment.compatibility import check, is_compile_trace
from tailc.experiment.drift import drift_from
from tailc.experiment.energy_reference import reference, with_ratio
from tailc.experiment.estimate import (
    Tail,
    TailSample,
    repeated,
    sample,
    stretch_latencies,
    stretch_percentile_us,
    tried,
)
from tailc.experiment.interval import (
    FEWEST_JUDGED,
    interval,
    more_requests,
    ruling,
    windows_met,
    windows_met_ppm,
)
from tailc.experiment.load import Load, ServerUse, load, never_keeps_up, server_use
from tailc.experiment.loss import loss_of
from tailc.experiment.occupancy import Counts, traffic, traffic_counts
from tailc.experiment.options import VerifyOptions
from tailc.experiment.plot_data import Traffic
from tailc.experiment.policy_arrivals import arrivals_of
from tailc.experiment.ruling import Ruling
from tailc.experiment.setting import Draw, Draws, Setting, draw, setting_for, settling
from tailc.experiment.spectrum import estimates, spectrum, spectrum_tails
from tailc.experiment.spikes import Measuring, Spike, Stretch, measured, measuring, spikes
from tailc.experiment.subjects import subject_of, tail_of
from tailc.forms.controller import Controller
from tailc.forms.ladder.lanes import is_on_lanes
from tailc.forms.ladder.units import THREADS, shared_unit
from tailc.models.arrivals import Arrivals
from tailc.models.baselines import Search, Tried, baseline, check_name, chosen_names
from tailc.models.core_queues.usage import clock_use
from tailc.models.core_types.usage import control_use, core_use
from tailc.models.outcome import Outcome
from tailc.models.shared_cores.batch import batch_beside_shared, batch_use
from tailc.models.smt.usage import lane_use
from tailc.models.subject import Subject, workload_for
from tailc.specs.slo import Slo
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.verify.verdict import Verdicts

# Replays of each candidate where a baseline has to be searched.
SEARCH_REPEATS = 4


def verify(
    policy: Policy, held_out: DemandProfile, options: VerifyOptions | None = None
) -> Verdicts:
    """A verdict for every SLO under every arrival process, beside those of the baselines.

    Deterministic in the policy, the held-out requests and the options' seed. Raises TailcError when
    there is nothing to verify (no SLO, no rate), when the held-out trace is what the policy was
    compiled from, or when it lacks a degree or a class that the policy needs.
    """
    options = options or VerifyOptions()
    check(policy, held_out, options)
    arrivals = arrivals_of(policy) if options.arrivals is None else options.arrivals
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        drifted = workers.submit(drift_from, policy, held_out, options.seed)
        bench = _Bench(policy, held_out, options, workers, arrivals)
        points = tuple(bench.point(one) for one in arrivals)
    return Verdicts(
        policy_name=policy.name,
        generation=policy.generation,
        held_out_digest=held_out.digest,
        held_out_requests=held_out.total_weight,
        is_compile_trace=is_compile_trace(policy, held_out),
        seed=options.seed,
        requests_per_replay=options.requests_for(held_out.total_weight),
        replicates=options.replicates,
        slos=policy.slos,
        points=points,
        drift=drifted.result(),
        cut_off_us=options.cut_off_us,
        other_power_ppm=options.other_power_ppm,
        settling_requests=settling(policy.controller),
        shared=shared_unit(policy.ladders[0]) if policy.ladders else THREADS,
    )


class _Bench:
    """One policy beside its baselines, on the same requests."""

    def __init__(
        self,
        policy: Policy,
        held_out: DemandProfile,
        options: VerifyOptions,
        workers: Executor,
        arrivals: Sequence[Arrivals],
    ) -> None:
        self._policy = policy
        self._held_out = held_out
        self._options = options
        self._workers = workers
        self._subject = subject_of(policy, held_out)
        self._load = workload_for(held_out, self._subject)
        self._names = chosen_names(options.baselines, self._subject, self._load)
        _check_names(self._names, self._subject)
        self._tails = [tail_of(slo, held_out) for slo in policy.slos]
        first = policy.slos[0]
        self._spectrum: tuple[Tail, ...] = ()
        if options.pictured:
            promised_ppm = [slo.percentile_ppm for slo in policy.slos]
            self._spectrum = spectrum_tails(promised_ppm, held_out.total_weight)
        self._measuring = measuring(self._subject, first.percentile_ppm, first.latency_us)
        self._tick = _progress(arrivals, 1 + len(self._names), options)

    def point(self, arrivals: Arrivals) -> Point:
        """The policy and every baseline under one arrival process."""
        ours = self._subject
        setting = setting_for(
            self._load, arrivals, ours.ladders, self._options, ours.steering, ours.clocks
        )
        draws = draw(setting, self._options.repeats, self._options.replicates, self._workers)
        subjects = (self._subject, *self._baselines(setting))
        run, *theirs = (self._run(setting, draws, subject) for subject in subjects)
        base, other_ppm = reference(theirs), self._options.other_power_ppm
        return Point(
            arrivals.name,
            arrivals.rate_mrps,
            with_ratio(run, base, other_ppm),
            tuple(with_ratio(one, base, other_ppm) for one in theirs),
            base.subject if base is not None and base.cores is not None else None,
        )

    def _baselines(self, setting: Setting) -> Iterator[Subject]:
        search = search_for(setting, self._policy.slos[0], self._tails[0], self._workers)
        for name in self._names:
            yield baseline(name, self._subject, self._load, search)

    def _run(self, setting: Setting, draws: Draws, subject: Subject) -> Run:
        tails = (*self._tails, *self._spectrum)
        parts = (setting, draws, subject, tails, self._workers, self._tick)
        ladder = subject.ladders[0] if subject.ladders else None

        def keep(one: Draw, outcome: Outcome) -> _Kept:
            kept = _kept(setting, one, outcome, self._tails, self._policy.slos, self._measuring)
            batch = batch_beside_shared(outcome, ladder) if ladder is not None else None
            return replace(kept, met=self._met(subject, one, outcome), batch=batch)

        repeats = repeated(*parts, keep)
        found = sample(*parts, repeats)
        promised, further = found.tails[: len(self._tails)], found.tails[len(self._tails) :]
        busy = load(setting.arrivals, [one.use for one in repeats.kept])
        verdicts = tuple(
            _verdict(repeats.kept, number, tail, slo, busy)
            for number, (tail, slo) in enumerate(zip(promised, self._policy.slos, strict=True))
        )
        cores = [one.use.cores for one in repeats.kept if one.use.cores is not None]
        clocks = [one.use.clocks for one in repeats.kept if one.use.clocks is not None]
        lanes = [one.use.lanes for one in repeats.kept if one.use.lanes is not None]
        on_lanes = any(map(is_on_lanes, subject.ladders))
        losses = [one.use.losses for one in repeats.kept if one.use.losses is not None]
        batch = [one.batch for one in repeats.kept if one.batch is not None]
        return Run(
            subject.name,
            subject.note,
            busy,
            verdicts,
            _stretch_us(repeats.kept, self._tails),
            core_use(ladder, cores) if cores and not on_lanes else None,
            lane_use(subject, lanes) if on_lanes else None,
            control_use(cores) if isinstance(subject.steering, Controller) else None,
            self._spikes(setting.arrivals, repeats.kept),
            clock_use(clocks, subject.clocks) if subject.clocks is not None else None,
            loss_of(losses) if losses else None,
            batch_use(batch) if batch else None,
            spectrum(further) if subject is self._subject else estimates(further),
            self._traffic(repeats.kept),
        )

    def _met(self, subject: Subject, one: Draw, outcome: Outcome) -> tuple[Counts | None, ...]:
        """Where the policy's requests were met, for each of its ladders; only for pictures."""
        if not self._options.pictured or subject is not self._subject:
            return ()
        of = None if subject.ladder_of is None else subject.ladder_of[one.order]
        return tuple(
            traffic_counts(ladder, outcome, None if of is None else of == number)
            for number, ladder in enumerate(subject.ladders)
        )

    def _traffic(self, repeats: Sequence[_Kept]) -> tuple[Traffic | None, ...]:
        by_ladder = zip(*(one.met for one in repeats), strict=True)
        return tuple(
            traffic(ladder, met)
            for ladder, met in zip(self._subject.ladders, by_ladder, strict=False)
        )

    def _spikes(self, arrivals: Arrivals, repeats: Sequence[_Kept]) -> tuple[Spike, ...]:
        if self._measuring is None:
            return ()
        return spikes(arrivals, [one.spikes for one in repeats], self._measuring)


@dataclass(frozen=True, eq=False)
class _Kept:
    """What is kept of a repeat.

    windows: for each SLO, how many of its windows met the target, and how many there are.
    stretches_ns: for each stretch of the arrivals and each SLO, the latencies in it.
    spikes: for each stretch of a constant rate, what was measured in it.
    met: for each ladder of the policy, how often a request was met in each of its cells.
    batch: as `batch_beside_shared` has it.
    """

    use: ServerUse
    windows: tuple[tuple[int, int], ...]
    stretches_ns: tuple[tuple[NDArray[np.int64], ...], ...]
    spikes: tuple[Stretch, ...]
    met: tuple[Counts | None, ...] = ()
    batch: float | None = None


def _kept(
    setting: Setting,
    one: Draw,
    outcome: Outcome,
    tails: Sequence[Tail],
    slos: Sequence[Slo],
    by: Measuring | None,
) -> _Kept:
    stretches_ns = tuple(
        tuple(stretch_latencies(setting, one, outcome, tail, stretch) for tail in tails)
        for stretch in setting.arrivals.stretches
    )
    curve = setting.load.curve_of[one.order[outcome.measured][outcome.served]]
    windows = tuple(
        windows_met(outcome, slo, None if tail.curve is None else curve == tail.curve)
        for slo, tail in zip(slos, tails, strict=True)
    )
    seen = () if by is None else measured(setting.arrivals, outcome, by)
    return _Kept(server_use(setting, one, outcome), windows, stretches_ns, seen)


def search_for(setting: Setting, slo: Slo, tail: Tail, workers: Executor) -> Search:
    """How a baseline with something to choose is chosen, under the arrivals of the setting."""

    def once(subject: Subject) -> Tried:
        return tried(setting, subject, tail, SEARCH_REPEATS, workers)

    return Search(once, slo.percentile_ppm, slo.latency_us)


def _verdict(
    repeats: Sequence[_Kept], number: int, tail: TailSample, slo: Slo, busy: Load
) -> Verdict:
    """At SLO number `number`."""
    limits = interval(tail)
    says = ruling(limits, slo.latency_us, is_overloaded=busy.is_overloaded)
    if never_keeps_up([one.use for one in repeats]) and tail.held_out >= FEWEST_JUDGED:
        says = Ruling.FAIL
    asks = says is Ruling.UNDECIDED and not busy.is_overloaded
    return Verdict(
        estimate_us=limits.estimate_us,
        low_us=limits.low_us,
        high_us=limits.high_us,
        simulation_us=limits.simulation_us,
        ruling=says,
        more_requests=more_requests(limits, slo.latency_us, slo.percentile_ppm, tail.held_out)
        if asks
        else None,
        windows_met_ppm=windows_met_ppm(one.windows[number] for one in repeats),
    )


def _stretch_us(
    repeats: Sequence[_Kept], tails: Sequence[Tail]
) -> tuple[tuple[int | None, ...], ...]:
    """The percentiles of the requests of each stretch of the arrivals, over all repeats."""
    return tuple(
        tuple(
            stretch_percentile_us([one.stretches_ns[stretch][number] for one in repeats], tail)
            for number, tail in enumerate(tails)
        )
        for stretch in range(len(repeats[0].stretches_ns))
    )


def _check_names(names: Sequence[str], subject: Subject) -> None:
    """Raise TailcError with every name that is no baseline of this policy."""
    findings: list[Finding] = []
    for name in names:
        try:
            check_name(name, subject)
        except TailcError as error:
            findings += error.findings
    if findings:
        raise TailcError(findings)


def _progress(
    arrivals: Sequence[Arrivals], subjects: int, options: VerifyOptions
) -> Callable[[], None]:
    replays = [
        options.replicates + (1 if one.record_of is not None else options.repeats)
        for one in arrivals
    ]
    total, done = subjects * sum(replays), 0

    def tick() -> None:
        nonlocal done
        done += 1
        if options.progress is not None:
            options.progress(done, total)

    return tick
