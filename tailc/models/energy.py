"""What requests with a core to themselves drew, how busy each type was, and what steered them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tailc.means import mean_and_half
from tailc.models.outcome import NS_PER_US, PoweredOutcome
from tailc.models.server_load import Load
from tailc.models.usage import Usage
from tailc.percentiles import PPM, percentile_rank

# Percentiles between which nine in ten outputs lie.
NINE_IN_TEN_PPM = (50_000, 950_000)


@dataclass(frozen=True)
class TypeUse:
    """A type of core, and how busy all of it was."""

    name: str
    utilization_ppm: int


@dataclass(frozen=True)
class EnergyRatio:
    """Energy over that of a reference: of the cores, and of the whole server [millionths]."""

    cores_ppm: int
    server_ppm: int


@dataclass(frozen=True)
class EnergyUse:
    """Energy of a request: power times time, in the policy's unit of power times microseconds
    (microjoules where it is the watt).

    `request_us`: what it drew on its cores, in the mean; `interval_us`: 95 % interval over the
    repeats, None with one. `idle_us`: what free cores drew, by request. `ratio`: None without a
    reference, or where either is overloaded.
    """

    request_us: int
    interval_us: tuple[int, int] | None
    idle_us: int
    types: tuple[TypeUse, ...]
    ratio: EnergyRatio | None = None

    @property
    def drawn_us(self) -> int:
        """Free cores included."""
        return self.request_us + self.idle_us

    def relative_to(self, base_us: int, other_ppm: int) -> EnergyUse:
        """With its ratio; `other_ppm`: see `Usage.relative_to`."""
        cores = self.drawn_us / base_us
        server = (1 - other_ppm / PPM) * cores + other_ppm / PPM
        return replace(self, ratio=EnergyRatio(round(cores * PPM), round(server * PPM)))

    def to_dict(self) -> dict[str, Any]:
        """As a verdict's JSON has it."""
        low_us, high_us = self.interval_us or (None, None)
        return {
            "request_us": self.request_us,
            "low_us": low_us,
            "high_us": high_us,
            "idle_us": self.idle_us,
            "types": [asdict(one) for one in self.types],
            "relative_ppm": self.ratio and self.ratio.cores_ppm,
            "whole_ppm": self.ratio and self.ratio.server_ppm,
        }


@dataclass(frozen=True)
class ControlUse:
    """The output of a controller after all steps that were measured: mean, and the range of nine
    in ten of them.
    """

    mean_ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True, eq=False)
class EnergyTimes:
    """One replay: energy of a request and of free cores by request, in power times nanoseconds.

    utilization: of each type of core, None of one that is off. outputs_ppm: after each step that
    was measured.
    """

    energy: float
    idle_energy: float
    utilization: tuple[float | None, ...]
    outputs_ppm: NDArray[np.int64]


def energy_times(outcome: PoweredOutcome) -> EnergyTimes:
    """What a replay says."""
    return EnergyTimes(
        outcome.mean_energy,
        outcome.mean_idle_energy,
        outcome.utilization_by_pool,
        outcome.outputs_ppm,
    )


def energy_use(type_names: Sequence[str], repeats: Sequence[EnergyTimes]) -> EnergyUse:
    """Means over all repeats; the interval is that of the repeats, which differ in arrivals alone.

    One repeat has none.
    """
    mean, half = mean_and_half([one.energy for one in repeats])
    interval_us = None if half is None else (_us(max(mean - half, 0.0)), _us(mean + half))
    return EnergyUse(
        _us(mean),
        interval_us,
        _us(fmean(one.idle_energy for one in repeats)),
        tuple(_types(type_names, [one.utilization for one in repeats])),
    )


def _us(energy: float) -> int:
    return round(energy / NS_PER_US)


def _types(names: Sequence[str], used: Sequence[tuple[float | None, ...]]) -> list[TypeUse]:
    found = []
    for name, shares in zip(names, zip(*used, strict=True), strict=True):
        known = [share for share in shares if share is not None]
        # A type that is off has none.
        found.append(TypeUse(name, round(fmean(known or [0.0]) * PPM)))
    return found


def control_use(repeats: Sequence[EnergyTimes]) -> ControlUse | None:
    """The outputs of all repeats; None where nothing steers, or no epoch ended."""
    outputs = np.sort(np.concatenate([one.outputs_ppm for one in repeats]))
    if not len(outputs):
        return None
    low, high = (outputs[percentile_rank(share, len(outputs)) - 1] for share in NINE_IN_TEN_PPM)
    return ControlUse(round(float(outputs.mean())), int(low), int(high))


@dataclass(frozen=True)
class PoweredUse(Usage):
    """Of cores that draw power. control: None where nothing steers, or no epoch ended."""

    energy: EnergyUse
    control: ControlUse | None

    @property
    def drawn_us(self) -> int:
        """Of a request, cores without requests included."""
        return self.energy.drawn_us

    def relative_to(self, base_us: int, other_ppm: int) -> Self:
        """With its energy over that of a base."""
        return replace(self, energy=self.energy.relative_to(base_us, other_ppm))

    def cost_us(self, load: Load) -> int:  # noqa: ARG002 - whoever comes
        """Energy."""
        return self.energy.drawn_us

    @property
    def energy_ratio_ppm(self) -> int | None:
        """Of the cores."""
        return self.energy.ratio and self.energy.ratio.cores_ppm

    @property
    def remarks(self) -> tuple[str, ...]:
        """Nothing."""
        return ()
