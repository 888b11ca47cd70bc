"""Stability of a sampled loop by its closed-loop roots, and by the Schur-Cohn test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tailc_solvers.control.plant import SampledPlant

DELAY_SPREAD = 0.2
"""Share of the delay by which a loop must bear it to be wrong, either way."""


def characteristic(
    plant: SampledPlant, kp: float, ki: float, kd: float, delay: int
) -> NDArray[np.float64]:
    """Closed-loop polynomial in descending powers of z, for the plant with the dead time `delay`.

    A(z^-1) (1 - z^-1) + z^-delay B(z^-1) (kp (1 - z^-1) + ki + kd (1 - z^-1)^2), times a power of
    z; trailing zeros are roots at 0.
    """
    law = (kp + ki + kd, -(kp + 2 * kd), kd)
    own = np.convolve(plant.a, (1.0, -1.0))
    fed_back = np.concatenate((np.zeros(delay), np.convolve(plant.b, law)))
    polynomial = np.zeros(max(own.size, fed_back.size))
    polynomial[: own.size] += own
    polynomial[: fed_back.size] += fed_back
    return polynomial


def spectral_radius(polynomial: NDArray[np.float64]) -> float:
    """Largest modulus of the roots (eigenvalues of the companion matrix); 0 if there are none."""
    roots = np.roots(polynomial)
    return float(np.abs(roots).max()) if roots.size else 0.0


def is_schur(polynomial: NDArray[np.float64]) -> bool:
    """Whether all roots are inside the unit circle, by the recursion of Schur and Cohn.

    The recursion computes no roots. With p = p_0 z^n + ... + p_n they are inside if |p_n| < |p_0|
    and (p_0 p - p_n p*) / z, of degree n - 1, has all of its roots inside, with p* being p with its
    coefficients reversed (Jury, 1964).
    """
    p = np.asarray(polynomial, dtype=np.float64)
    while p.size > 1:
        if abs(p[-1]) >= abs(p[0]):
            return False
        ratio = p[-1] / p[0]
        p = (p - ratio * p[::-1])[:-1]
    return True


def is_stable(plant: SampledPlant, kp: float, ki: float, kd: float, delay: int) -> bool:
    """Whether a control loop with `delay` epochs of dead time is stable by both stability tests."""
    polynomial = characteristic(plant, kp, ki, kd, delay)
    return spectral_radius(polynomial) < 1.0 and is_schur(polynomial)


def delays_within(delay: int, spread: float = DELAY_SPREAD) -> range:
    """The delays [epochs] for which a tuned loop must be stable.

    They are the whole delays within the fraction `spread` of `delay`, and at least one epoch more
    and fewer. Below five epochs, a fifth more or less contains no other whole delay. But an
    identified delay is uncertain by one epoch, because a change in the middle of an epoch may be
    attributed to either neighbour. No delay is below one epoch.
    """
    fewest = min(delay - 1, math.ceil(delay * (1 - spread)))
    most = max(delay + 1, math.floor(delay * (1 + spread)))
    return range(max(1, fewest), most + 1)


def stable_for_delays(
    plant: SampledPlant, kp: float, ki: float, kd: float, spread: float = DELAY_SPREAD
) -> bool:
    """Whether the control loop is stable for the plant's delay and for every delay near it.

    spread: relative deviation of the delay that must be tolerated; see `delays_within`.
    """
    return all(is_stable(plant, kp, ki, kd, d) for d in delays_within(plant.delay, spread))
