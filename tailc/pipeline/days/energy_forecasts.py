"""Hourly forecasts of green power, and scenarios of the actual power."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.clear_sky import ClearSky, Panels, clear_sky
from tailc.forecasts.forecasts import Forecasts, Ints
from tailc.forecasts.persistence import persistent_forecasts
from tailc.forecasts.scenarios import HISTORY_DAYS, scenarios
from tailc.forecasts.solar import Ideal, SolarRule, solar_forecasts
from tailc.percentiles import PPM
from tailc.specs.supply import ForecastSpec, PanelsSpec
from tailc.traces.series.series import SECONDS_PER_DAY, SECONDS_PER_HOUR, TimeSeries

Floats = np.ndarray
# The first forecast is at the second step, since a forecast uses the hour before it.
_FIRST_ISSUE = 2


@dataclass(frozen=True, eq=False)
class ForecastInputs:
    """The data that forecasts of green power are made from, on common epochs.

    sources: green powers; the forecast method is used for the first, and the others are forecast to
    repeat the previous day. clouds: None if the method needs none. midnight_s: local midnight in
    seconds after midnight UTC. first, epochs: first epoch and number of epochs of the plan.
    earlier: number of epochs before the plan for which forecasts are made too.
    """

    sources: tuple[TimeSeries, ...]
    clouds: TimeSeries | None
    midnight_s: int
    first: int
    epochs: int
    earlier: int = 0


def forecasts_of(spec: ForecastSpec, sun: ForecastInputs) -> Forecasts | None:
    """Make forecasts of green power, a new one each hour; None for perfect knowledge.

    Each is as long as the horizon. They begin at the plan's start, or earlier by the history that
    scenarios need. Raises TailcError (SHORT_HISTORY) without data of the days before the start.
    """
    if spec.method == "perfect":
        return None
    first, *others = sun.sources
    issue = _issues(spec, sun)
    match spec.method:
        case "yesterday":
            forecasts = persistent_forecasts(first, issue, sun.epochs, SECONDS_PER_DAY)
        case "last-hour":
            period_s = max(SECONDS_PER_HOUR, first.step_s)
            forecasts = persistent_forecasts(first, issue, sun.epochs, period_s)
        case _:
            forecasts = _solar(spec, sun, issue)
    for other in others:
        more = persistent_forecasts(other, issue, sun.epochs, SECONDS_PER_DAY)
        forecasts = replace(forecasts, value=forecasts.value + more.value)
    return forecasts


def scenarios_of(
    spec: ForecastSpec, power: TimeSeries, forecasts: Forecasts | None, sun: ForecastInputs
) -> Floats:
    """Make scenarios of the plan's green power [W]; float64 (scenarios, epochs).

    A scenario is the forecast plus errors that earlier forecasts had.
    """
    if spec.scenarios is None or forecasts is None:
        return np.zeros((0, sun.epochs))
    index = int(np.searchsorted(forecasts.issue, sun.first, side="right")) - 1
    settings = spec.scenarios
    return scenarios(power, forecasts, index, settings.count, settings.seed)


def _issues(spec: ForecastSpec, sun: ForecastInputs) -> Ints:
    """Steps at which forecasts are issued: one per hour, including the plan's start.

    None is so late that the data end before its forecast does.
    """
    actual = sun.sources[0]
    per_hour = max(SECONDS_PER_HOUR // actual.step_s, 1)
    per_day = SECONDS_PER_DAY // actual.step_s
    history = min(HISTORY_DAYS * per_day if spec.scenarios else 0, sun.first - _FIRST_ISSUE)
    earlier = min(sun.earlier, sun.first - max(per_day, _FIRST_ISSUE))
    begin = sun.first - max(history, earlier, 0) // per_hour * per_hour
    issue = np.arange(begin, actual.steps - sun.epochs + 1, per_hour, dtype=np.int64)
    if spec.method not in ("best-day", "clear-sky"):
        return issue
    past = PastDays(actual, sun.midnight_s)
    known = np.array([_is_known(past, day) for day in past.day_of(issue).tolist()], dtype=bool)
    # The plan's start always stays: the method reports missing data there.
    return issue[known | (issue == sun.first)]


def _is_known(past: PastDays, day: int) -> bool:
    history = past.energy[past.history(day)]
    return len(history) > 0 and bool((history >= 0).any())


def _solar(spec: ForecastSpec, sun: ForecastInputs, issue: Ints) -> Forecasts:
    assert sun.clouds is not None
    actual = sun.sources[0]
    past = PastDays(actual, sun.midnight_s)
    ideal: Ideal = BestDay(past)
    if spec.method == "clear-sky":
        assert spec.panels is not None
        ideal = ClearSky(past, _clear(spec.panels, actual))
    rule = SolarRule(conservatism=spec.conservatism_ppm / PPM)
    return solar_forecasts(actual, sun.clouds, ideal, issue, sun.epochs, rule)


def _clear(spec: PanelsSpec, actual: TimeSeries) -> TimeSeries:
    panels = Panels(spec.latitude, spec.longitude, spec.altitude_m, spec.tilt, spec.azimuth)
    return clear_sky(panels, actual.start_unix_s, actual.step_s, actual.steps)
