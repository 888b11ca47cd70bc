"""What becomes of held-out requests under NEW: which run otherwise, and how latency changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass

from tailc.artifact.envelope import Policy
from tailc.diff.change import PairedChange, compare
from tailc.diff.decisions import Asked, Decisions, asked, decisions, incomparable
from tailc.diff.paired import Replays
from tailc.errors import Code, Finding, TailcError
from tailc.experiment.compatibility import unfit_for
from tailc.experiment.estimate import Tail
from tailc.experiment.load import is_overloaded
from tailc.experiment.options import VerifyOptions
from tailc.experiment.setting import draw, setting_for, settling
from tailc.experiment.spectrum import spectrum_tails
from tailc.experiment.subjects import subject_of, tail_of
from tailc.forms.ladder.lanes import is_on_lanes
from tailc.models.arrivals import Arrivals, Poisson
from tailc.models.subject import is_on_cores, workload_for
from tailc.threads import thread_count
from tailc.traces.profile import DemandProfile
from tailc.units import format_percentile

# Percentiles that are told whatever the policies promise.
_ALWAYS_PPM = (500_000, 990_000)
# Replays of OLD in which NEW is asked: their number of requests makes a share's noise negligible.
_ASKED_REPEATS = 8
# Quantities after the percentiles, as they are compared, with their units.
_MEANS = [("mean latency", "us"), ("threads", "milli"), ("utilization", "ppm")]
# Of policies on whole cores, in their unit of power times microseconds.
_ENERGY = ("mean energy", "power_us")
# Of policies on lanes of a core: what a request draws is batch work that is given up for it.
_GIVEN_UP = ("batch work given up", "us")


@dataclass(frozen=True)
class Quantity:
    """A percentile or a mean, and how it changes; `unit` is that of its whole numbers."""

    name: str
    unit: str
    change: PairedChange


@dataclass(frozen=True)
class Point:
    """Every quantity under one arrival process; overload leaves no percentile to compare.

    spectrum: percentiles [ppm] of latency, ascending, only where pictures were asked for.
    """

    arrivals: str
    rate_mrps: int
    old_is_overloaded: bool
    new_is_overloaded: bool
    quantities: tuple[Quantity, ...]
    spectrum: tuple[tuple[int, PairedChange], ...] = ()


@dataclass(frozen=True)
class Behaviour:
    """What was replayed, which requests would run otherwise, and what changes for all."""

    held_out_digest: str
    held_out_requests: int
    seed: int
    requests_per_replay: int
    replicates: int
    decisions: Decisions
    points: tuple[Point, ...]
    cut_off_us: int | None = None


def behaviour(
    old: Policy, new: Policy, held_out: DemandProfile, options: VerifyOptions
) -> Behaviour:
    """Replay both policies on the same requests at the same times.

    Arrivals are those of the options, else Poisson at the rates of `new`, else of `old`. Raises
    TailcError where there is no rate, or the requests do not fit either policy.
    """
    _check(old, new, held_out, options)
    arrivals = _arrivals(old, new, options)
    with ThreadPoolExecutor(thread_count(options.threads)) as workers:
        bench = _Bench(old, new, held_out, options, workers, len(arrivals))
        points = [bench.point(one) for one in arrivals]
        told = bench.decisions()
    return Behaviour(
        held_out.digest,
        held_out.total_weight,
        options.seed,
        options.requests_for(held_out.total_weight),
        options.replicates,
        told,
        tuple(points),
        options.cut_off_us,
    )


class _Bench:
    """Two policies on the same requests."""

    def __init__(
        self,
        old: Policy,
        new: Policy,
        held_out: DemandProfile,
        options: VerifyOptions,
        workers: Executor,
        points: int,
    ) -> None:
        self._options = options
        self._workers = workers
        self._subjects = subject_of(old, held_out), subject_of(new, held_out)
        self._ladders = [ladder for subject in self._subjects for ladder in subject.ladders]
        old_load, new_load = (workload_for(held_out, subject) for subject in self._subjects)
        self._loads = old_load, new_load
        self._tails = _tails(old, new, held_out, options.also_told_ppm)
        self._spectrum: tuple[Tail, ...] = ()
        if options.pictured:
            promised_ppm = [slo.percentile_ppm for slo in (*old.slos, *new.slos)]
            self._spectrum = spectrum_tails(promised_ppm, held_out.total_weight)
        self._slowest = max((subject.steering for subject in self._subjects), key=settling)
        self._tick = _progress(points, options)
        self._unasked = incomparable(*self._subjects)
        self._asked: list[Asked | None] = []

    def point(self, arrivals: Arrivals) -> Point:
        """Every quantity under one arrival process."""
        options = self._options
        clocks = self._subjects[0].clocks or self._subjects[1].clocks
        setting = setting_for(
            self._loads[0], arrivals, self._ladders, options, self._slowest, clocks
        )
        draws = draw(setting, options.repeats, options.replicates, self._workers)
        replays = Replays(setting, self._subjects, self._loads)
        tails = (*self._tails.values(), *self._spectrum)
        found = compare(replays, draws, tails, self._workers, self._tick)
        named, shown = len(self._tails), len(tails)
        quantities = (*found.changes[:named], *found.changes[shown:])
        spectrum = zip(self._spectrum, found.changes[named:shown], strict=True)
        old, new = zip(*found.pairs, strict=True)
        if not self._unasked:
            asks = draws.repeats[:_ASKED_REPEATS], old[:_ASKED_REPEATS]
            self._asked.append(asked(replays, *asks, self._subjects, self._workers))
        return Point(
            arrivals.name,
            arrivals.rate_mrps,
            is_overloaded(arrivals, old),
            is_overloaded(arrivals, new),
            tuple(self._quantities(quantities, old[0].utilization, new[0].utilization)),
            tuple((tail.percentile_ppm, change) for tail, change in spectrum),
        )

    def decisions(self) -> Decisions:
        """What was asked at all points."""
        if self._unasked:
            return Decisions(unknown=self._unasked)
        rungs = self._subjects[1].ladders[0].rungs
        return decisions(self._asked, [rung.name for rung in rungs])

    def _quantities(
        self, changes: Sequence[PairedChange], *utilization: float | None
    ) -> Iterator[Quantity]:
        """Each by its name; where nothing limits a server, it has no utilization."""
        on_cores = all(map(is_on_cores, self._subjects))
        on_lanes = all(any(map(is_on_lanes, subject.ladders)) for subject in self._subjects)
        drawn = _GIVEN_UP if on_lanes else _ENERGY
        named = [(name, "us") for name in self._tails] + _MEANS + [drawn] * on_cores
        for (name, unit), change in zip(named, changes, strict=True):
            if unit != "ppm" or None not in utilization:
                yield Quantity(name, unit, change)


def _tails(
    old: Policy, new: Policy, held_out: DemandProfile, also_ppm: Sequence[int]
) -> dict[str, Tail]:
    """The median, the 99th percentile, those of either policy's SLOs and of others, by name."""
    promised = [tail_of(slo, held_out) for slo in (*old.slos, *new.slos)]
    tails = {*(Tail(ppm) for ppm in (*_ALWAYS_PPM, *also_ppm)), *promised}
    ordered = sorted(tails, key=lambda tail: (-1 if tail.curve is None else tail.curve,
                                              tail.percentile_ppm))  # fmt: skip
    return {_name(tail, held_out): tail for tail in ordered}


