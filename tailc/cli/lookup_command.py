"""tailc lookup: ask an artifact what a request does."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.quantities import DURATION_US, RATE_MRPS


@click.command("lookup", short_help="Ask a policy what a request does.")
@click.argument("artifact")
@click.option(
    "--in-system",
    type=click.IntRange(min=0),
    metavar="X",
    help="Requests in the system, waiting ones too.",
)
@click.option("--rate", type=RATE_MRPS, help="Arrival rate, such as 40/s, for a table by rate.")
@click.option("--waited", type=DURATION_US, default="0ms", help="Waited so far, such as 5ms.")
@click.option("--age", type=DURATION_US, default="0ms", help="Executed so far, such as 80ms.")
@click.option(
    "--class", "request_class", metavar="NAME", help="The request's class, for a table by class."
)
@reports
def command(
    artifact: str,
    in_system: int | None,
    rate: int | None,
    waited: int,
    age: int,
    request_class: str | None,
) -> Outcome:
    """Print whether a request may start, how long it still waits, and the rung for its age."""
    from tailc.artifact.files import read_policy
    from tailc.forms.ladder.lookup import lookup
    from tailc.units import printable

    policy = read_policy(artifact)
    try:
        form = policy.form_for(request_class)
    except LookupError:
        known = ", ".join(f"`{printable(form.request_class or '')}`" for form in policy.ladders)
        raise click.UsageError(
            f"this artifact's tables are by class: give --class {known}"
        ) from None
    load = _load(form.load_axis.value, in_system, rate)
    answer = lookup(form, load, waited, age)
    rung = form.rungs[answer.rung]
    result: dict[str, object] = {
        "start": answer.start.value,
        "wait_us": answer.wait_us,
        "rung": answer.rung,
        "rung_name": rung.name,
        "speed_ppm": rung.speed_ppm,
    }
    return Outcome(text=_sentence(answer.start.value, answer.wait_us, rung.name), result=result)


def _load(axis: str, in_system: int | None, rate: int | None) -> int:
    options = [("--in-system", in_system), ("--rate", rate)]
    (needed, given), (other, odd) = options if axis == "in_system" else reversed(options)
    if given is None:
        raise click.UsageError(f"this artifact's rows are by {axis}: give {needed}")
    if odd is not None:
        raise click.UsageError(f"this artifact's rows are by {axis}: {other} does not apply")
    return given


def _sentence(start: str, wait_us: int, rung: str) -> str:
    from tailc.units import format_us, printable

    admission = {
        "now": "start at once",
        "wait": f"wait {format_us(wait_us)} more, then start",
        "on-exit": "wait until a request exits",
    }[start]
    return f"not yet started: {admission}\nrunning: {printable(rung)}"
