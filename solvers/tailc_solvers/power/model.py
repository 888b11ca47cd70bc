"""Power of a server from performance counters (Bartolini, 2015, section 3.7, eq. 3.4-3.9).

    P_sys  = P_core + P_uncore + P_DRAM + P_rest
    P_core = sum over cores of  i V + (c0 + c1 IPC + c2 LOAD + c3 ACC) V^2 f
    P_uncore = i_u V_u + (c_u1 HIT + c_u2 MISS) V_u^2 f_u
    P_DRAM = P_refresh + d ACC_DRAM

Counters are per cycle of the domain they belong to: retired instructions, loads that hit L1 or L2
and accesses to the last-level cache per core; its hits and misses for the uncore. ACC_DRAM is in
10^9 accesses a second. V is in volts and f in GHz, so the unit of i is A and of c nF.
With V and f given the model is linear in its parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PowerCounters:
    """Measured counters of a server for the power model; units and symbols are in the module.

    Counters of cores are [samples, cores]: volt, freq_ghz, instructions, near_loads, far_accesses.
    All others are [samples].
    """

    volt: Floats
    freq_ghz: Floats
    instructions: Floats
    near_loads: Floats
    far_accesses: Floats
    uncore_volt: Floats
    uncore_freq_ghz: Floats
    cache_hits: Floats
    cache_misses: Floats
    dram_accesses_g_per_s: Floats

    def __post_init__(self) -> None:
        cores = (self.volt, self.freq_ghz, self.instructions, self.near_loads, self.far_accesses)
        if self.volt.ndim != 2 or any(values.shape != self.volt.shape for values in cores):
            raise ValueError("counters of cores must be [samples, cores]")
        for field in fields(self):
            values = getattr(self, field.name)
            if values.shape[:1] != self.volt.shape[:1] or values.ndim > 2:
                raise ValueError(f"{field.name} must have an entry for each sample")
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise ValueError(f"{field.name} must be finite and not negative")


@dataclass(frozen=True, eq=False)
class Watts:
    """Power by component [samples]: cores, uncore, DRAM, and the rest of the wall power."""

    core: Floats
    uncore: Floats
    dram: Floats
    rest: Floats

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            if values.ndim != 1 or values.shape != self.core.shape:
                raise ValueError("power must be [samples] for each component")
            if not np.isfinite(values).all():
                raise ValueError(f"power of {field.name} must be finite")

    @property
    def total(self) -> Floats:
        return self.core + self.uncore + self.dram + self.rest


CORE = ("i", "c0", "c1", "c2", "c3")
UNCORE = ("i_u", "c_u1", "c_u2")
DRAM = ("refresh", "d")
REST = ("other",)


@dataclass(frozen=True)
class CounterPowerModel:
    """A fitted power model: nonnegative parameters of each component of a server.

    core, uncore, dram, rest: parameters in the order of the names CORE, UNCORE, DRAM and REST.
    """

    core: tuple[float, ...]
    uncore: tuple[float, ...]
    dram: tuple[float, ...]
    rest: tuple[float, ...]

    def __post_init__(self) -> None:
        for values, names in zip(self.components, (CORE, UNCORE, DRAM, REST), strict=True):
            if len(values) != len(names) or not min(values) >= 0:
                raise ValueError(f"{', '.join(names)} must be given, none negative")

    @property
    def components(self) -> tuple[tuple[float, ...], ...]:
        return self.core, self.uncore, self.dram, self.rest

    def predict(self, counters: PowerCounters) -> Watts:
        """Compute each component's power of each sample from the counters [W]."""
        return Watts(
            *(
                columns @ np.array(values)
                for columns, values in zip(columns_of(counters), self.components, strict=True)
            )
        )


def columns_of(counters: PowerCounters) -> tuple[Floats, Floats, Floats, Floats]:
    """The factors that a power model multiplies with its parameters: core, uncore, DRAM and rest.

    Each is [samples, parameters]; power is the factors times the parameters.
    """
    switched = counters.volt**2 * counters.freq_ghz
    by_core = (
        counters.volt,
        switched,
        counters.instructions * switched,
        counters.near_loads * switched,
        counters.far_accesses * switched,
    )
    uncore = counters.uncore_volt**2 * counters.uncore_freq_ghz
    ones = np.ones(counters.volt.shape[0])
    return (
        np.stack([values.sum(axis=1) for values in by_core], axis=1),
        np.stack(
            [counters.uncore_volt, counters.cache_hits * uncore, counters.cache_misses * uncore],
            axis=1,
        ),
        np.stack([ones, counters.dram_accesses_g_per_s], axis=1),
        ones[:, None],
    )
