"""Days of jobs and of energy, cut from logs into windows that a replay runs through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tailc.forecasts.days import Energy
from tailc.models.datacentre.supply import Supply
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import window as part_of


class Curves(Protocol):
    """How the applications of a log speed up."""

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> Mapping[int, Mapping[int, int]]:
        """Of so many virtual machines, on so many servers, in millionths.

        Of a job that asks for so many servers, where there are so many; the fewest machines are
        those that it asks for, and they have a speed-up on `requested`.
        """
        ...


class NoCurves:
    """The speed-ups of days whose jobs are rigid: there are none."""

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> Mapping[int, Mapping[int, int]]:
        """Nobody asks for one."""
        raise ValueError(f"no speed-up is known of {application} on {requested} of {servers}")


@dataclass(frozen=True, eq=False)
class Expected:
    """What is expected at each epoch of a window; price and carbon are known beforehand.

    first: the window's first epoch on the grid of `energy`.
    """

    energy: Energy
    first: int
    epochs: int

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """Of the epochs from this one on; beyond the window's end all is 0."""
        known = min(epochs, self.epochs - epoch)
        at = self.first + epoch
        _green, price, carbon = self.energy.brought(slice(at, at + known))
        columns = (self.energy.expected_mw(at, known), price, carbon)
        return Supply(*(np.pad(one, (0, epochs - known)) for one in columns))


@dataclass(frozen=True, eq=False)
class Window:
    """Jobs, submitted from second 0 of the window on, and the energy that there was.

    start_unix_s: when the energy was.
    """

    start_unix_s: int
    jobs: JobLog
    supply: Supply
    expected: Expected


def windows(
    log: JobLog, energy: Energy, epochs: int, first: int = 0, stride: int | None = None
) -> tuple[Window, ...]:
    """Windows of so many epochs that have jobs and energy that is known.

    The first begins at epoch `first`, each other `stride` epochs after the one before; None: one
    after the other. Second 0 of the log is the start of the energy, whenever either was.
    """
    stride = stride or epochs
    epoch_s = energy.power.step_s
    found = []
    for at in range(first, energy.power.steps - epochs + 1, stride):
        within = slice(at, at + epochs)
        begin_s, length_s = at * epoch_s, epochs * epoch_s
        past, end = np.searchsorted(log.submit_s, [begin_s, begin_s + length_s])
        if past == end or not energy.is_known(within):
            continue
        supply = Supply(*energy.brought(within))
        start_unix_s = energy.power.start_unix_s + begin_s
        jobs = part_of(log, begin_s, length_s)
        found.append(Window(start_unix_s, jobs, supply, Expected(energy, at, epochs)))
    return tuple(found)
