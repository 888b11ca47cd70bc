"""Helpers of test_fit_power.py that other tests use too."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.reference.counter_traces import SAMPLE_S, trace


def columns(samples, seed, noise):
    """The reference trace as a file has it."""
    counters, watts = trace(samples, seed, noise)
    told = {"time_s": SAMPLE_S * np.arange(samples)}
    by_core = {
        "freq_mhz": 1_000 * counters.freq_ghz,
        "volt": counters.volt,
        "ipc": counters.instructions,
        "near_loads": counters.near_loads,
        "far_accesses": counters.far_accesses,
    }
    for name, values in by_core.items():
        told |= {f"core{core}_{name}": values[:, core] for core in range(values.shape[1])}
    return told | {
        "uncore_freq_mhz": 1_000 * counters.uncore_freq_ghz,
        "uncore_volt": counters.uncore_volt,
        "uncore_hits": counters.cache_hits,
        "uncore_misses": counters.cache_misses,
        "dram_accesses_per_s": 1e9 * counters.dram_accesses_g_per_s,
        "core_w": watts.core,
        "uncore_w": watts.uncore,
        "dram_w": watts.dram,
        "wall_w": watts.total,
    }


def write(folder, name, told):
    pq.write_table(pa.table(told), folder / name)
