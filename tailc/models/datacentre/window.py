"""Windows of time that a replay runs through, cut from a log of jobs and from energy data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tailc.forecasts.days import Energy
from tailc.models.datacentre.supply import Supply
from tailc.traces.jobs.log import JobLog
from tailc.traces.jobs.scaling import window as part_of


class SpeedupCurves(Protocol):
    """Interface: speed-ups of the applications in a log of malleable jobs, by number of servers."""

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> Mapping[int, Mapping[int, int]]:
        """Speed-ups of a job [1e-6], by number of virtual machines and then of servers.

        The job requests `requested` servers; `servers` exist. The smallest number of virtual
        machines is the requested one; it has a speed-up on `requested` servers.
        """
        ...


class NoSpeedupCurves:
    """Speed-up curves of rigid jobs, which have none."""

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> Mapping[int, Mapping[int, int]]:
        """Raise ValueError, because rigid jobs have no speed-ups."""
        raise ValueError(
            f"the speed-up of {application} on {requested} of {servers} servers is unknown"
        )


@dataclass(frozen=True, eq=False)
class WindowForecasts:
    """Forecasts of green energy made at each epoch of a window of days.

    Prices and CO2 are known in advance. energy: data of all days. first: number of the window's
    first epoch in `energy`. epochs: number of epochs of the window.
    """

    energy: Energy
    first: int
    epochs: int

    def ahead(self, epoch: int, epochs: int) -> Supply:
        """Forecast of the energy supply for some epochs of a window; 0 beyond the window's end.

        epoch: first epoch. epochs: number of epochs.
        """
        known = min(epochs, self.epochs - epoch)
        at = self.first + epoch
        _green, price, carbon = self.energy.actual_supply(slice(at, at + known))
        columns = (self.energy.expected_mw(at, known), price, carbon)
        return Supply(*(np.pad(one, (0, epochs - known)) for one in columns))


@dataclass(frozen=True, eq=False)
class JobWindow:
    """A window of days to replay: its jobs, the actual energy and the forecasts of energy.

    Jobs are submitted from second 0 of the window on. start_unix_s: start of the energy data.
    """

    start_unix_s: int
    jobs: JobLog
    supply: Supply
    expected: WindowForecasts


def windows(
    log: JobLog, energy: Energy, epochs: int, first: int = 0, stride: int | None = None
) -> tuple[JobWindow, ...]:
    """Cut windows of `epochs` epochs that have jobs and known energy.

    The first window begins at epoch `first`, each next one `stride` epochs later; None: `epochs`
    later. Second 0 of the job log is the start of the energy data, whatever their dates.
    """
    stride = stride or epochs
    epoch_s = energy.power.step_s
    cut = []
    for at in range(first, energy.power.steps - epochs + 1, stride):
        within = slice(at, at + epochs)
        begin_s, length_s = at * epoch_s, epochs * epoch_s
        past, end = np.searchsorted(log.submit_s, [begin_s, begin_s + length_s])
        if past == end or not energy.is_known(within):
            continue
        supply = Supply(*energy.actual_supply(within))
        start_unix_s = energy.power.start_unix_s + begin_s
        jobs = part_of(log, begin_s, length_s)
        cut.append(JobWindow(start_unix_s, jobs, supply, WindowForecasts(energy, at, epochs)))
    return tuple(cut)
