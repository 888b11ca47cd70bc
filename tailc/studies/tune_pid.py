"""Tune a PID controller for any plant, from its step response or its transfer function."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from tailc_solvers.control.frequency import AnyPlant
from tailc_solvers.control.identify import UnfitResponseError, identify
from tailc_solvers.control.margins import (
    LoopMargins,
    UnstableLoopError,
    flat,
    loop_margins,
)
from tailc_solvers.control.plant import Plant, SampledPlant
from tailc_solvers.control.rules import RULES
from tailc_solvers.control.sampling import sample_plant
from tailc_solvers.control.step_fit import fit_step
from tailc_solvers.control.tune import (
    Criterion,
    LimitsError,
    LoopLimits,
    NoTuningError,
    Structure,
    check_plant,
    tune,
    value_of,
)

from tailc.errors import Code, Finding, Place, TailcError
from tailc.pipeline.loop_recheck import check_loop
from tailc.studies import tune_range
from tailc.studies.loop_curves import LoopCurves, curves_of, shown_duration
from tailc.studies.tune_data import StepData

Values = NDArray[np.float64]
_FROM_REST = "give a step response that begins and ends at rest"

MOST_LEFT = 0.5
"""Largest residual, as a fraction of the response's root mean square: noise leaves nearly all."""


@dataclass(frozen=True)
class UnitNames:
    """The user's names of the units of time, of the plant's input and of its output."""

    time: str
    input: str
    output: str


@dataclass(frozen=True)
class Wish:
    """Requested type of PID controller, and limits of its loop.

    criterion: what the gains minimise. sample_time: None for a controller in continuous time.
    """

    structure: Structure
    criterion: Criterion
    max_sensitivity: float
    max_overshoot: float
    sample_time: float | None


@dataclass(frozen=True)
class PidLoop:
    """A named PID controller with the margins of its loop.

    gains: kp, ki and kd in the plant's unit of time (a sample if it is sampled); None if the rule
    does not apply. margins: None if the loop is not stable.
    """

    name: str
    gains: tuple[float, float, float] | None
    margins: LoopMargins | None


@dataclass(frozen=True)
class Study:
    """Result of tuning: the plant, the tuned controller, and those of published tuning rules.

    residual: of the identification, in the output's unit; None for a transfer function. criterion:
    the minimised value. Times in margins are in samples if the plant is sampled.
    """

    plant: AnyPlant
    wish: Wish
    units: UnitNames
    residual: float | None
    data: StepData | None
    tuned: PidLoop
    criterion: float
    rules: tuple[PidLoop, ...]

    @property
    def unit_of_time(self) -> float:
        """The plant's unit of time in the user's unit: the sample time, or 1."""
        return self.wish.sample_time or 1.0


def study_of_data(data: StepData, wish: Wish, units: UnitNames) -> Study:
    """Identify a plant from a step response, and tune a controller for it.

    Raises TailcError, placed in the file, for a response that identifies no plant.
    """
    place = Place(data.source)
    tune_range.check_data(data)
    try:
        if wish.sample_time is None:
            identified = fit_step(data.times, data.response, data.size)
        else:
            at_samples = data.response[1:] if data.times[0] == 0 else data.response
            identified = identify(at_samples, data.size)
    except UnfitResponseError as error:
        _refuse(str(error), place, _FROM_REST)
    _check_fit(identified.residual, data)
    return _study(identified.plant, wish, units, place, identified.residual, data)


def _check_fit(residual: float, data: StepData) -> None:
    """Raise TailcError if the best plant leaves most of the response unexplained."""
    size = math.sqrt(float(np.mean(data.response**2)))
    if residual <= MOST_LEFT * size:
        return
    message = (
        "no plant model fits the response: the error of the best model is "
        f"{100 * residual / size:.0f} % of the response's root mean square; the limit is "
        f"{100 * MOST_LEFT:.0f} %"
    )
    _refuse(message, Place(data.source), _FROM_REST)


