"""Counter traces of a server that does not quite follow the power model.

Four cores run random mixes of twelve synthetic applications; a core takes another one every 1 to 8
seconds, and all cores have a new random frequency every 4 seconds. Samples are 25 ms. Applications
differ in instructions per cycle, in the share of cycles at 2.5 GHz that wait for memory, in how
many loads and cache accesses an instruction has, and in what they switch beside what is counted (up
to `unmodelled` of their dynamic power). Everything drifts slowly by a percent, as with temperature.
The wall is read once a second and interpolated, as in the dissertation (section 3.7.5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tailc_solvers.power.model import CounterPowerModel, PowerCounters, Watts, columns_of
from tailc_solvers.power.voltage import HASWELL

SAMPLE_S, FREQUENCY_S, READING_S = 0.025, 4.0, 1.0
CORES, APPLICATIONS = 4, 12
FREQUENCIES_GHZ = np.append(np.arange(0.8, 3.5, 0.2), 3.8)
NOMINAL_GHZ = 2.5

TRUE = CounterPowerModel(
    core=(0.9, 0.25, 0.55, 0.30, 4.0),
    uncore=(3.0, 9.0, 20.0),
    dram=(2.0, 14.0),
    rest=(24.0,),
)


@dataclass(frozen=True)
class Noise:
    """How far the server is from the model; all 0 is a server that follows it exactly."""

    unmodelled: float = 0.06
    drift: float = 0.01
    reading_w: float = 0.5
    sensor: float = 0.01


QUIET = Noise(0.0, 0.0, 0.0, 0.0)


def trace(samples: int, seed: int, noise: Noise) -> tuple[PowerCounters, Watts]:
    draw = np.random.default_rng(seed)
    running = _switching(draw, samples, CORES)
    freq = np.repeat(
        draw.choice(FREQUENCIES_GHZ, -(-samples // _per(FREQUENCY_S))), _per(FREQUENCY_S)
    )
    counters = _counted(draw, running, np.tile(freq[:samples, None], CORES))
    return counters, _measured(draw, counters, running, noise)


def _per(seconds: float) -> int:
    return round(seconds / SAMPLE_S)


def _switching(draw: np.random.Generator, samples: int, cores: int) -> np.ndarray:
    """The application of each core [samples, cores]."""
    running = np.empty((samples, cores), dtype=np.int64)
    for core in range(cores):
        stays = draw.integers(_per(1.0), _per(8.0), samples // _per(1.0) + 1)
        running[:, core] = np.repeat(draw.integers(0, APPLICATIONS, stays.size), stays)[:samples]
    return running


def _applications() -> tuple[np.ndarray, ...]:
    """IPC, memory share, loads and far accesses an instruction, misses an access."""
    draw = np.random.default_rng(2_015)
    stalled = np.linspace(0.02, 0.8, APPLICATIONS)
    ipc = 2.4 * (1 - stalled) + draw.uniform(0.1, 0.4, APPLICATIONS)
    far = 0.002 + 0.04 * stalled * draw.uniform(0.6, 1.4, APPLICATIONS)
    return (
        ipc,
        stalled,
        draw.uniform(0.15, 0.4, APPLICATIONS),
        far,
        draw.uniform(0.2, 0.8, APPLICATIONS),
    )


def _counted(draw: np.random.Generator, running: np.ndarray, freq: np.ndarray) -> PowerCounters:
    ipc, stalled, loads, far, missed = (values[running] for values in _applications())
    instructions = ipc / (1 - stalled + stalled * freq / NOMINAL_GHZ)
    instructions = instructions * np.exp(draw.normal(0, 0.05, freq.shape))
    accesses = instructions * far * np.exp(draw.normal(0, 0.05, freq.shape))
    by_uncore_cycle = (accesses * freq).sum(axis=1), (accesses * missed * freq).sum(axis=1)
    ones = np.ones(freq.shape[0])
    return PowerCounters(
        volt=HASWELL.volt(1_000 * freq),
        freq_ghz=freq,
        instructions=instructions,
        near_loads=instructions * loads * np.exp(draw.normal(0, 0.05, freq.shape)),
        far_accesses=accesses,
        uncore_volt=float(HASWELL.volt(1_000 * NOMINAL_GHZ)) * ones,
        uncore_freq_ghz=NOMINAL_GHZ * ones,
        cache_hits=(by_uncore_cycle[0] - by_uncore_cycle[1]) / NOMINAL_GHZ,
        cache_misses=by_uncore_cycle[1] / NOMINAL_GHZ,
        dram_accesses_g_per_s=by_uncore_cycle[1],
    )


def _measured(
    draw: np.random.Generator, counters: PowerCounters, running: np.ndarray, noise: Noise
) -> Watts:
    true = TRUE.predict(counters)
    samples = true.core.size
    leaked = columns_of(counters)[0][:, 0] * TRUE.core[0]
    odd = np.random.default_rng(7).uniform(-1, 1, APPLICATIONS)[running].mean(axis=1)
    drift = noise.drift * np.sin(2 * np.pi * np.arange(samples) / _per(120.0))
    core = (leaked + (true.core - leaked) * (1 + noise.unmodelled * odd)) * (1 + drift)

    def sensed(power: np.ndarray) -> np.ndarray:
        return power * (1 + noise.sensor * draw.normal(size=samples))

    seen = sensed(core), sensed(true.uncore), sensed(true.dram)
    wall = core + true.uncore + true.dram + true.rest
    if noise == QUIET:
        return Watts(*seen, true.rest)
    return Watts(*seen, _read_slowly(draw, wall, noise.reading_w) - sum(seen))


def _read_slowly(draw: np.random.Generator, wall: np.ndarray, noise_w: float) -> np.ndarray:
    """One reading a second of the second's mean, interpolated."""
    per = _per(READING_S)
    means = wall[: wall.size // per * per].reshape(-1, per).mean(axis=1)
    means = means + draw.normal(0, noise_w, means.size)
    return np.interp(np.arange(wall.size), per * (np.arange(means.size) + 0.5), means)
