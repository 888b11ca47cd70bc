"""Helpers of test_malleable.py that other tests use too."""

from dataclasses import replace

import numpy as np

from tailc.forms.plan.plan import Epoch, Malleable, Plan, Pool, PoolPrices
from tailc.models.datacentre.window import windows
from tailc.traces.jobs.log import Applications
from tests.tailc.models.datacentre.window_case import energy, log


class Linear:
    """Twice the servers, twice the speed."""

    def speedup_ppm(self, _application, requested, servers):
        counts = (count for count in (1, 2, 4) if count <= servers)
        return {2 * requested: {count: count * 1_000_000 for count in counts}}


def plan(udollars=0, delay_udollars=0, violations_ppm=500_000) -> Plan:
    """Four servers of 1 W for two epochs of 900 s."""
    prices = (PoolPrices((udollars,) * 2),)
    malleable = Malleable(delay_udollars, 1_100_000)
    pool = Pool("all", 4, 1_000, 0, 0)
    return Plan(
        0, 900, (pool,), (Epoch(0, 0, 0, None),) * 2, (), prices, None, malleable, violations_ppm
    )


def days(power, submit_s):
    """Jobs of 1,800 s on the two servers that each asks for; windows of two epochs."""
    one = log(submit_s)
    named = Applications(("FT",), np.zeros(one.jobs, np.int64))
    return windows(replace(one, run_s=3 * one.run_s, applications=named), energy(power), 2)
