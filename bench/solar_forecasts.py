"""How wrong solar forecasts are on measured production: `python -m bench.solar_forecasts DATA`.

DATA is a folder with `pv-measured` (15 minutes of a system in Golden, Colorado) and `grid-hourly`
(hours of all solar power of the Californian grid, with forecasts of irradiance). A forecast is made
at the start of every hour, for 48 hours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tailc.forecasts.best_day import BestDay, PastDays
from tailc.forecasts.clear_sky import ClearSky, Panels, clear_sky
from tailc.forecasts.cover import cover_of_irradiance
from tailc.forecasts.forecasts import Forecasts
from tailc.forecasts.persistence import persistent_forecasts
from tailc.forecasts.scenarios import Accuracy, accuracy
from tailc.forecasts.solar import Cover, SolarRule, solar_forecasts
from tailc.traces.series.reading import SeriesReading
from tailc.traces.series.resample import cut_series, on_epochs
from tailc.traces.series.series import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
    SeriesQuantity,
    TimeSeries,
)
from tailc.traces.series.table_series import read_series

HORIZON_H = 48
SHOWN_H = (1, 2, 6, 24, 48)
FILLED_S = SECONDS_PER_HOUR
GOLDEN = Panels(39.74, -105.17, 1_829, tilt_deg=40)
# The middle of the Californian solar parks; most of them follow the sun, which this cannot say.
CALIFORNIA = Panels(35.5, -119.0, 100)


@dataclass(frozen=True)
class Site:
    """A production, what was said of its clouds, and where it is; `rows_of` measures it."""

    name: str
    actual: TimeSeries
    clouds: dict[str, TimeSeries]
    panels: Panels
    midnight_s: int

    @property
    def past(self) -> PastDays:
        return PastDays(self.actual, self.midnight_s)

    @property
    def issue(self) -> np.ndarray:
        """Every hour that has a month before it and a horizon behind it."""
        first = self.past.first + 31 * self.past.per_day
        return np.arange(first, self.actual.steps - HORIZON_H)


def golden(data: Path, part: str) -> Site:
    """The clouds are those of a satellite: seen at the time, so better than any forecast; or seen
    two days before, so never too late to be known.
    """
    path = str(data / "pv-measured" / f"nrel_pvdaq50_{part}.parquet")
    power = SeriesReading(
        "utc", "ac_power_w", SeriesQuantity.POWER, "W", fill_up_to_s=FILLED_S, skip_longer_gaps=True
    )
    cover = SeriesReading(
        "utc", "cloud_index", SeriesQuantity.CLOUD_COVER, "1", skip_longer_gaps=True
    )
    seen = on_epochs(read_series(path, cover), SECONDS_PER_HOUR)
    late = replace(seen, start_unix_s=seen.start_unix_s + 2 * SECONDS_PER_DAY)
    start_unix_s, length_s = late.start_unix_s, seen.end_unix_s - late.start_unix_s
    actual = cut_series(
        on_epochs(read_series(path, power), SECONDS_PER_HOUR), start_unix_s, length_s
    )
    clouds = {
        "satellite, at the time": cut_series(seen, start_unix_s, length_s),
        "satellite, two days before": cut_series(late, start_unix_s, length_s),
    }
    return Site(f"Golden, {part}", actual, clouds, GOLDEN, 7 * SECONDS_PER_HOUR)


def california(data: Path, part: str) -> Site:
    """The clouds are what a global weather model forecast of the irradiance."""
    path = str(data / "grid-hourly" / f"CISO_{part}.parquet")
    power = SeriesReading("utc_hour", "solar_mw", SeriesQuantity.POWER, "MW", zone="UTC")
    sun = SeriesReading("utc_hour", "fc_dswrf_w_m2", SeriesQuantity.IRRADIANCE, "W/m2", zone="UTC")
    clouds = {"weather model": cover_of_irradiance(read_series(path, sun))}
    actual = read_series(path, power)
    return Site(f"California, {part}", actual, clouds, CALIFORNIA, 8 * SECONDS_PER_HOUR)


def rows_of(site: Site) -> Iterator[tuple[str, Accuracy]]:
    """What forecasts, and how well."""
    for name, period_s in (("last hour again", SECONDS_PER_HOUR), ("yesterday", SECONDS_PER_DAY)):
        made = persistent_forecasts(site.actual, site.issue, HORIZON_H, period_s)
        yield f"persistence: {name}", accuracy(made, site.actual)
    for clouds in site.clouds:
        for cover in Cover:
            rule = SolarRule(cover)
            yield f"{cover.value} ({clouds})", accuracy(best_day(site, clouds, rule), site.actual)
    clouds = next(iter(site.clouds))
    yield f"better, clear sky ({clouds})", accuracy(with_clear_sky(site, clouds), site.actual)
    for factor in (0.9, 0.8, 0.7):
        made = best_day(site, clouds, SolarRule(conservatism=factor))
        yield f"better, B x {factor} ({clouds})", accuracy(made, site.actual)


def best_day(site: Site, clouds: str, rule: SolarRule) -> Forecasts:
    """Forecasts by the best day of the month before."""
    ideal = BestDay(site.past)
    return solar_forecasts(site.actual, site.clouds[clouds], ideal, site.issue, HORIZON_H, rule)


def with_clear_sky(site: Site, clouds: str) -> Forecasts:
    """Forecasts by a clear sky over panels that lie still."""
    actual = site.actual
    sky = clear_sky(site.panels, actual.start_unix_s, actual.step_s, actual.steps)
    ideal = ClearSky(site.past, sky)
    return solar_forecasts(actual, site.clouds[clouds], ideal, site.issue, HORIZON_H)


def main(data: Path) -> None:
    """Print a table a site: mean absolute error and bias in % of production, by hours ahead."""
    for site in (
        golden(data, "compile"),
        golden(data, "example"),
        california(data, "compile"),
        california(data, "example"),
    ):
        print(f"\n{site.name}: {len(site.issue)} forecasts\n")
        print("| forecast | " + " | ".join(f"{hours} h" for hours in SHOWN_H) + " | bias, 1 h |")
        print("|---|" + "---:|" * (len(SHOWN_H) + 1))
        for name, found in rows_of(site):
            errors = (f"{found.absolute_share[hours - 1]:.1%}" for hours in SHOWN_H)
            print(f"| {name} | {' | '.join(errors)} | {found.bias_share[0]:+.1%} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of the measured data")
    main(parser.parse_args().data)
