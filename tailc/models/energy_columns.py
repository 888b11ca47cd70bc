"""Table columns for verdicts: energy, utilization and control, if each request has its own core."""

from __future__ import annotations

from collections.abc import Sequence

from tailc.models.columns import Group, column, ms, percent
from tailc.models.energy import ControlUse, EnergyUse

_DASH = "-"


def energy_columns(uses: Sequence[EnergyUse], *, has_other_power: bool) -> Group:
    """Columns of the energy of a request with its interval, and of its ratio to a reference."""
    digits = _digits(uses)
    columns = [
        column("energy", [ms(use.request_us, digits) for use in uses]),
        column("95 % interval", [_interval(use, digits) for use in uses], is_number=False),
    ]
    if any(use.idle_us for use in uses):
        columns.append(column("idle", [ms(use.idle_us, digits) for use in uses]))
    ratios = [use.ratio for use in uses]
    if any(ratios):
        cores = [_share(ratio and ratio.cores_ppm) for ratio in ratios]
        columns.append(column("relative", cores))
        if has_other_power:
            server = [_share(ratio and ratio.server_ppm) for ratio in ratios]
            columns.append(column("server", server))
    return tuple(columns)


def _digits(uses: Sequence[EnergyUse]) -> int:
    """Number of decimals that gives the least energy three digits."""
    least = min(use.request_us for use in uses) // 1_000
    return 1 if least >= 10 else 2 if least else 3


def _interval(use: EnergyUse, digits: int) -> str:
    if use.interval_us is None:
        return "unknown"
    low_us, high_us = use.interval_us
    return f"{ms(low_us, digits)} .. {ms(high_us, digits)}"


def _share(share_ppm: int | None) -> str:
    return _DASH if share_ppm is None else percent(share_ppm)


def type_columns(uses: Sequence[EnergyUse]) -> Group:
    """Columns of a verdict's table with the utilization of each type of core."""
    kinds = zip(*(use.types for use in uses), strict=True)
    return tuple(
        column(kind[0].name, [percent(one.utilization_ppm) for one in kind]) for kind in kinds
    )


def control_columns(uses: Sequence[ControlUse | None]) -> list[Group]:
    """Columns of the controller's output; no columns without a controller."""
    if not any(uses):
        return []
    means = [_DASH if use is None else percent(use.mean_ppm) for use in uses]
    ranges = [
        "" if use is None else f"{percent(use.low_ppm)} .. {percent(use.high_ppm)}" for use in uses
    ]
    return [(column("output", means), column("nine in ten", ranges, is_number=False))]
