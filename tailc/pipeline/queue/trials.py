"""Trials of tables on the replay: the same requests at the same times for every table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.setting import Draw, Draws, Setting, draw
from tailc.experiment.tuning_objective import Objective
from tailc.forms.ladder.lanes import is_on_lanes, lanes_of
from tailc.forms.ladder.table import Ladder
from tailc.models.outcome import Outcome, nearest_us
from tailc.models.run import replay
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.models.shared_cores.clairvoyant.server import SharedServer
from tailc.models.shared_cores.clairvoyant.tail import clairvoyant_tail_ns
from tailc.models.shared_cores.shared_power import drawn_of_shared
from tailc.models.subject import Subject, table_of
from tailc.pipeline.queue.scene import Scene

# A table under which so many requests pile up, and so many for each core, is given up.
_MOST_IN_SYSTEM, _MOST_PER_CORE = 256, 32
# What is given up counts as so many times what its requests waited until then.
_GIVEN_UP = 10
Form = TypeVar("Form")


@dataclass(frozen=True, eq=False)
class Seen:
    """What replays of some tables show, each (tables, scenes, repeats).

    tail_us: int64, the percentile. energy: float64, of a request, with what free cores draw in the
    time of one, in units of power times nanoseconds; None where rungs cost neither power nor
    batch work. closest: float64, the largest percentile of an objective over its latency; None
    where there are no objectives besides. gave_up: bool, whether so many requests piled up that the
    rest was not replayed: what is told then is no measure, but the worse the fewer there had come.
    None: nowhere.
    """

    tail_us: NDArray[np.int64]
    energy: NDArray[np.float64] | None
    closest: NDArray[np.float64] | None = None
    gave_up: NDArray[np.bool_] | None = None

    def is_overloaded(self, table: int, scene: int) -> bool:
        """Whether some replay of a table in a scene was given up."""
        return self.gave_up is not None and bool(self.gave_up[table, scene].any())

    def keeps_objectives(self, table: int) -> bool:
        """Whether a table keeps all of them in each scene, in the mean of replays."""
        return self.closest is None or bool((self.closest[table].mean(axis=1) <= 1.0).all())

    def without(self, repeat: int) -> Seen:
        """What all replays but one of each scene show."""
        energy, closest = (
            None if one is None else np.delete(one, repeat, axis=2)
            for one in (self.energy, self.closest)
        )
        return Seen(np.delete(self.tail_us, repeat, axis=2), energy, closest)


def on_ladder(table: Ladder) -> Subject:
    """What is replayed of a ladder."""
    return Subject("table", (table,))


def most_in_system(cores: int) -> int:
    """Where more requests pile up a replay is given up."""
    return _MOST_IN_SYSTEM + _MOST_PER_CORE * cores


class _Shown(NamedTuple):
    tail_us: int
    energy: float | None
    closest: float | None
    gave_up: bool = False


class Trials(Generic[Form]):
    """Replays of some scenes; `seed` makes times and order.

    Each of them has `repeats` replays of `requests` requests. `subject_of` says what is replayed of
    a table.
    """

    def __init__(
        self,
        scenes: Sequence[Scene],
        percentile_ppm: int,
        cores: int,
        *,
        requests: int,
        repeats: int,
        seed: int,
        workers: Executor,
        subject_of: Callable[[Form], Subject],
    ) -> None:
        most = most_in_system(cores)
        self._percentile_ppm = percentile_ppm
        self._workers = workers
        self._subject_of = subject_of
        self._objectives = [scene.objectives for scene in scenes]
        self._scenes: list[Draws] = []
        for scene in scenes:
            setting = Setting(scene.load, scene.arrivals, requests, most, seed)
            self._scenes.append(draw(setting, repeats, 0, workers))

    @property
    def requests(self) -> int:
        """Simulated for each table."""
        return sum(len(one.arrival_ns) for scene in self._scenes for one in scene.repeats)

    @property
    def draws(self) -> tuple[Draws, ...]:
        """What is replayed of each scene."""
        return tuple(self._scenes)

    def tails_us(self, tables: Sequence[Form]) -> NDArray[np.int64]:
        """int64 (tables, scenes, repeats): the percentile of each replay."""
        return self.seen(tables).tail_us

    def seen(self, tables: Sequence[Form]) -> Seen:
        """What each replay of each table shows."""
        return self.seen_of([self._subject_of(table) for table in tables])

    def seen_of(self, subjects: Sequence[Subject]) -> Seen:
        """What each replay of each subject shows; `Seen` has it as of tables."""
        scenes = list(zip(self._scenes, self._objectives, strict=True))
        asked = [(subject, *scene) for subject in subjects for scene in scenes]
        found = [one for row in self._workers.map(self._shown, asked) for one in row]
        shape = len(subjects), len(self._scenes), -1
        tail_us = np.array([one.tail_us for one in found], np.int64).reshape(shape)
        drawn = [one.energy for one in found if one.energy is not None]
        closest = [one.closest for one in found if one.closest is not None]
        energy, closest = (
            np.array(one).reshape(shape) if one else None for one in (drawn, closest)
        )
        gave_up = np.array([one.gave_up for one in found]).reshape(shape)
        return Seen(tail_us, energy, closest, gave_up)

    def clairvoyant_us(self, server: SharedServer) -> NDArray[np.int64]:
        """int64 (scenes,): what a schedule reaches that knows all sizes, in the mean of replays."""
        asked = [(server, scene, one) for scene in self._scenes for one in scene.repeats]
        found = np.array(list(self._workers.map(self._clairvoyant_us, asked)))
        means = found.reshape(len(self._scenes), -1).mean(axis=1)
        return np.rint(means).astype(np.int64)

    def _clairvoyant_us(self, asked: tuple[SharedServer, Draws, Draw]) -> int:
        server, scene, one = asked
        setting = scene.setting
        tail_ns = clairvoyant_tail_ns(
            setting.load,
            one.order,
            one.arrival_ns,
            server,
            self._percentile_ppm,
            setting.warm_up(len(one.order)),
        )
        return nearest_us(tail_ns)

    def _shown(self, asked: tuple[Subject, Draws, tuple[Objective, ...]]) -> list[_Shown]:
        subject, scene, objectives = asked
        setting = scene.setting
        lowered = table_of(subject, setting.arrivals.rate_mrps, setting.most_in_system)
        outcomes = (
            replay(
                setting.load,
                one.order,
                one.arrival_ns,
                lowered,
                setting.most_in_system,
                setting.warm_up(len(one.order)),
                subject.ladder_of,
            )
            for one in scene.repeats
        )
        return [
            self._shown_of(
                outcome, subject, _closest(outcome, setting.load.curve_of[one.order], objectives)
            )
            for outcome, one in zip(outcomes, scene.repeats, strict=True)
        ]

    def _shown_of(self, outcome: Outcome, subject: Subject, closest: float | None) -> _Shown:
        tail_us = nearest_us(outcome.tail_ns(self._percentile_ppm))
        energy = _energy(outcome, subject)
        if not outcome.was_cut_off:
            return _Shown(tail_us, energy, closest)
        sent, arrived = len(outcome.latency_ns), max(outcome.arrived, 1)
        worse_us = tail_us * _GIVEN_UP * sent // arrived
        energy, closest = (one and one * _GIVEN_UP * sent / arrived for one in (energy, closest))
        return _Shown(worse_us, energy, closest, gave_up=True)


def _closest(
    outcome: Outcome, curve_of: NDArray[np.int32], objectives: Sequence[Objective]
) -> float | None:
    """As `Seen` has it; `curve_of` is of all requests, as they came."""
    if not objectives:
        return None
    curve = curve_of[outcome.measured][outcome.served]
    return max(
        outcome.tail_ns(one.percentile_ppm, None if one.curve is None else curve == one.curve)
        / (one.latency_us * NS_PER_US)
        for one in objectives
    )


def _energy(outcome: Outcome, subject: Subject) -> float | None:
    if outcome.energy is None:
        return drawn_of_shared(outcome, subject.ladders[0])
    energy = outcome.mean_energy + outcome.mean_idle_energy
    on_lanes = [ladder for ladder in subject.ladders[:1] if is_on_lanes(ladder)]
    for ladder in on_lanes:
        energy += outcome.by_request(lanes_of(ladder).lost_waking(*outcome.mean_waking))
    return energy
