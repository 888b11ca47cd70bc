"""Trials of tables on the replay: the same requests at the same times for every table."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.pipeline.queue.scene import Scene
from tailc.replay.clairvoyant.server import SharedServer
from tailc.replay.clairvoyant.tail import clairvoyant_tail_ns
from tailc.replay.outcome import Outcome, nearest_us, replay
from tailc.replay.subject import Subject, table_of
from tailc.verify.setting import Draw, Setting, draw

# A table under which so many requests pile up, and so many for each core, is given up.
_MOST_IN_SYSTEM, _MOST_PER_CORE = 256, 32
# What is given up counts as so many times what its requests waited until then.
_GIVEN_UP = 10
# Replays that a schedule with all sizes known is searched on: it takes long on a full server.
_REFERENCES = 2


@dataclass(frozen=True, eq=False)
class _Drawn:
    setting: Setting
    repeats: tuple[Draw, ...]


class Trials:
    """Replays of some scenes; `seed` makes times and order.

    Each of them has `repeats` replays of `requests` requests.
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
    ) -> None:
        most = _MOST_IN_SYSTEM + _MOST_PER_CORE * cores
        self._percentile_ppm = percentile_ppm
        self._workers = workers
        self._scenes: list[_Drawn] = []
        for scene in scenes:
            setting = Setting(scene.load, scene.arrivals, requests, most, seed)
            self._scenes.append(_Drawn(setting, draw(setting, repeats, 0, workers).repeats))

    @property
    def requests(self) -> int:
        """Simulated for each table."""
        return sum(len(one.arrival_ns) for scene in self._scenes for one in scene.repeats)

    def tails_us(self, tables: Sequence[Ladder]) -> NDArray[np.int64]:
        """int64 (tables, scenes, repeats): the percentile of each replay."""
        asked = [(table, scene) for table in tables for scene in self._scenes]
        found = list(self._workers.map(self._tails_us, asked))
        return np.array(found, np.int64).reshape(len(tables), len(self._scenes), -1)

    def clairvoyant_us(self, server: SharedServer) -> NDArray[np.int64]:
        """int64 (scenes,): what a schedule reaches that knows all sizes, in the mean of replays."""
        few = slice(_REFERENCES)
        asked = [(server, scene, one) for scene in self._scenes for one in scene.repeats[few]]
        found = np.array(list(self._workers.map(self._clairvoyant_us, asked)))
        means = found.reshape(len(self._scenes), -1).mean(axis=1)
        return np.rint(means).astype(np.int64)

    def _clairvoyant_us(self, asked: tuple[SharedServer, _Drawn, Draw]) -> int:
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

    def _tails_us(self, asked: tuple[Ladder, _Drawn]) -> list[int]:
        table, scene = asked
        setting = scene.setting
        lowered = table_of(
            Subject("table", (table,)), setting.arrivals.rate_mrps, setting.most_in_system
        )
        outcomes = (
            replay(
                setting.load,
                one.order,
                one.arrival_ns,
                lowered,
                setting.most_in_system,
                setting.warm_up(len(one.order)),
            )
            for one in scene.repeats
        )
        return [self._tail_us(outcome) for outcome in outcomes]

    def _tail_us(self, outcome: Outcome) -> int:
        tail_us = nearest_us(outcome.tail_ns(self._percentile_ppm))
        if not outcome.was_cut_off:
            return tail_us
        return tail_us * _GIVEN_UP * len(outcome.latency_ns) // max(outcome.arrived, 1)
