"""Verdict on measured latencies: for each SLO the measurement, its ruling, and the prediction."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from tailc.errors import ExitCode
from tailc.experiment.ruling import Ruling
from tailc.percentiles import PPM
from tailc.specs.slo import Slo
from tailc.verify.measured.arrivals import ArrivalComparison
from tailc.verify.measured.execution import ExecutionComparison
from tailc.verify.verdict import Verdicts

# Smaller differences of a percentile do not matter, as those of thread times and rates.
_LEAST_DIFFERENCE_PPM = 50_000


class Agreement(enum.Enum):
    """Whether the measurement and the prediction agree.

    AGREE: their 95 % intervals overlap, or they differ by at most 5 %. UNDECIDED: they overlap, but
    one of them has no upper limit, or the prediction is of an overloaded server.
    """

    AGREE = "agree"
    DIFFER = "differ"
    UNDECIDED = "undecided"


class ModelPart(enum.Enum):
    """A part of the replay's model that measurements on a server can contradict.

    DEMAND: it differs from the demand of the compile. ARRIVALS: they differ from those of the
    replay. TICKS: the scheduler checked ages late. SECOND_THREADS: threads beyond the first did not
    work. SPEEDUPS: threads did less work than in the replay, or more.
    """

    DEMAND = "demand"
    ARRIVALS = "arrivals"
    TICKS = "ticks"
    SECOND_THREADS = "second-threads"
    SPEEDUPS = "speed-ups"


@dataclass(frozen=True)
class TailLimits:
    """An estimated percentile of latency with its limits at 95 %; high_us None: no upper limit."""

    estimate_us: int
    low_us: int
    high_us: int | None

    def __post_init__(self) -> None:
        assert self.low_us <= self.estimate_us
        assert self.high_us is None or self.estimate_us <= self.high_us

    def is_above(self, other: TailLimits) -> bool:
        """Whether the whole interval is above the whole interval of the other percentile."""
        return other.high_us is not None and self.low_us > other.high_us


@dataclass(frozen=True)
class MeasuredSlo:
    """The measured percentile for an SLO, its ruling, and the percentile that a replay predicts."""

    slo: Slo
    ruling: Ruling
    measured: TailLimits
    predicted: TailLimits
    is_overloaded: bool

    @property
    def agreement(self) -> Agreement:
        """Whether the measured percentile and the predicted one agree within their intervals."""
        if self.is_overloaded:
            return Agreement.UNDECIDED
        if self.measured.is_above(self.predicted) or self.predicted.is_above(self.measured):
            return Agreement.DIFFER if self._differs_much else Agreement.AGREE
        is_open = self.measured.high_us is None or self.predicted.high_us is None
        return Agreement.UNDECIDED if is_open else Agreement.AGREE

    @property
    def _differs_much(self) -> bool:
        """Whether the difference matters; intervals of fixed demands may have no width."""
        return self.difference_ppm is None or abs(self.difference_ppm) > _LEAST_DIFFERENCE_PPM

    @property
    def difference_ppm(self) -> int | None:
        """The measured percentile relative to the predicted one, minus 1 [1e-6]; None if open."""
        if self.is_overloaded or not self.predicted.estimate_us:
            return None
        return round(PPM * (self.measured.estimate_us / self.predicted.estimate_us - 1))


@dataclass(frozen=True)
class MeasuredVerdicts:
    """The verdicts on measured latencies, and the replay that predicts them at one arrival process.

    requests: number of measured latencies. arrivals: None if the measurement has no times of
    arrivals. execution: None if it has no times of threads, or the replay has other demands.
    """

    requests: int
    replay: Verdicts
    slos: tuple[MeasuredSlo, ...]
    arrivals: ArrivalComparison | None = None
    execution: ExecutionComparison | None = None

    @property
    def deviating(self) -> tuple[ModelPart, ...]:
        """The parts of the replay's model that the measured data contradict."""
        drift, arrivals = self.replay.drift, self.arrivals
        are_flagged = {
            ModelPart.DEMAND: drift is not None and drift.is_flagged,
            ModelPart.ARRIVALS: arrivals is not None and arrivals.is_flagged,
        }
        flagged = [part for part, is_flagged in are_flagged.items() if is_flagged]
        return (*flagged, *self._executed_otherwise(ModelPart.ARRIVALS in flagged))

    def _executed_otherwise(self, has_other_load: bool) -> tuple[ModelPart, ...]:
        """The part of the model that explains why requests were executed otherwise.

        Under other arrivals the load is another one, and with it threads, so only late ticks count.
        A sample of the requests does not show the arrivals, so the load is unknown.
        """
        execution = self.execution
        if execution is None or not execution.deviates:
            return ()
        if execution.has_late_climbs:
            return (ModelPart.TICKS,)
        if has_other_load or execution.is_sample:
            return ()
        return (ModelPart.SECOND_THREADS if execution.lacks_threads else ModelPart.SPEEDUPS,)

    @property
    def ruling(self) -> Ruling:
        """Fail if any SLO is missed, else undecided if any is, else pass."""
        rulings = {each.ruling for each in self.slos}
        return next((one for one in (Ruling.FAIL, Ruling.UNDECIDED) if one in rulings), Ruling.PASS)

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the process: 0 all pass, 1 an SLO is missed, 4 undecided."""
        return {
            Ruling.PASS: ExitCode.OK,
            Ruling.FAIL: ExitCode.MISSED,
            Ruling.UNDECIDED: ExitCode.UNDECIDED,
        }[self.ruling]
