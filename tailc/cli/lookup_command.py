"""tailc lookup: ask an artifact what a request does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.quantities import DURATION_US, RATE_MRPS, SHARE_PPM

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.forms.controller import Controller
    from tailc.forms.ladder.lookup import Answer
    from tailc.forms.ladder.table import Climb, Ladder


@dataclass(frozen=True)
class Steering:
    """What a controller puts out, exactly and in millionths, after `measured_us` at a rate."""

    output: int
    output_ppm: int
    measured_us: tuple[int, ...]
    rate_mrps: int | None


@click.command("lookup", short_help="Ask a policy what a request does.")
@click.argument("artifact")
@click.option(
    "--in-system",
    type=click.IntRange(min=0),
    metavar="X",
    help="Requests in the system, waiting ones too.",
)
@click.option(
    "--rate",
    type=RATE_MRPS,
    help="Arrival rate, such as 40/s, for a table by rate and for a controller's gains.",
)
@click.option("--waited", type=DURATION_US, default="0ms", help="Waited so far, such as 5ms.")
@click.option("--age", type=DURATION_US, default="0ms", help="Executed so far, such as 80ms.")
@click.option(
    "--class", "request_class", metavar="NAME", help="The request's class, for a table by class."
)
@click.option(
    "--scale",
    type=SHARE_PPM,
    metavar="SHARE",
    help="What the controller puts out, such as 40%. Default: what it begins with.",
)
@click.option(
    "--measured",
    type=DURATION_US,
    multiple=True,
    help="Step the controller: the tail at the end of an epoch; may be repeated.",
)
@reports
def command(
    artifact: str,
    in_system: int | None,
    rate: int | None,
    waited: int,
    age: int,
    request_class: str | None,
    scale: int | None,
    measured: tuple[int, ...],
) -> Outcome:
    """Print whether a request may start, how long it still waits, and the rung for its age.

    Where the policy has a controller, also what it puts out, and when requests then climb: after a
    step for each --measured, at the arrival rate --rate, from --scale on.
    """
    from tailc.artifact.files import read_policy
    from tailc.forms.controller import scaled_ladder
    from tailc.forms.ladder.lookup import lookup

    policy = read_policy(artifact)
    form = _form(policy, request_class)
    steering = _steering(policy.controller, scale, measured, rate)
    has_steps = None if policy.controller is None else bool(measured)
    load = _load(form.load_axis.value, in_system, rate, has_steps)
    if steering is None:
        answer = lookup(form, load, waited, age)
        return Outcome(text=_sentence(answer, form), result=_result(answer, form))
    scaled = scaled_ladder(form, steering.output_ppm)
    answer, climbs = lookup(scaled, load, waited, age), _climbs(scaled, load)
    return Outcome(
        text=f"{_sentence(answer, form)}\n{_steered(steering, climbs, form)}",
        result=_result(answer, form) | {"controller": _steered_result(steering, climbs)},
    )


def _form(policy: Policy, request_class: str | None) -> Ladder:
    from tailc.units import printable

    try:
        return policy.form_for(request_class)
    except LookupError:
        known = ", ".join(f"`{printable(form.request_class or '')}`" for form in policy.ladders)
        raise click.UsageError(
            f"this artifact's tables are by class: give --class {known}"
        ) from None


def _load(axis: str, in_system: int | None, rate: int | None, has_steps: bool | None) -> int:
    """The load; `has_steps`: whether a controller, if there is one, takes a step at the rate."""
    options = [("--in-system", in_system), ("--rate", rate)]
    (needed, given), (other, odd) = options if axis == "in_system" else reversed(options)
    if given is None:
        raise click.UsageError(f"this artifact's rows are by {axis}: give {needed}")
    if odd is not None and not (has_steps and other == "--rate"):
        if has_steps is not None and other == "--rate":
            message = "--rate is for a step of the controller: give --measured too"
            raise click.UsageError(f"this artifact's rows are by {axis}; {message}")
        raise click.UsageError(f"this artifact's rows are by {axis}: {other} does not apply")
    return given


def _steering(
    controller: Controller | None, scale: int | None, measured: tuple[int, ...], rate: int | None
) -> Steering | None:
    """The controller's output after a step for each of `measured`; None where there is none."""
    from dataclasses import replace

    from tailc.forms.controller import first_state, output_ppm, step

    if controller is None:
        if scale is not None or measured:
            option = "--measured" if scale is None else "--scale"
            raise click.UsageError(f"this artifact has no controller: {option} does not apply")
        return None
    if measured and rate is None:
        raise click.UsageError("a controller's gains are by arrival rate: give --rate too")
    first_ppm = controller.first_ppm if scale is None else _possible(scale, controller)
    state = first_state(replace(controller, first_ppm=first_ppm))
    for measured_us in measured:
        state = step(controller, state, measured_us, rate or 0)
    return Steering(state.output, output_ppm(controller, state), measured, rate)


def _possible(scale: int, controller: Controller) -> int:
    if not controller.least_ppm <= scale <= controller.most_ppm:
        from tailc.units import format_ppm

        least, most = format_ppm(controller.least_ppm), format_ppm(controller.most_ppm)
        raise click.BadParameter(
            f"`{format_ppm(scale)}` is not within the controller's limits, {least} to {most}",
            param_hint="'--scale'",
        )
    return scale


def _climbs(ladder: Ladder, load: int) -> tuple[Climb, ...]:
    """Those of the row that holds; outside a guard that says so, no more than the first rung."""
    from tailc.forms.ladder.lookup import row_at
    from tailc.forms.ladder.table import Climb, Outside

    guard = ladder.guard
    if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
        return (Climb(0, 0),)
    return row_at(ladder, load).climbs


def _result(answer: Answer, form: Ladder) -> dict[str, object]:
    rung = form.rungs[answer.rung]
    return {
        "start": answer.start.value,
        "wait_us": answer.wait_us,
        "rung": answer.rung,
        "rung_name": rung.name,
        "speed_ppm": rung.speed_ppm,
    }


def _steered_result(steering: Steering, climbs: tuple[Climb, ...]) -> dict[str, object]:
    return {
        "output": steering.output,
        "output_ppm": steering.output_ppm,
        "climbs": [{"age_us": climb.age_us, "rung": climb.rung} for climb in climbs],
    }


def _sentence(answer: Answer, form: Ladder) -> str:
    from tailc.units import format_us, printable

    admission = {
        "now": "start at once",
        "wait": f"wait {format_us(answer.wait_us)} more, then start",
        "on-exit": "wait until a request exits",
    }[answer.start.value]
    rung = printable(form.rungs[answer.rung].name)
    core = "" if form.power is None else ", if it has a core"
    return f"not yet started: {admission}{core}\nrunning: {rung}{core}"


def _steered(steering: Steering, climbs: tuple[Climb, ...], form: Ladder) -> str:
    from tailc.report.steering import climbs_text
    from tailc.units import format_mrps, format_ppm, format_us

    steps = ", ".join(format_us(tail_us) for tail_us in steering.measured_us)
    after = f" after {steps} at {format_mrps(steering.rate_mrps or 0)}" if steps else ""
    return (
        f"controller: ages times {format_ppm(steering.output_ppm)}{after}\n"
        f"climbs: {climbs_text(climbs, form)}"
    )
