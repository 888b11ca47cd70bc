"""Replays on which tables are measured: the same requests at the same times for every table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.experiment import Experiment
from tailc.experiment.scenario import Scenario
from tailc.experiment.tuning_objective import TailConstraint
from tailc.models.execution_model import Subject
from tailc.models.outcome import NS_PER_US, Outcome, nearest_us
from tailc.models.shared_cores.clairvoyant.server import SharedServer
from tailc.models.shared_cores.clairvoyant.tail import clairvoyant_tail_ns
from tailc.tuning.operating_point import OperatingPoint

# A replay ends as overloaded with more requests in the system than the sum of a constant and this
# number for each core.
_MOST_IN_SYSTEM, _MOST_PER_CORE = 256, 32
# Factor on the latencies and energies of a replay that ended early.
_GIVEN_UP = 10
# Tables whose replays are kept, in case the same sample is to measure them again.
_REMEMBERED = 64
Form = TypeVar("Form")


@dataclass(frozen=True, eq=False)
class Measurements:
    """Results of replays of several tables; arrays are (tables, points, repeats).

    A point is an operating point, such as an arrival rate.

    Attributes:
        tail_us: the latency percentile, int64.
        energy: energy of a request, including that of free cores, in units of power times
            nanoseconds, float64; None if rungs have neither power nor batch work.
        closest: the largest ratio of a percentile to its limit over further objectives, float64;
            None without further objectives.
        gave_up: whether the replay was aborted because too many requests were waiting; its other
            values are then not valid, but are worse if it was aborted earlier. None: no replay was
            aborted.
    """

    tail_us: NDArray[np.int64]
    energy: NDArray[np.float64] | None
    closest: NDArray[np.float64] | None = None
    gave_up: NDArray[np.bool_] | None = None

    def is_overloaded(self, table: int, scene: int) -> bool:
        """Whether some replay of a table at an operating point was aborted.

        table, scene: number of the table, and of the operating point.
        """
        return self.gave_up is not None and bool(self.gave_up[table, scene].any())

    def keeps_objectives(self, table: int) -> bool:
        """Whether a table meets all further objectives, on average, at each operating point."""
        return self.closest is None or bool((self.closest[table].mean(axis=1) <= 1.0).all())

    def of_one(self, table_of_scene: NDArray[np.intp]) -> Measurements:
        """Combine results of several tables as if of one table that varies by operating point.

        table_of_scene: number of the table to use at each operating point, int (points,).
        """

        def of_scenes(values: NDArray) -> NDArray:
            return values[table_of_scene, np.arange(values.shape[1])][None]

        others = (self.energy, self.closest, self.gave_up)
        return Measurements(
            of_scenes(self.tail_us), *(None if each is None else of_scenes(each) for each in others)
        )

    def without_repeat(self, repeat: int) -> Measurements:
        """The results of all replays except one, at each operating point."""
        energy, closest = (
            None if one is None else np.delete(one, repeat, axis=2)
            for one in (self.energy, self.closest)
        )
        return Measurements(np.delete(self.tail_us, repeat, axis=2), energy, closest)


def most_in_system(cores: int) -> int:
    """Number of requests in the system at which a replay is aborted."""
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


class _Repeat(NamedTuple):
    tail_us: int
    energy: float | None
    closest: float | None
    gave_up: bool = False


@dataclass(frozen=True, eq=False)
class TuningSample(Generic[Form]):
    """The replays by which tables are compared: an experiment for each operating point.

    All tables get the same requests at the same times. subject_of: makes the policy that a replay
    of a table runs. objectives: constraints on further percentiles, by operating point.
    """

    experiments: tuple[Experiment, ...]
    objectives: tuple[tuple[TailConstraint, ...], ...]
    percentile_ppm: int
    subject_of: Callable[[Form], Subject]
    workers: Executor
    _known: dict[Form, list[_Repeat]] = field(default_factory=dict, init=False)

    @property
    def requests(self) -> int:
        """Number of requests that are simulated for each table."""
        repeats = [one for each in self.experiments for one in each.replications.repeats]
        return sum(len(one.arrival_ns) for one in repeats)

    def only(self, scenes: Sequence[int]) -> TuningSample[Form]:
        """The sample with only the operating points of these numbers."""
        return replace(
            self,
            experiments=tuple(self.experiments[one] for one in scenes),
            objectives=tuple(self.objectives[one] for one in scenes),
        )

    def tails_us(self, tables: Sequence[Form]) -> NDArray[np.int64]:
        """Replay tables; return latency percentiles [us], int64 (tables, points, repeats)."""
        return self.measure(tables).tail_us

    def measure(self, tables: Sequence[Form]) -> Measurements:
        """Replay tables and return all results; results of the last tables are reused."""
        new = [table for table in dict.fromkeys(tables) if table not in self._known]
        replayed = self._replay([self.subject_of(table) for table in new])
        self._known.update(zip(new, replayed, strict=True))
        found = [self._known[table] for table in tables]
        for table in list(self._known)[:-_REMEMBERED]:
            del self._known[table]
        return self._measurements(found)

    def measure_subjects(self, subjects: Sequence[Subject]) -> Measurements:
        """Replay policies or baselines and return all results; nothing is reused."""
        return self._measurements(self._replay(subjects))

    def _replay(self, subjects: Sequence[Subject]) -> list[list[_Repeat]]:
        """The replays of each subject, scene by scene."""
        scenes = list(zip(self.experiments, self.objectives, strict=True))
        cells = [(subject, *scene) for subject in subjects for scene in scenes]
        rows = self.workers.map(self._cell, cells)
        return [[one for _ in scenes for one in next(rows)] for _ in subjects]

    def _measurements(self, replayed: Sequence[list[_Repeat]]) -> Measurements:
        """replayed: of each table."""
        found = [one for replays in replayed for one in replays]
        shape = len(replayed), len(self.experiments), -1
        tail_us = np.array([one.tail_us for one in found], np.int64).reshape(shape)
        drawn = [one.energy for one in found if one.energy is not None]
        closest = [one.closest for one in found if one.closest is not None]
        energy, closest = (
            np.array(one).reshape(shape) if one else None for one in (drawn, closest)
        )
        gave_up = np.array([one.gave_up for one in found]).reshape(shape)
        return Measurements(tail_us, energy, closest, gave_up)

    def clairvoyant_us(self, server: SharedServer) -> NDArray[np.int64]:
        """Mean tail of a schedule that knows all sizes, at each point, int64 (points,) [us]."""
        found = [
            experiment.map_replays(
                lambda one, scenario=experiment.scenario: nearest_us(
                    clairvoyant_tail_ns(
                        scenario.workload,
                        one.order,
                        one.arrival_ns,
                        server,
                        self.percentile_ppm,
                        scenario.warm_up(len(one.order)),
                    )
                ),
                experiment.replications.repeats,
            )
            for experiment in self.experiments
        ]
        return np.rint(np.array(found).mean(axis=1)).astype(np.int64)

    def _cell(self, cell: tuple[Subject, Experiment, tuple[TailConstraint, ...]]) -> list[_Repeat]:
        """A subject in a scene, replay by replay."""
        subject, experiment, objectives = cell
        curve_of = experiment.scenario.workload.curve_of
        return [
            self._repeat(outcome, subject, _closest(outcome, curve_of[one.order], objectives))
            for one, outcome in experiment.outcomes(subject)
        ]

    def _repeat(self, outcome: Outcome, subject: Subject, closest: float | None) -> _Repeat:
        tail_us = nearest_us(outcome.tail_ns(self.percentile_ppm))
        energy = subject.cost_of_request(outcome)
        if not outcome.was_cut_off:
            return _Repeat(tail_us, energy, closest)
        sent, arrived = len(outcome.latency_ns), max(outcome.arrived, 1)
        worse_us = tail_us * _GIVEN_UP * sent // arrived
        energy, closest = (one and one * _GIVEN_UP * sent / arrived for one in (energy, closest))
        return _Repeat(worse_us, energy, closest, gave_up=True)


def tuning_sample(
    scenes: Sequence[OperatingPoint],
    percentile_ppm: int,
    cores: int,
    *,
    requests: int,
    repeats: int,
    seed: int,
    workers: Executor,
    subject_of: Callable[[Form], Subject],
) -> TuningSample[Form]:
    """Make the replays by which tables are compared, at some operating points."""
    most = most_in_system(cores)
    scenarios = [
        Scenario(one.load, one.arrivals, requests, most, seed, settling=one.settling)
        for one in scenes
    ]
    return TuningSample(
        tuple(Experiment(one, repeats, 0, workers).with_replications() for one in scenarios),
        tuple(scene.objectives for scene in scenes),
        percentile_ppm,
        subject_of,
        workers,
    )


def _closest(
    outcome: Outcome, curve_of: NDArray[np.int32], objectives: Sequence[TailConstraint]
) -> float | None:
    """As `Measurements` has it; `curve_of` is of all requests, as they came."""
    if not objectives:
        return None
    curve = curve_of[outcome.measured][outcome.served]
    return max(
        outcome.tail_ns(one.percentile_ppm, None if one.curve is None else curve == one.curve)
        / (one.latency_us * NS_PER_US)
        for one in objectives
    )
