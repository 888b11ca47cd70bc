"""Refuse numbers of a plant that are out of a plausible range, and so probably in wrong units."""

from __future__ import annotations

import math

import numpy as np
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.plant import Plant

from tailc.errors import Code, Finding, Place, TailcError
from tailc.studies.tune_data import StepData

LEAST, MOST = 1e-12, 1e12
"""Range of gains, times, and values of a response, each in the user's unit."""

FARTHEST = 1e6
"""Largest ratio of the plant's longest to its shortest time (poles and dead time)."""


def check_plant(plant: AnyPlant, place: Place) -> None:
    """Raise TailcError for a plant with a gain or, in continuous time, a time out of range."""
    if not isinstance(plant, Plant):
        _check("gain", max(map(abs, plant.b)), place)
        return
    with np.errstate(all="ignore"):
        _check("coefficient", max(map(abs, (*plant.num, *plant.den))), place)
        _check("coefficient", min(abs(c) for c in (*plant.num, *plant.den) if c), place)
        times = [1 / abs(pole) for pole in plant.poles.tolist() if pole != 0]
    if plant.dead_time:
        times.append(plant.dead_time)
    for time in times:
        _check("time", time, place)
    lowest = next(c for c in reversed(plant.den) if c)
    _check("gain", max(map(abs, plant.num)) / abs(lowest), place)
    if times and max(times) > FARTHEST * min(times):
        message = (
            f"the plant's times are from {min(times):.3g} to {max(times):.3g}, more than a factor "
            f"of {FARTHEST:g} apart"
        )
        _refuse(message, place, "remove poles or dead times that are too short to matter")


def check_sample_time(time: float) -> None:
    """Raise TailcError for a sample time of a controller that is out of a plausible range."""
    _check("sample time", time, Place("--sample-time"))


def check_data(data: StepData) -> None:
    """Raise TailcError for a response whose times, values or step are out of range.

    A response of 0 is accepted here; the identification refuses it.
    """
    place = Place(data.source)
    _check("size of the step", abs(data.size), place)
    if data.times.size > 1:
        _check("time from row to row", float(np.diff(data.times).min()), place)
        _check("last time", float(data.times[-1]), place)
    largest = float(np.abs(data.response).max(initial=0.0))
    if largest:
        _check("largest change of the output", largest, place)
        _check("gain", largest / abs(data.size), place)


def _check(what: str, value: float, place: Place) -> None:
    if LEAST <= value <= MOST and math.isfinite(value):
        return
    message = f"the {what}, {value:.3g}, is not from {LEAST:g} to {MOST:g}"
    _refuse(
        message,
        place,
        "write it in a larger or smaller unit, and all other values of this plant too",
    )


def _refuse(message: str, place: Place, help_: str) -> None:
    raise TailcError(Finding(Code.BAD_PLANT, message, place, help_))
