"""Differences between the controllers of two policies, with the names of settings."""

from __future__ import annotations

from collections.abc import Iterator

from tailc.diff.differences import SettingChange, differences
from tailc.forms.controller import Controller, GainRow, percent_per_ms
from tailc.units import format_mrps, format_percentile, format_ppm, format_us


def controller_changes(old: Controller | None, new: Controller | None) -> Iterator[SettingChange]:
    """List the settings in which the feedback controllers of two policies differ.

    Gives a single change if only one policy has a controller.
    """
    if old is None or new is None:
        if old is not new:
            yield SettingChange("controller", _summary(old), _summary(new))
        return
    yield from differences(_settings(old), _settings(new))


def _summary(controller: Controller | None) -> str | None:
    if controller is None:
        return None
    return (
        f"{format_percentile(controller.percentile_ppm)} to {format_us(controller.target_us)}, "
        f"a step every {controller.epoch_requests:,} requests"
    )


def _settings(controller: Controller) -> dict[str, str]:
    """All settings of a controller, by name."""
    gains = [_gains(row, controller.fraction_bits) for row in controller.gains]
    return {
        "scales": controller.acts_on.value,
        "percentile": format_percentile(controller.percentile_ppm),
        "target": format_us(controller.target_us),
        "epoch": f"{controller.epoch_requests:,} requests",
        "window": f"{controller.window_requests:,} requests",
        "first output": format_ppm(controller.first_ppm),
        "least output": format_ppm(controller.least_ppm),
        "most output": format_ppm(controller.most_ppm),
        "unit of gains": f"2^-{controller.fraction_bits}",
        **{what: gain for row in gains for what, gain in row.items()},
    }


def _gains(row: GainRow, fraction_bits: int) -> dict[str, str]:
    """A row of gains, rounded, and exact in units of gains; named by its first rate."""
    rate = format_mrps(row.first_rate_mrps)
    return {
        f"{name} from {rate}": f"{percent_per_ms(gain, fraction_bits):.4g} %/ms ({gain})"
        for name, gain in (("kp", row.kp), ("ki", row.ki), ("kd", row.kd))
    }