def _name(tail: Tail, held_out: DemandProfile) -> str:
    name = format_percentile(tail.percentile_ppm)
    return name if tail.curve is None else f"{name} of class {held_out.curve_names[tail.curve]}"


def _arrivals(old: Policy, new: Policy, options: VerifyOptions) -> Sequence[Arrivals]:
    if options.arrivals is not None:
        return options.arrivals
    return [Poisson(rate_mrps) for rate_mrps in sorted(set(new.rates_mrps or old.rates_mrps))]


def _check(old: Policy, new: Policy, held_out: DemandProfile, options: VerifyOptions) -> None:
    """Raise TailcError with every reason why the two cannot be replayed on these requests."""
    findings = [
        finding for policy in (old, new) for finding in unfit_for(policy, held_out, options)
    ]
    if any(
        ladder.overload and ladder.overload.shed_from for ladder in (*old.ladders, *new.ladders)
    ):
        message = "requests that a policy refuses have no latency to compare, request by request"
        hint = "compare without a trace, and verify each policy"
        findings.append(Finding(Code.METHOD_UNFIT, message, help=hint))
    if not _arrivals(old, new, options):
        findings.append(
            Finding(
                Code.USAGE,
                f"policy `{new.name}` was compiled for no arrival rate, and none is given",
                help="name rates to compare at, or state `rates` in the spec and compile again",
            )
        )
    if findings:
        raise TailcError(list(dict.fromkeys(findings)))


def _progress(points: int, options: VerifyOptions) -> Callable[[], None]:
    total = points * (options.repeats + options.replicates)
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if options.progress is not None:
            options.progress(done, total)

    return tick
