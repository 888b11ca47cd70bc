"""Tuned gains of random plants are stable by exact arithmetic, with the margins that they state."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tailc_solvers.control.plant import Plant, SampledPlant, lag
from tailc_solvers.control.roots import delays_within
from tailc_solvers.control.sampling import sample_plant
from tailc_solvers.control.tune import (
    Criterion,
    NoTuningError,
    Structure,
    Tuning,
    tune_sampled,
)

PLANTS = 500
OBJECTIVES: tuple[Criterion, ...] = ("balanced", "setpoint", "load")
STRUCTURES: tuple[Structure, ...] = ("pi", "pid")
Gains = tuple[float, float, float]


def first_order(rng: random.Random) -> Plant:
    return lag(rng.choice([-1, 1]) * rng.uniform(0.1, 10), [1.0], rng.uniform(0.05, 3))


def dead_time(rng: random.Random) -> Plant:
    return lag(rng.uniform(0.1, 2), [rng.uniform(0.01, 0.1)], rng.uniform(0.5, 3))


def integrating(rng: random.Random) -> Plant:
    return Plant((rng.uniform(0.1, 2),), (rng.uniform(0.1, 1), 1.0, 0.0), rng.uniform(0.1, 1))


def oscillating(rng: random.Random) -> Plant:
    return Plant((1.0,), (1.0, 2 * rng.uniform(0.05, 0.7), 1.0), rng.uniform(0.1, 1))


def inverse(rng: random.Random) -> Plant:
    return Plant((-rng.uniform(0.1, 1.1), 1.0), (1.0, 3.0, 3.0, 1.0), rng.uniform(0, 0.5))


def masses(rng: random.Random) -> Plant:
    """Two masses and a damped spring, driven at a constant speed by one of them."""
    slow, stiff = rng.uniform(0.5, 2), rng.uniform(2, 6)
    pair = np.polymul((1 / stiff**2, 2 * rng.uniform(0.05, 0.5) / stiff, 1.0), (slow, 1.0))
    return Plant((1.0,), tuple(map(float, pair)), rng.uniform(0.1, 1))


FAMILIES: list[Callable[[random.Random], Plant]] = [
    first_order,
    dead_time,
    integrating,
    oscillating,
    inverse,
    masses,
]


def exact_characteristic(plant: SampledPlant, gains: Gains, delay: int) -> list[Fraction]:
    """A(z) (z - 1) z^k + B(z) law(z), in descending powers of z, from the doubles as they are."""
    kp, ki, kd = map(Fraction, gains)
    own = product([Fraction(one) for one in plant.a], [Fraction(1), Fraction(-1)])
    law = [kp + ki + kd, -(kp + 2 * kd), kd]
    fed = [Fraction(0)] * delay + product([Fraction(one) for one in plant.b], law)
    size = max(len(own), len(fed))
    padded = [one + [Fraction(0)] * (size - len(one)) for one in (own, fed)]
    return [a + b for a, b in zip(*padded, strict=True)]


def product(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    result = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def is_inside(p: list[Fraction]) -> bool:
    """Jury's test without divisions, on whole numbers: all roots are inside the unit circle."""
    scale = math.lcm(*(one.denominator for one in p))
    whole = [int(one * scale) for one in p]
    while whole[-1] == 0 and len(whole) > 1:
        whole.pop()
    while len(whole) > 1:
        first, last = whole[0], whole[-1]
        if abs(last) >= abs(first):
            return False
        n = len(whole) - 1
        whole = [first * whole[k] - last * whole[n - k] for k in range(n)]
        common = math.gcd(*whole)
        whole = [one // common for one in whole]
    return True


def open_loop(
    plant: SampledPlant, gains: Gains, omega: NDArray[np.float64]
) -> NDArray[np.complex128]:
    back = np.exp(-1j * omega)
    b, a = (sum(c * back**k for k, c in enumerate(cs)) for cs in (plant.b, plant.a))
    kp, ki, kd = gains
    return back**plant.delay * b / a * (kp + ki / (1 - back) + kd * (1 - back))


def dense_margins(plant: SampledPlant, gains: Gains) -> tuple[float, float, float]:
    """Gain margin, phase margin [degrees] and largest sensitivity, on a dense grid."""
    omega = np.concatenate((np.geomspace(1e-5, 0.05, 15_000), np.linspace(0.05, math.pi, 45_001)))
    loop = open_loop(plant, gains, omega)
    sizes = np.abs(loop)
    ones = np.flatnonzero(np.diff(np.sign(sizes - 1)))
    phases = np.abs(np.degrees(np.angle(-loop[ones])))
    real = np.flatnonzero((np.diff(np.sign(loop.imag)) != 0) & (loop.real[:-1] < 0))
    factors = [*(1 / sizes[real])]
    if loop[-1].real < 0:
        factors.append(1 / sizes[-1])
    gain = min(factors, key=lambda factor: abs(math.log(factor)), default=math.inf)
    return gain, min(phases, default=math.inf), float((1 / np.abs(1 + loop)).max())


def assert_stands(plant: SampledPlant, tuned: Tuning) -> None:
    gains = tuned.kp, tuned.ki, tuned.kd
    delays = delays_within(plant.delay)
    assert plant.delay in delays
    for delay in delays:
        assert is_inside(exact_characteristic(plant, gains, delay)), (plant, gains, delay)
    stated = tuned.margins
    wanted = stated.gain_margin, stated.phase_margin_deg, stated.max_sensitivity
    assert dense_margins(plant, gains) == pytest.approx(wanted, rel=0.01), (plant, gains)


def test_the_exact_test_agrees_with_roots_that_are_known() -> None:
    """(z - 1/2)(z + 1/3), (z - 1)(z - 1/2), (z - 2)(z - 1/2) and a pair of modulus 1."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    assert is_inside(product([Fraction(1), -half], [Fraction(1), third]))
    assert not is_inside(product([Fraction(1), Fraction(-1)], [Fraction(1), -half]))
    assert not is_inside(product([Fraction(1), Fraction(-2)], [Fraction(1), -half]))
    assert not is_inside([Fraction(1), Fraction(-1), Fraction(1)])


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_gains_of_many_plants_are_stable_and_have_their_margins(part: int) -> None:
    rng = random.Random(part)
    refused = 0
    for number in range(PLANTS // 10):
        plant = sample_plant(FAMILIES[number % len(FAMILIES)](rng), rng.uniform(0.05, 0.5))
        for objective in OBJECTIVES:
            structure = rng.choice(STRUCTURES)
            # With an integrator in the plant and one in the controller, each loop overshoots.
            overshoot = 0.5 if plant.is_integrating else 0.02
            try:
                found = tune_sampled(
                    plant, structure=structure, criterion=objective, max_overshoot=overshoot
                )
            except NoTuningError:
                refused += 1
            else:
                assert_stands(plant, found)
    assert refused < PLANTS // 100
