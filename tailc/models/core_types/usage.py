"""What requests on whole cores drew, how busy each type was, and what steered them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from tailc.forms.ladder.table import Ladder
from tailc.means import mean_and_half
from tailc.models.outcome import Outcome
from tailc.models.pools import pools
from tailc.models.shared_cores.arrays import NS_PER_US
from tailc.percentiles import PPM, percentile_rank


@dataclass(frozen=True)
class TypeUse:
    """A type of core, and how busy all of it was."""

    name: str
    utilization_ppm: int


@dataclass(frozen=True)
class CoreUse:
    """Energy of a request, where rungs are whole cores: power times time, in the policy's unit of
    power times microseconds (microjoules where it is the watt).

    `request_us`: what it drew on its cores, in the mean; `low_us`, `high_us`: 95 % interval over
    the repeats, None with one. `idle_us`: what free cores drew, by request. `relative_ppm`: both
    together over those of the reference; `whole_ppm`: the same of the whole server. None without a
    reference, or where either is overloaded.
    """

    request_us: int
    low_us: int | None
    high_us: int | None
    idle_us: int
    types: tuple[TypeUse, ...]
    relative_ppm: int | None = None
    whole_ppm: int | None = None


@dataclass(frozen=True)
class ControlUse:
    """The output of a controller after all steps that were measured: mean, and the range of nine
    in ten of them.
    """

    mean_ppm: int
    low_ppm: int
    high_ppm: int


# Percentiles between which nine in ten outputs lie.
NINE_IN_TEN_PPM = (50_000, 950_000)


@dataclass(frozen=True, eq=False)
class CoreTimes:
    """One replay: energy of a request and of free cores by request, in power times nanoseconds.

    power: of all requests, over time. utilization: of each type. outputs_ppm: after each step that
    was measured.
    """

    energy: float
    idle_energy: float
    power: float
    utilization: tuple[float | None, ...]
    outputs_ppm: NDArray[np.int64] | None


def core_times(outcome: Outcome) -> CoreTimes | None:
    """What a replay says; None where rungs are no cores."""
    if outcome.energy is None:
        return None
    return CoreTimes(
        outcome.mean_energy,
        outcome.mean_idle_energy,
        outcome.mean_power,
        outcome.utilization_by_pool,
        _outputs_ppm(outcome),
    )


def _outputs_ppm(outcome: Outcome) -> NDArray[np.int64] | None:
    """From the first measured arrival on."""
    if outcome.steps is None:
        return None
    from_ns = outcome.arrival_ns[outcome.measured.start]
    return outcome.steps.output_ppm[outcome.steps.time_ns >= from_ns]


def core_use(ladder: Ladder | None, repeats: Sequence[CoreTimes]) -> CoreUse:
    """Means over all repeats; the interval is that of the repeats, which differ in arrivals alone.

    One repeat has none. Without a ladder all cores are of one type.
    """
    mean, half = mean_and_half([one.energy for one in repeats])
    return CoreUse(
        _us(mean),
        None if half is None else _us(max(mean - half, 0.0)),
        None if half is None else _us(mean + half),
        _us(fmean(one.idle_energy for one in repeats)),
        tuple(_types(ladder, [one.utilization for one in repeats])),
    )


def _us(energy: float) -> int:
    return round(energy / NS_PER_US)


def _types(ladder: Ladder | None, used: Sequence[tuple[float | None, ...]]) -> list[TypeUse]:
    found = []
    for name, shares in zip(_type_names(ladder), zip(*used, strict=True), strict=True):
        told = [share for share in shares if share is not None]
        # A type that is off has none.
        found.append(TypeUse(name, round(fmean(told or [0.0]) * PPM)))
    return found


def _type_names(ladder: Ladder | None) -> list[str]:
    if ladder is None:
        return ["cores"]
    return [ladder.cost_units[unit].name for unit in pools(ladder).cost_unit if unit is not None]


def control_use(repeats: Sequence[CoreTimes]) -> ControlUse | None:
    """The outputs of all repeats; None where nothing steers, or no epoch ended."""
    parts = [one.outputs_ppm for one in repeats if one.outputs_ppm is not None]
    outputs = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    if not len(outputs):
        return None
    outputs = np.sort(outputs)
    low, high = (outputs[percentile_rank(share, len(outputs)) - 1] for share in NINE_IN_TEN_PPM)
    return ControlUse(round(float(outputs.mean())), int(low), int(high))
