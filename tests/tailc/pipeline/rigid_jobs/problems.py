"""Small problems of racks whose numbers can be checked by hand, and drawn ones."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from tailc.forms.plan.plan import PPM, Terms
from tailc.forms.plan.quote import RigidJob
from tailc.problems.plan import ExpectedSupply, PlanMethod, PlanSearch, Weights
from tailc.problems.rigid_jobs import NamedJob, RacksProblem

HOUR_S = 3_600
BUSY_MW = 100_000
# 10 cents a kWh, so that a busy server costs a cent an hour.
PRICE = 100_000
A_SERVER = 10_000
TERMS = Terms(290_000, 240_000, 500_000)


def supply(green_w: list[int], price: int = PRICE, carbon_mg: int = 0) -> ExpectedSupply:
    epochs = len(green_w)
    return ExpectedSupply(
        np.array(green_w, np.int64) * 1_000,
        np.full(epochs, price, np.int64),
        np.full(epochs, carbon_mg, np.int64),
        np.zeros((0, epochs), np.int64),
    )


def named(number: int, first: int, epochs: int, width: int, green_percent: int = 0, **more: Any):
    job = RigidJob(first, epochs, width, green_percent * PPM // 100)
    return NamedJob(f"job-{number}", job, **more)


def problem(*jobs: NamedJob, green_w: list[int], **changes: Any) -> RacksProblem:
    """Two racks of two servers of 100 W, in epochs of an hour, on a forecast."""
    given: dict[str, Any] = {
        "start_unix_s": 1_340_000_000 // HOUR_S * HOUR_S,
        "epoch_s": HOUR_S,
        "racks": 2,
        "rack_servers": 2,
        "busy_mw": BUSY_MW,
        "asleep_mw": 0,
        "migration_mj": 0,
        "supply": supply(green_w),
        "terms": TERMS,
        "jobs": jobs,
        "expected": (),
        "search": PlanSearch(PlanMethod.ARRIVAL),
        "weights": Weights(),
    }
    return RacksProblem(**(given | changes))


def drawn(seed: int, jobs: int = 2, epochs: int = 3, **changes: Any) -> RacksProblem:
    """A problem that can be enumerated; one of its jobs may have begun."""
    rng = Random(seed)
    green_w = [rng.randint(0, 500) for _ in range(epochs)]
    made = []
    for number in range(jobs):
        first = rng.randrange(epochs)
        length = rng.randint(1, epochs - first)
        wait = rng.choice([0, epochs - first - length])
        width, green = rng.choice([1, 2, 3]), rng.choice([0, 25, 50, 100])
        begun = rng.random() < 0.5 and not (wait or first or number)
        made.append(named(number, first, length, width, green, may_wait=wait, must_run=begun))
    given: dict[str, Any] = {
        "asleep_mw": rng.choice([0, 10_000, 20_000]),
        "migration_mj": rng.choice([0, 36_000_000, 180_000_000]),
        "green_w": green_w,
    }
    return problem(*made, **(given | changes))
