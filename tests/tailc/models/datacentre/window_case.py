"""Helpers of test_window.py that other tests use too."""

import numpy as np

from tailc.forecasts.days import Energy
from tailc.traces.jobs.log import JobLog
from tailc.traces.series.series import SeriesQuantity, TimeSeries

EPOCH_S = 900


def series(quantity, values, start_unix_s=9_000):
    value = np.array(values, float)
    known = np.ones(len(value), bool)
    return TimeSeries(quantity, start_unix_s, EPOCH_S, value, known, "made up")


def energy(power, forecasts=None) -> Energy:
    price = series(SeriesQuantity.PRICE, [0.1055] * len(power))
    carbon = series(SeriesQuantity.CARBON, [200.0] * len(power))
    return Energy(series(SeriesQuantity.POWER, power), price, carbon, forecasts)


def log(submit_s) -> JobLog:
    ones = np.ones(len(submit_s), np.int64)
    return JobLog(
        np.arange(len(submit_s)), np.array(submit_s), 600 * ones, 2 * ones, 0 * ones, "made up",
        green_ppm=500_000 * ones,
    )  # fmt: skip
