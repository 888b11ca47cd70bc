"""Forms of shares and plants of a few machines."""

import dataclasses

import numpy as np

from tailc.forms.shares import PPM, Machine, ShareLaw, Shares
from tailc.models.cpu_shares.plant import HostMachines


def shares_of(*machines: Machine, **changed: object) -> Shares:
    usual = Shares(
        law=ShareLaw.POLE_PLACEMENT,
        pole_ppm=100_000,
        window_us=750_000,
        estimate_us=50_000,
        step_us=750_000,
        enforce_us=50_000,
        forgetting_ppm=970_000,
        first_covariance=1,
        least_b_ppm=50_000,
        least_ppm=50_000,
        host_ppm=PPM,
        shortage_steps=10,
        tolerance_ppm=50_000,
        machines=machines or (Machine("only", 10_000, 600_000, 20_000),),
    )
    return dataclasses.replace(usual, **changed)


def plant_of(
    a, b, steps: int, noise: float = 0.0, seed: int = 1, **changed: object
) -> HostMachines:
    """Machines whose a and b are numbers, or rows of them."""
    a, b = np.atleast_1d(np.asarray(a, float)), np.atleast_1d(np.asarray(b, float))
    machines = len(a)
    rng = np.random.default_rng(seed)
    usual = HostMachines(
        a=np.broadcast_to(a.reshape(machines, -1), (machines, steps)).copy(),
        b=np.broadcast_to(b.reshape(machines, -1), (machines, steps)).copy(),
        disturbed=1 + noise * rng.uniform(-1, 1, (machines, steps)),
        start=np.zeros(machines),
        unit=np.zeros(machines),
        contention=np.zeros(machines),
        bend=np.zeros(machines),
        offered=np.full((machines, steps), np.inf),
        is_reported=np.zeros((machines, steps), np.bool_),
    )
    return dataclasses.replace(usual, **changed)
