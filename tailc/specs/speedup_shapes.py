"""Built-in speed-ups of seven kinds of parallel jobs, by servers and VMs, from a formula.

A job runs one process in each of its v VMs; a server has two cores. On n servers

    S(n, v) = D(min(2 n, v)) / D(2) * (1 + g max(0, 2 n - v) / v)

where D is Downey's speed-up of a program of average parallelism A and variance sigma. The last
factor is the gain of VMs that have a server to themselves, and so share neither memory nor network;
their share is max(0, 2 n - v) / v. The shapes are named after the NAS parallel benchmarks that they
resemble: they are not measurements of them. EP hardly communicates and is nearly linear; LU and SP
exchange borders; FT transposes, MG works on ever coarser grids, CG multiplies sparse matrices; IS
sorts, all to all, and is the first to stop gaining. Its gain of 0.66 is the one that the
dissertation reports.

Source: Downey, "A model for speedup of parallel programs", UCB/CSD-97-933 (1997), both cases of
sigma; Bailey et al., "The NAS parallel benchmarks", RNR-94-007 (1994), for what the programs do;
Haque, PhD dissertation (Rutgers 2016), section B.4, for IS alone on servers. A, sigma and the other
gains are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

CORES_A_SERVER = 2
PPT_A_STEP = 10
"""Speed-ups are rounded to hundredths: plans count work in such steps."""


@dataclass(frozen=True)
class SpeedupShape:
    """Parameters of the speed-up formula for one kind of parallel job.

    name: of the benchmark that it resembles. parallelism: average parallelism A, in cores.
    variance: sigma; with 0 the speed-up is linear up to A. alone: relative gain g of VMs that have
    a server to themselves.
    """

    name: str
    parallelism: Fraction
    variance: Fraction
    alone: Fraction

    def speedup_ppt(self, vms: int, servers: Sequence[int]) -> list[int]:
        """Speed-ups of a parallel job in thousandths, for each number of servers.

        vms: its virtual machines. ValueError unless all speed-ups are positive.
        """
        if vms < 1 or min(servers, default=0) < 1:
            raise ValueError("a job needs a VM and servers")
        return [self._ppt(vms, n) for n in servers]

    def _ppt(self, vms: int, n: int) -> int:
        cores = min(CORES_A_SERVER * n, max(vms, CORES_A_SERVER))
        alone = Fraction(min(max(0, CORES_A_SERVER * n - vms), vms), vms)
        speedup = self._downey(cores) / self._downey(CORES_A_SERVER) * (1 + self.alone * alone)
        return PPT_A_STEP * round(1_000 * speedup / PPT_A_STEP)

    def _downey(self, cores: int) -> Fraction:
        average, sigma, n = self.parallelism, self.variance, Fraction(cores)
        if sigma > 1:
            if n >= average + average * sigma - sigma:
                return average
            return n * average * (sigma + 1) / (sigma * (n + average - 1) + average)
        if n <= average:
            return average * n / (average + sigma / 2 * (n - 1))
        if n < 2 * average - 1:
            return average * n / (sigma * (average - Fraction(1, 2)) + n * (1 - sigma / 2))
        return average


def _shape(name: str, parallelism: int, variance: str, alone: str) -> SpeedupShape:
    return SpeedupShape(name, Fraction(parallelism), Fraction(variance), Fraction(alone))


SPEEDUP_SHAPES = {
    shape.name: shape
    for shape in (
        _shape("EP", 512, "0.05", "0.02"),
        _shape("LU", 40, "0.5", "0.15"),
        _shape("SP", 32, "0.6", "0.25"),
        _shape("FT", 28, "0.7", "0.3"),
        _shape("MG", 24, "0.8", "0.3"),
        _shape("CG", 14, "1", "0.35"),
        _shape("IS", 8, "1.4", "0.66"),
    )
}
"""By name."""
