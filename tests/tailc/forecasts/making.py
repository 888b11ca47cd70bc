"""A small sun: production of some days, and the clouds that make it."""

import numpy as np

from tailc.traces.series.series import SeriesQuantity, of_values

# 2012-06-30 00:00 UTC.
START = 1_341_014_400
HOUR = 3_600
PER_DAY = 24
# What an hour of the day brings without a cloud [W].
CLEAR_W = np.maximum(0.0, 1_000 * np.sin((np.arange(PER_DAY) - 6) * np.pi / 12)).round()


def hours_of(value, quantity=SeriesQuantity.POWER):
    """A series of hours."""
    return of_values(quantity, START, HOUR, np.array(value, dtype=float), "made")


def sun_under(cover):
    """Production of clear days under an hourly cover, which is NaN where it is not known."""
    cover = np.array(cover, dtype=float)
    return hours_of(np.resize(CLEAR_W, len(cover)) * (1 - cover))


def clouds_of(cover):
    """A cover as a forecast."""
    return hours_of(cover, SeriesQuantity.CLOUD_COVER)


def seeded_cover(seed, days, least=0.0, most=1.0):
    """A cover that changes every hour, but for the first day, which is clear."""
    cover = np.random.default_rng(seed).uniform(least, most, days * PER_DAY)
    cover[:PER_DAY] = 0
    return cover
