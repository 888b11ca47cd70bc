"""The output of a controller in a look-up, for all forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tailc.cli.lookup_query import ControllerQuery
    from tailc.forms.controller import Controller


@dataclass(frozen=True)
class ControllerOutput:
    """Output of a feedback controller after some steps, each with a measured percentile.

    output: in the controller's own unit; output_ppm: in millionths. rate_mrps: arrival rate.
    """

    output: int
    output_ppm: int
    measured_us: tuple[int, ...]
    rate_mrps: int | None

    def text(self) -> str:
        """Format the controller's output, such as `98 % after 210 ms at 60/s`."""
        from tailc.units import format_mrps, format_ppm, format_us

        steps = ", ".join(format_us(tail_us) for tail_us in self.measured_us)
        after = f" after {steps} at {format_mrps(self.rate_mrps or 0)}" if steps else ""
        return format_ppm(self.output_ppm) + after

    def result(self) -> dict[str, object]:
        """Convert the controller's output to JSON data."""
        return {"output": self.output, "output_ppm": self.output_ppm}


def controller_output(
    controller: Controller | None, query: ControllerQuery
) -> ControllerOutput | None:
    """Compute a controller's output after one step for each measured percentile.

    None if the policy has no controller.
    """
    from dataclasses import replace

    from tailc.forms.controller import first_state, output_ppm, step

    if controller is None:
        query.refuse()
        return None
    scale, measured, rate = query.scale_ppm, query.measured_us, query.rate_mrps
    if measured and rate is None:
        raise click.UsageError(
            "the gains of the controller depend on the arrival rate: add `--rate`"
        )
    first_ppm = controller.first_ppm if scale is None else _check_scale(scale, controller)
    state = first_state(replace(controller, first_ppm=first_ppm))
    for measured_us in measured:
        state = step(controller, state, measured_us, rate or 0)
    return ControllerOutput(state.output, output_ppm(controller, state), measured, rate)


def _check_scale(scale: int, controller: Controller) -> int:
    if not controller.least_ppm <= scale <= controller.most_ppm:
        from tailc.units import format_ppm

        least, most = format_ppm(controller.least_ppm), format_ppm(controller.most_ppm)
        raise click.BadParameter(
            f"`{format_ppm(scale)}` is not within the controller's limits, {least} to {most}",
            param_hint="'--scale'",
        )
    return scale
