"""Machines after the workloads of Bartolini, 2015, section 2.4, as far as the text describes them.

Named with `-like`: none of it was measured on PARSEC. What the text gives: bodytrack does 4 frames
a second in the mean of random shares, and 8 with the whole host; x264 encodes as few as 6 a second,
in phases, and minds what runs beside it, as dedup does; canneal slows down all the time; ferret's
stages are out of balance; blackscholes and swaptions hardly vary. All other numbers are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.forms.shares import MILLI, PPM, Machine, ShareLaw, Shares
from tailc.models.cpu_shares.plant import HostMachines

STEP_S = 0.75
# Three minutes.
STEPS = 240


@dataclass(frozen=True)
class Application:
    """work: units a second with the whole host; unit: whether each is signalled.

    noise: standard deviation of a step, relative. fall: how much less it does at the end than at
    the start. phases: factors of its work that take turns, each for 10 to 30 s. contention: what is
    lost beside others that have the whole host. bend: how much a part of the host is worth more
    than its part.
    """

    name: str
    work: float
    unit: float = 0.0
    a: float = 0.05
    noise: float = 0.005
    fall: float = 0.0
    phases: tuple[float, ...] = (1.0,)
    contention: float = 0.03
    bend: float = 0.05


APPLICATIONS = (
    Application("blackscholes-like", 9e5),
    Application("bodytrack-like", 8.0, unit=1.0, noise=0.01),
    Application("canneal-like", 2e6, fall=0.5),
    Application("dedup-like", 900.0, noise=0.02, contention=0.15),
    Application("ferret-like", 120.0, a=0.1, noise=0.05, bend=0.15),
    Application("swaptions-like", 400.0),
    Application("x264-like", 24.0, unit=1.0, noise=0.02, phases=(1.3, 0.75, 1.0), contention=0.15),
)
BY_NAME = {each.name: each for each in APPLICATIONS}
PHASE_STEPS = (14, 40)


def plant(applications: Sequence[Application], seed: int, steps: int = STEPS) -> HostMachines:
    """The applications on one host; noise and phases hang on the seed."""
    rng = np.random.default_rng(seed)
    shape = (len(applications), steps)
    b = np.array([_b(each, rng, steps) for each in applications])
    noise = np.array([[each.noise] for each in applications])
    return HostMachines(
        a=np.broadcast_to(np.array([[each.a] for each in applications]), shape).copy(),
        b=b,
        disturbed=np.maximum(1 + noise * rng.standard_normal(shape), 0.0),
        start=np.zeros(len(applications)),
        unit=np.array([each.unit for each in applications]),
        contention=np.array([each.contention for each in applications]),
        bend=np.array([each.bend for each in applications]),
        offered=np.full(shape, np.inf),
        is_reported=np.zeros(shape, np.bool_),
    )


def _b(each: Application, rng: np.random.Generator, steps: int) -> NDArray[np.float64]:
    falling = np.linspace(1 + each.fall / 2, 1 - each.fall / 2, steps)
    factor = np.ones(steps)
    at, turn = 0, int(rng.integers(len(each.phases)))
    while at < steps:
        length = int(rng.integers(*PHASE_STEPS))
        factor[at : at + length] = each.phases[turn % len(each.phases)]
        at, turn = at + length, turn + 1
    return each.work * (1 - each.a) * falling * factor


def shares_of(
    machines: Sequence[Machine], law: ShareLaw = ShareLaw.POLE_PLACEMENT, **changed: object
) -> Shares:
    """The published settings, and ours where the text leaves them open."""
    told: dict = {
        "law": law,
        "pole_ppm": 100_000,
        "window_us": 750_000,
        "estimate_us": 50_000,
        "step_us": 750_000,
        "enforce_us": 50_000,
        "forgetting_ppm": 970_000,
        "first_covariance": 100,
        "least_b_ppm": 50_000,
        "least_ppm": 50_000,
        "host_ppm": PPM,
        "shortage_steps": 20,
        "tolerance_ppm": 50_000,
    }
    return Shares(**(told | changed), machines=tuple(machines))


def machine(each: Application, target: float) -> Machine:
    """The application with a target, and the plainest first model: work by share, a = 0."""
    return Machine(each.name, round(target * MILLI), 0, round(each.work * MILLI))
