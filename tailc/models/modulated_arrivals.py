"""Bursty arrivals at random times: a Poisson process that switches between two rates (MMPP).

Let r be the sum of the switching rates, b the busy share of time, D the difference of the two
rates, V = b (1 - b) D^2 the variance of the rate, and m the mean rate. Then counts over a time t
have

    variance / mean = 1 + 2 V / (m r) (1 - (1 - exp(-r t)) / (r t)),

their index of dispersion (Fischer and Meier-Hellstern, Performance Evaluation 18, 1993, "The
Markov-modulated Poisson process (MMPP) cookbook", for two states).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.errors import Code, Finding, TailcError
from tailc.models import streams
from tailc.models.arrivals import LONGEST_NS, WARM_UP_PART
from tailc.models.outcome import NS_PER_US
from tailc.percentiles import PPM
from tailc.units import format_mrps, format_ppm, format_us, plain_ppm

BUSY_PPM = 200_000
# Share of a replay that is measured however long bursts are.
_MOST_WARM_UP_PART = 4
# Shorter spells take long to simulate and look like Poisson arrivals in every count.
_LEAST_IN_SPELL = 0.01
# No replay has this many cycles; the times of more would not fit into 64 bits.
_CYCLES = 10
_LENGTHEN = "give longer spells"
_MRPS = 1e3
_US_PER_S = 1e6


@dataclass(frozen=True)
class Burstiness:
    """Parameters of bursty arrivals: how strong, how long and how frequent busy spells are.

    idc_ppm: index of dispersion of counts over long times [1e-6], from 1 (Poisson). spell_us: mean
    duration of a busy spell. busy_ppm: share of the time that is busy.
    """

    idc_ppm: int
    spell_us: int
    busy_ppm: int = BUSY_PPM

    def __post_init__(self) -> None:
        assert self.idc_ppm >= PPM
        assert self.spell_us > 0
        assert 0 < self.busy_ppm < PPM

    def __str__(self) -> str:
        spell, busy = format_us(self.spell_us), format_ppm(self.busy_ppm)
        return f"IDC {plain_ppm(self.idc_ppm)}, spells of {spell}, {busy} busy"

    @property
    def words(self) -> str:
        """Format the burstiness as the option `--arrivals` accepts it."""
        idc, spell = plain_ppm(self.idc_ppm), format_us(self.spell_us)
        return f"bursty:idc={idc},spell={spell},busy={format_ppm(self.busy_ppm)}".replace(" ", "")

    def with_rate(self, rate_mrps: int) -> ModulatedArrivals:
        """Make bursty arrivals with this burstiness and a mean rate; TailcError if none exist."""
        return ModulatedArrivals(rate_mrps, self)

    @property
    def cycle_us(self) -> float:
        """Mean duration of a busy spell and the quiet one after it."""
        return self.spell_us * PPM / self.busy_ppm

    @property
    def switching_rps(self) -> float:
        """Sum of the two rates at which a bursty process switches [1/s].

        Its correlation decays at this rate.
        """
        return _US_PER_S / self.spell_us / (1 - self.busy_ppm / PPM)

    def idc(self, window_s: float) -> float:
        """Index of dispersion of counts over windows of `window_s` seconds."""
        return 1 + (self.idc_ppm / PPM - 1) * share_reached(self.switching_rps * window_s)

    def most_idc(self, rate_mrps: int) -> float:
        """The largest possible index of dispersion of the counts at a mean rate.

        It is that of arrivals that come only in busy spells.
        """
        busy = self.busy_ppm / PPM
        in_spell = rate_mrps / _MRPS * self.spell_us / _US_PER_S
        return 1 + 2 * in_spell * (1 - busy) ** 2 / busy


def share_reached(forgotten: float) -> float:
    """Index of dispersion over a finite time, as a part of its limit: 1 - (1 - exp(-x)) / x.

    The index is that of counts, less 1. forgotten: x = r t, the time t times the rate r at which
    the correlation of the counts decays.
    """
    return 1 + math.expm1(-forgotten) / forgotten


@dataclass(frozen=True)
class ModulatedArrivals:
    """Poisson arrivals whose rate switches between two levels, with exponential spells.

    Raises TailcError if this burstiness is impossible at the rate.
    """

    rate_mrps: int
    burstiness: Burstiness
    is_recorded = False
    has_constant_rate = True
    record_of = None
    stretches = ()

    def __post_init__(self) -> None:
        assert self.rate_mrps > 0
        for message, hint in self._faults():
            raise TailcError(Finding(Code.USAGE, message, help=hint))

    def _faults(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the parameters, and how to fix it."""
        burstiness = self.burstiness
        rate, spell = format_mrps(self.rate_mrps), format_us(burstiness.spell_us)
        if self.rate_mrps * burstiness.spell_us < _LEAST_IN_SPELL * _MRPS * _US_PER_S:
            yield f"busy spells of `{spell}` are too short for a request at {rate}", _LENGTHEN
        if burstiness.cycle_us * NS_PER_US * _CYCLES > LONGEST_NS:
            share = f"{format_ppm(burstiness.busy_ppm)} of the time"
            yield (
                f"busy spells of `{spell}` that take {share} occur once in years",
                "shorten the spells",
            )
        most = burstiness.most_idc(self.rate_mrps)
        if burstiness.idc_ppm / PPM > most:
            busy = format_ppm(burstiness.busy_ppm)
            yield (
                f"an index of dispersion of `{plain_ppm(burstiness.idc_ppm)}` is out of reach at "
                f"{rate} in spells of {spell} that take {busy} of the time: at most {most:.4g}",
                f"{_LENGTHEN}, or a smaller busy share",
            )

    @property
    def name(self) -> str:
        """Name of the arrival process in reports: its mean rate and burstiness."""
        return f"bursty {format_mrps(self.rate_mrps)}, {self.burstiness}"

    @property
    def words(self) -> str:
        """Format the arrival process in the syntax of the option `--arrivals`."""
        return f"{self.burstiness.words},rate={format_mrps(self.rate_mrps)}"

    @property
    def levels_rps(self) -> tuple[float, float]:
        """The rates in busy spells and between them [requests per second]."""
        mean, busy = self.rate_mrps / _MRPS, self.burstiness.busy_ppm / PPM
        beyond_poisson = self.burstiness.idc_ppm / PPM - 1
        variance = beyond_poisson * mean * self.burstiness.switching_rps / 2
        apart = math.sqrt(variance / (busy * (1 - busy)))
        # At the greatest index the lower level is 0, apart from rounding.
        return mean + (1 - busy) * apart, max(mean - busy * apart, 0.0)

    def arrival_ns(self, state: NDArray[np.uint64], requests: int) -> NDArray[np.int64]:
        """Draw the arrival times of `requests` requests [ns].

        Time 0 is a random time of the stationary process.
        """
        times_ns = np.empty(requests, np.int64)
        busy = self.burstiness.busy_ppm / PPM
        cycle_ns = self.burstiness.cycle_us * NS_PER_US
        lasting_ns = np.array([cycle_ns * busy, cycle_ns * (1 - busy)])
        rate_mrps = np.array(self.levels_rps) * _MRPS
        streams.modulated_arrivals(state, rate_mrps, lasting_ns, times_ns)
        return times_ns

    def warm_up(self, requests: int) -> int:
        """Number of warm-up requests: 5 %, or those of a burst cycle if more; at most a quarter."""
        cycle = math.ceil(self.rate_mrps / _MRPS * self.burstiness.cycle_us / _US_PER_S)
        return min(max(requests // WARM_UP_PART, cycle), requests // _MOST_WARM_UP_PART)