def study_of_plant(plant: Plant, wish: Wish, units: UnitNames) -> Study:
    """Tune a controller for a transfer function, sampled if a sample time is given."""
    place = Place("--den")
    tune_range.check_plant(plant, Place("--num, --den, --dead-time"))
    if wish.sample_time is not None:
        tune_range.check_sample_time(wish.sample_time)
    if wish.sample_time is None:
        return _study(plant, wish, units, place, None, None)
    try:
        identified = sample_plant(plant, wish.sample_time)
    except ValueError as error:
        _refuse(str(error), Place("--sample-time"), "choose a longer sample time")
    return _study(identified, wish, units, place, None, None)


def plant_of(num: tuple[float, ...], den: tuple[float, ...], dead_time: float) -> Plant:
    """The plant of a transfer function; TailcError for invalid coefficients."""
    try:
        return Plant(num, den, dead_time)
    except ValueError as error:
        _refuse(
            str(error),
            Place("--num, --den"),
            ("write the coefficients from the highest power of s down"),
        )


def _refuse(message: str, place: Place, help_: str) -> NoReturn:
    raise TailcError(Finding(Code.BAD_PLANT, message, place, help_)) from None


def _study(
    plant: AnyPlant,
    wish: Wish,
    units: UnitNames,
    place: Place,
    residual: float | None,
    data: StepData | None,
) -> Study:
    limits = LoopLimits(wish.max_sensitivity, wish.max_overshoot)
    rules: tuple[PidLoop, ...] = ()
    try:
        check_plant(plant)
        rules = tuple(_rule_loop(name, plant, wish.structure) for name in RULES)
        start = _best_within(rules, limits, wish.criterion)
        gains, margins = tune(plant, wish.structure, limits, wish.criterion, start)
    except LimitsError as error:
        help_ = "allow a larger --max-sensitivity or --max-overshoot"
        raise TailcError(Finding(Code.NO_TUNING, str(error), place, help_)) from None
    except NoTuningError as error:
        raise TailcError(Finding(Code.NO_TUNING, str(error), place, _OTHER_PLANT)) from None
    tuned = PidLoop("tuned", (gains.kp, gains.ki, gains.kd), margins)
    check_loop(plant, (gains.kp, gains.ki, gains.kd), margins)
    return Study(plant, wish, units, residual, data, tuned, gains.criterion, rules)


_OTHER_PLANT = "give a stable plant, with a dead time or a sample time"


def _best_within(
    rules: tuple[PidLoop, ...], limits: LoopLimits, criterion: Criterion
) -> tuple[float, float, float] | None:
    """The gains of the best rule by the criterion, among those within the limits."""
    within = [
        (value_of(rule.margins, criterion), rule.gains)
        for rule in rules
        if rule.gains is not None
        and rule.margins is not None
        and rule.margins.robustness.max_sensitivity <= limits.max_sensitivity
        and rule.margins.performance.overshoot <= limits.overshoot
    ]
    return min(within)[1] if within else None


def _rule_loop(name: str, plant: AnyPlant, structure: Structure) -> PidLoop:
    gains = RULES[name](plant, structure)
    if gains is None:
        return PidLoop(name, None, None)
    try:
        return PidLoop(name, gains, loop_margins(plant, *gains))
    except UnstableLoopError:
        return PidLoop(name, gains, None)


def stable_loop_curves(study: Study) -> tuple[LoopCurves, ...]:
    """Step responses of every stable loop over the same time, the tuned loop first."""
    margins = study.tuned.margins
    settling = margins.performance.settling if margins else math.inf
    until = shown_duration(study.plant, settling)
    return tuple(
        curves_of(loop.name, study.plant, loop.gains, flat(loop.margins), until, study.unit_of_time)
        for loop in (study.tuned, *study.rules)
        if loop.gains is not None and loop.margins is not None
    )


def fitted_curve(study: Study) -> tuple[Values, Values] | None:
    """Times and values of the identified plant's response to the measured step.

    None without data.
    """
    if study.data is None:
        return None
    data, plant = study.data, study.plant
    if isinstance(plant, SampledPlant):
        values = np.concatenate(([0.0], data.size * plant.step_response(data.times.size - 1)))
        return data.times, values
    return data.times, data.size * _step_of(plant)(data.times)


def _step_of(plant: Plant) -> Callable[[Values], Values]:
    from tailc_solvers.control.loop import open_step_response

    step, values = open_step_response(plant)
    return lambda times: np.interp(times, np.arange(values.size) * step, values)
