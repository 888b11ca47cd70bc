"""Convert a plant in continuous time for a controller that acts and measures at samples."""

from __future__ import annotations

import math

import numpy as np

from tailc_solvers.control.loop import continuous_loop
from tailc_solvers.control.plant import Plant, SampledPlant

MOST_DELAY = 1000


def sample_plant(plant: Plant, sample_time: float) -> SampledPlant:
    """The sampled plant that equals `plant` at the samples if its input is held between them.

    The denominator's roots are e^(p h) for the poles p, and the numerator makes the step responses
    equal: b = A (1 - z^-1) y, which ends after as many terms as there are poles and one or two more
    (Astrom and Wittenmark, Computer-Controlled Systems, 1997, section 2.3). Raises ValueError for a
    dead time of more than MOST_DELAY samples.
    """
    delay = math.floor(plant.dead_time / sample_time)
    if delay > MOST_DELAY:
        raise ValueError(f"the dead time is more than {MOST_DELAY} samples")
    lead = sample_time - (plant.dead_time - delay * sample_time)
    a = np.atleast_1d(np.real(np.poly(np.exp(plant.poles * sample_time))))
    if plant.is_integrating:
        a = np.convolve(_without_integrator(plant, sample_time), (1.0, -1.0))
    rises = np.diff(_values(plant, lead, sample_time, a.size + 1), prepend=0.0)
    b = np.convolve(a, rises)[: a.size + 1]
    b[np.abs(b) < _ROUNDING * np.abs(b).max()] = 0.0
    first = int(np.flatnonzero(b)[0])
    last = int(np.flatnonzero(b)[-1])
    return SampledPlant(
        tuple(map(float, b[first : last + 1])), tuple(map(float, a)), delay + 1 + first
    )


_ROUNDING = 1e-10


def _without_integrator(plant: Plant, sample_time: float) -> np.ndarray:
    poles = np.delete(plant.poles, np.argmin(np.abs(plant.poles)))
    return np.atleast_1d(np.real(np.poly(np.exp(poles * sample_time))))


def _values(plant: Plant, lead: float, step: float, count: int) -> np.ndarray:
    """The step response without dead time at lead, lead + step, ..."""
    own = Plant((0.0, *plant.num), plant.den) if len(plant.num) < len(plant.den) else None
    if own is None:  # It responds immediately.
        direct = plant.num[0] / plant.den[0]
        rest = np.polysub(plant.num, np.multiply(direct, plant.den))
        if not np.any(rest):
            return np.full(count, direct)
        return direct + _values(Plant(tuple(rest), plant.den), lead, step, count)
    first, then = continuous_loop(own, lead), continuous_loop(own, step)
    x = first.before + first.after
    values = np.zeros(count)
    for k in range(count):
        values[k] = (then.out * x).sum()
        x = (then.phi * x).sum(axis=1) + then.before + then.after
    return values
