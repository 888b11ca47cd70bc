"""Helpers of test_rigid.py that other tests use too."""

import numpy as np

from tailc.forecasts.forecasts import Forecasts
from tailc.forms.plan.plan import Epoch, Plan, Pool, PoolPrices, Terms
from tailc.models.datacentre.window import windows
from tests.tailc.models.datacentre.window_case import energy, log

TERMS = Terms(72_500, 60_000, 125_000)


def plan(brown=10_000, green=10_000, violations_ppm=900_000) -> Plan:
    """A brown and a green rack of two servers of 1 W, for two epochs."""
    pools = tuple(Pool(name, 2, 1_000, 0, 0, racks=1) for name in ("brown", "green"))
    prices = (PoolPrices((brown,) * 2), PoolPrices((green,) * 2))
    return Plan(0, 900, pools, (Epoch(0, 0, 0, 1),) * 2, (), prices, TERMS, None, violations_ppm)


def days(power, jobs_at, expected=None):
    """Two epochs a window; `expected` power is forecast for all, None: what comes is known."""
    forecasts = None
    if expected is not None:
        issue = np.arange(0, len(power), 2)
        value = np.full((len(issue), 2), float(expected))
        forecasts = Forecasts(issue, value, 9_000, 900, "made up")
    return windows(log(jobs_at), energy(power, forecasts), 2)
