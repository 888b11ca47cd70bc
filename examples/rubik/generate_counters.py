"""Generate counters and powers of a synthetic server with two cores, for `tailc fit power`.

    python examples/rubik/generate_counters.py

Each of five kinds of work runs on a core for a second or more, and both cores have a new frequency
every two seconds. Power follows the model that is fitted, but for what each kind of work switches
beside what is counted, a drift by a percent and noise of the readings. **Nothing here was
measured.**
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

SAMPLES, CORES, SAMPLE_S = 800, 2, 0.1
PER_SECOND, PER_FREQUENCY = 10, 20
SEED = 2015
FREQUENCIES_MHZ = np.arange(800, 3_401, 200)
UNCORE_MHZ = 2_400
# Of each kind of work: instructions by cycle at 2.4 GHz, share of cycles that wait for memory,
# near loads and far accesses an instruction, misses an access, and dynamic power beside the model.
KINDS = np.array(
    [
        (2.2, 0.05, 0.30, 0.002, 0.3, 0.02),
        (1.6, 0.20, 0.22, 0.008, 0.5, -0.01),
        (1.2, 0.35, 0.35, 0.012, 0.2, -0.02),
        (0.8, 0.55, 0.18, 0.025, 0.6, 0.02),
        (0.5, 0.75, 0.27, 0.040, 0.8, 0.01),
    ]
)
SPREAD, DRIFT, READING = 0.05, 0.01, 0.01
DIGITS = 5


def volt(mhz):
    """Of a Haswell core (Bartolini, 2015, section 1.2.3)."""
    return 1.169e-4 * mhz + 0.634


def main() -> None:
    """Write counters.csv beside this script, or where --output says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent)
    columns = samples(np.random.default_rng(SEED))
    table = pa.table({name: rounded(values) for name, values in columns.items()})
    pc.write_csv(table, parser.parse_args().output / "counters.csv")
    print(f"{table.num_rows} samples")


def rounded(values):
    """To so many digits, so that the file is small."""
    return [float(f"{value:.{DIGITS}g}") for value in values]


def samples(drawn: np.random.Generator) -> dict[str, np.ndarray]:
    """Counters and powers of each sample."""
    kind = np.repeat(drawn.integers(0, len(KINDS), (SAMPLES // PER_SECOND, CORES)), PER_SECOND, 0)
    chosen = drawn.choice(FREQUENCIES_MHZ, (SAMPLES // PER_FREQUENCY, CORES))
    mhz = np.repeat(chosen, PER_FREQUENCY, 0).astype(float)
    ipc, stalled, loads, far, missed, odd = np.moveaxis(KINDS[kind], 2, 0)

    def spread(values):
        return values * np.exp(SPREAD * drawn.standard_normal(mhz.shape))

    instructions = spread(ipc / (1 - stalled + stalled * mhz / 2_400))
    near, accesses = spread(instructions * loads), spread(instructions * far)
    per_second = accesses * mhz
    hits = (per_second * (1 - missed)).sum(axis=1) / UNCORE_MHZ
    misses = (per_second * missed).sum(axis=1) / UNCORE_MHZ
    switched = volt(mhz) ** 2 * mhz / 1_000
    active = (0.3 + 0.6 * instructions + 0.4 * near + 5 * accesses) * switched * (1 + odd)
    drift = 1 + DRIFT * np.sin(np.arange(SAMPLES) / 100)
    uncore = volt(UNCORE_MHZ) ** 2 * UNCORE_MHZ / 1_000
    powers = {
        "core_w": (0.8 * volt(mhz) + active).sum(axis=1) * drift,
        "uncore_w": 2.5 * volt(UNCORE_MHZ) + (8 * hits + 18 * misses) * uncore,
        "dram_w": 1.8 + 12 * misses * UNCORE_MHZ / 1_000,
    }
    wall = sum(powers.values()) + 22
    noisy = {
        name: watts * (1 + READING * drawn.standard_normal(SAMPLES))
        for name, watts in {**powers, "wall_w": wall}.items()
    }
    by_core = {
        "freq_mhz": mhz,
        "ipc": instructions,
        "near_loads": near,
        "far_accesses": accesses,
    }
    return {
        "time_s": SAMPLE_S * np.arange(SAMPLES),
        **{
            f"core{core}_{name}": values[:, core]
            for core in range(CORES)
            for name, values in by_core.items()
        },
        "uncore_freq_mhz": np.full(SAMPLES, float(UNCORE_MHZ)),
        "uncore_hits": hits,
        "uncore_misses": misses,
        "dram_accesses_per_s": misses * UNCORE_MHZ * 1e6,
        **noisy,
    }


if __name__ == "__main__":
    main()
