"""Energy, utilization and control of models that give each request a core to itself."""

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

# Percentiles that enclose 90 % of the outputs.
NINE_IN_TEN_PPM = (50_000, 950_000)


@dataclass(frozen=True)
class TypeUse:
    """A type of core (`name`), and the utilization of all its cores together [1e-6]."""

    name: str
    utilization_ppm: int


@dataclass(frozen=True)
class EnergyRatio:
    """Energy of a request relative to a baseline's [1e-6], for the cores and the whole server."""

    cores_ppm: int
    server_ppm: int


@dataclass(frozen=True)
class EnergyUse:
    """Mean energy of a request over all replications, in the policy's unit of power times us.

    This is microjoules if the unit is the watt. request_us: energy on its cores. interval_us: 95 %
    confidence interval over the replications, None with one. idle_us: energy of free cores per
    request. types: utilization of each type of core. ratio: energy relative to a baseline's; None
    without a baseline, or if one of the two is overloaded.
    """

    request_us: int
    interval_us: tuple[int, int] | None
    idle_us: int
    types: tuple[TypeUse, ...]
    ratio: EnergyRatio | None = None

    @property
    def drawn_us(self) -> int:
        """Energy of a request, including its part of the energy of free cores.

        In the policy's unit of power times microseconds.
        """
        return self.request_us + self.idle_us

    def relative_to(self, base_us: int, other_ppm: int) -> EnergyUse:
        """The same energy of a request, with its ratio to that of a baseline.

        base_us: energy of a request under the baseline [power times us]. other_ppm: share of the
        baseline's power that is used outside the cores [1e-6].
        """
        cores = self.drawn_us / base_us
        server = (1 - other_ppm / PPM) * cores + other_ppm / PPM
        return replace(self, ratio=EnergyRatio(round(cores * PPM), round(server * PPM)))

    def to_dict(self) -> dict[str, Any]:
        """Convert the energy of requests to a JSON object of a verdict."""
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
    """Mean output of a controller over all measured steps, and the central 90 % of the outputs."""

    mean_ppm: int
    low_ppm: int
    high_ppm: int


@dataclass(frozen=True, eq=False)
class EnergyTimes:
    """Energy per request in one replay, in units of power times nanoseconds.

    energy: of requests. idle_energy: of free cores. utilization: of each type of core, None if it
    is off. outputs_ppm: output after each measured step.
    """

    energy: float
    idle_energy: float
    utilization: tuple[float | None, ...]
    outputs_ppm: NDArray[np.int64]


def energy_times(outcome: PoweredOutcome) -> EnergyTimes:
    """Compute energy per request, utilization and controller outputs from one replay."""
    return EnergyTimes(
        outcome.mean_energy,
        outcome.mean_idle_energy,
        outcome.utilization_by_pool,
        outcome.outputs_ppm,
    )


def energy_use(type_names: Sequence[str], repeats: Sequence[EnergyTimes]) -> EnergyUse:
    """Average the energy over all replications, with an interval.

    The interval is over the replications, which differ only in their arrivals; None with one.
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
    types = []
    for name, shares in zip(names, zip(*used, strict=True), strict=True):
        known = [share for share in shares if share is not None]
        # A type that is off has no utilization.
        types.append(TypeUse(name, round(fmean(known or [0.0]) * PPM)))
    return types


def control_use(repeats: Sequence[EnergyTimes]) -> ControlUse | None:
    """Mean and central 90 % of the controller's outputs of all replications.

    None if there are none.
    """
    outputs = np.sort(np.concatenate([one.outputs_ppm for one in repeats]))
    if not len(outputs):
        return None
    low, high = (outputs[percentile_rank(share, len(outputs)) - 1] for share in NINE_IN_TEN_PPM)
    return ControlUse(round(float(outputs.mean())), int(low), int(high))


@dataclass(frozen=True)
class PoweredUse(Usage):
    """Use of cores with known power over all replications: energy and controller.

    energy: energy of a request. control: outputs of a controller; None without a controller or a
    control step.
    """

    energy: EnergyUse
    control: ControlUse | None

    @property
    def drawn_us(self) -> int:
        """Energy of a request, including its part of the energy of idle cores [power times us]."""
        return self.energy.drawn_us

    def relative_to(self, base_us: int, other_ppm: int) -> Self:
        """The same use of the server, with its energy relative to that of a baseline.

        base_us: energy of a request under the baseline [power times us]. other_ppm: share of the
        baseline's power that is used outside the cores [1e-6].
        """
        return replace(self, energy=self.energy.relative_to(base_us, other_ppm))

    def cost_us(self, load: Load) -> float:  # noqa: ARG002 - the same for any load
        """Cost of a request by which policies are compared: its energy, including idle cores.

        In the policy's unit of power times microseconds.
        """
        return self.energy.drawn_us

    @property
    def energy_ratio_ppm(self) -> int | None:
        """Energy of the cores relative to that of a baseline [1e-6]; None without one."""
        return self.energy.ratio and self.energy.ratio.cores_ppm

    @property
    def remarks(self) -> tuple[str, ...]:
        return ()
