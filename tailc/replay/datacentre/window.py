"""Days of jobs and of energy, cut from logs into windows that a replay runs through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.forecasts.days import Energy
from tailc.replay.datacentre.jobs import Submitted
from tailc.replay.datacentre.site import PPM, Supply
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import window as part_of


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

    def submitted(self) -> tuple[Submitted, ...]:
        """The jobs as a rigid replay takes them; none asks for green slots where none was drawn."""
        log = self.jobs
        green = np.zeros_like(log.width) if log.green_percent is None else log.green_percent
        columns = (log.number, log.submit_s, log.run_s, log.width, green * (PPM // 100))
        return tuple(
            Submitted(*row) for row in zip(*(one.tolist() for one in columns), strict=True)
        )


def windows(log: JobLog, energy: Energy, epochs: int) -> tuple[Window, ...]:
    """Windows of so many epochs, one after the other, that have jobs and energy that is known.

    The log's start falls together with that of the energy, whenever either was.
    """
    length_s = epochs * energy.power.step_s
    last_s = int(log.submit_s[-1]) if log.jobs else -1
    count = min(energy.power.steps // epochs, last_s // length_s + 1)
    found = []
    for number in range(count):
        within = slice(number * epochs, (number + 1) * epochs)
        has_jobs = bool(((log.submit_s // length_s) == number).any())
        if has_jobs and energy.is_known(within):
            jobs = part_of(log, number * length_s, length_s)
            start_unix_s = energy.power.start_unix_s + number * length_s
            expected = Expected(energy, number * epochs, epochs)
            supply = Supply(*energy.brought(within))
            found.append(Window(start_unix_s, jobs, supply, expected))
    return tuple(found)
