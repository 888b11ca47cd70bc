"""Windows of earlier jobs and earlier energy, on which rules for later jobs are compared.

Windows are as long as the plan, and begin whole days before it. The energy is that of the same
days, with the forecasts that were made then. Few days give more windows by combining the jobs of
one day with the energy of another, since jobs are submitted independently of the sun.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forecasts.days import MW_PER_W, Days, Energy
from tailc.models.datacentre.supply import Supply
from tailc.models.datacentre.window import JobWindow, WindowForecasts
from tailc.pipeline.days.days_of_spec import PERIODS_BEFORE
from tailc.traces.jobs.scaling import window as part_of
from tailc.traces.series.series import SECONDS_PER_DAY

MOST_WINDOWS = PERIODS_BEFORE
MOST_JOBS, MOST_RIGID_JOBS = 200, 2_000
"""Limits of the jobs in all windows together, so that a compile takes seconds."""


def past_windows(days: Days, servers: int, slowdown: float | None) -> tuple[JobWindow, ...]:
    """Combine earlier jobs with earlier energy to windows of days, newest first.

    Empty without earlier days. Jobs wider than `servers` are left out. The others get new numbers
    in each window, since numbers of a log may repeat. slowdown: the longest run time of a job
    relative to that of the log; each window then goes on until its jobs are done. None: jobs are
    rigid, and a window is as long as the horizon.
    """
    days = _with_fitting_jobs(days, servers)
    energy = _known_at_start(days)
    starts = _earlier_starts(days)
    suns = [first for first in starts if _is_forecast(energy, first)]
    submitted = [first for first in starts if _jobs_between(days, first)]
    pairs = [
        (sun, submitted[(at + shift) % len(submitted)])
        for shift in range(len(submitted))
        for at, sun in enumerate(suns)
    ]
    chosen: list[JobWindow] = []
    jobs, most_jobs = 0, MOST_RIGID_JOBS if slowdown is None else MOST_JOBS
    for sun, first in dict.fromkeys(pairs):
        jobs += _jobs_between(days, first)
        if chosen and (jobs > most_jobs or len(chosen) == MOST_WINDOWS):
            break
        one = _window(days, energy, sun, first, slowdown)
        if one is not None:
            chosen.append(one)
    return tuple(chosen)


def stride_of(days: Days) -> int:
    """Number of epochs from the start of a window to that of the next one.

    It is the horizon in whole days, rounded up.
    """
    length_s = days.epochs * days.epoch_s
    return -(-length_s // SECONDS_PER_DAY) * SECONDS_PER_DAY // days.epoch_s


def _earlier_starts(days: Days) -> list[int]:
    starts = range(days.first - stride_of(days), -1, -stride_of(days))
    return list(starts)[:MOST_WINDOWS]


def _with_fitting_jobs(days: Days, servers: int) -> Days:
    jobs = days.jobs.part(np.flatnonzero(days.jobs.width <= servers))
    return replace(days, jobs=replace(jobs, number=np.arange(1, jobs.jobs + 1)))


def _jobs_between(days: Days, first: int) -> int:
    """Number of jobs submitted within a horizon's length from an epoch on."""
    bounds_s = np.array([first, first + days.epochs]) * days.epoch_s
    begin, past = np.searchsorted(days.jobs.submit_s, bounds_s)
    return int(past - begin)


def _is_forecast(energy: Energy, first: int) -> bool:
    """Whether a forecast was made by the start of an epoch."""
    return energy.forecasts is None or int(energy.forecasts.issue[0]) <= first


def _known_at_start(days: Days) -> Energy:
    """The energy as known at the start of the plan: its forecast is in place of the future."""
    energy, horizon = days.energy, slice(days.first, days.first + days.epochs)
    if energy.forecasts is None:
        return energy
    power = energy.power.value.copy()
    power[horizon] = energy.expected_mw(days.first, days.epochs) / MW_PER_W
    made = energy.forecasts.issue <= days.first
    forecasts = replace(
        energy.forecasts, issue=energy.forecasts.issue[made], value=energy.forecasts.value[made]
    )
    return replace(energy, power=replace(energy.power, value=power), forecasts=forecasts)


def _window(
    days: Days, energy: Energy, sun: int, first: int, slowdown: float | None
) -> JobWindow | None:
    """Jobs submitted from the epoch `first` on, with the energy from the epoch `sun` on.

    None if some of the energy is unknown.
    """
    epoch_s = days.epoch_s
    jobs = part_of(days.jobs, first * epoch_s, days.epochs * epoch_s)
    longest = 0 if slowdown is None else -int(-jobs.run_s.max() * slowdown // epoch_s)
    # The expected energy of the plan ends with its horizon.
    epochs = days.epochs + min(longest, days.epochs)
    if not energy.is_known(slice(sun, sun + epochs)):
        return None
    supply = Supply(*energy.actual_supply(slice(sun, sun + epochs)))
    start_unix_s = energy.power.start_unix_s + sun * epoch_s
    return JobWindow(start_unix_s, jobs, supply, WindowForecasts(energy, sun, epochs))
