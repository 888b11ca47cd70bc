"""Requests for a shared server, by hand and drawn."""

import random

import numpy as np
from numpy.typing import NDArray

from tailc.models.shared_cores.clairvoyant import SharedServer, clairvoyant_tail_ns, lower_bound_ns
from tailc.models.workload import Workload

MS = 1_000_000
PPM = 1_000_000
# Speed-ups of Haque et al. (ASPLOS 2015) on Lucene.
SPEEDS = (1.0, 1.9, 2.65, 3.2)


def server(cores: float, rungs: int = len(SPEEDS)) -> SharedServer:
    """Rung i takes i + 1 threads."""
    return SharedServer(round(cores * PPM), tuple((i + 1) * PPM for i in range(rungs)))


def load_of(work_ns: NDArray[np.int64], speeds: tuple[float, ...]) -> Workload:
    count = len(work_ns)
    one = np.ones(count, np.int64)
    return Workload(work_ns, one, np.zeros(count, np.int32), np.array([speeds]))


class Instance:
    """Requests in order of arrival, and what both functions say of them [ms]."""

    def __init__(
        self,
        arrival_ms: list[float],
        work_ms: list[float],
        cores: float,
        speeds: tuple[float, ...] = SPEEDS,
    ) -> None:
        self.arrival_ms, self.work_ms, self.cores, self.speeds = arrival_ms, work_ms, cores, speeds

    def bound_ms(self, percentile_ppm: int = PPM, measured_from: int = 0) -> float:
        return lower_bound_ns(*self._parts, percentile_ppm, measured_from) / MS

    def reached_ms(self, percentile_ppm: int = PPM, measured_from: int = 0) -> float:
        return clairvoyant_tail_ns(*self._parts, percentile_ppm, measured_from) / MS

    @property
    def _parts(self):
        work_ns = np.rint(np.array(self.work_ms) * MS).astype(np.int64)
        arrival_ns = np.rint(np.array(self.arrival_ms) * MS).astype(np.int64)
        load = load_of(work_ns, self.speeds)
        return load, np.arange(len(work_ns)), arrival_ns, server(self.cores, len(self.speeds))


def random_instance(rng: random.Random, count: int, speeds: tuple[float, ...]) -> Instance:
    """So close together that requests are in each other's way."""
    arrival_ms = sorted(float(rng.randint(0, 60)) for _ in range(count))
    work_ms = [float(rng.randint(5, 120)) for _ in range(count)]
    return Instance(arrival_ms, work_ms, rng.choice([1.0, 2.5, 4.0]), speeds)
