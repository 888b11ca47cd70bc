"""The command `tailc tune pid`: tune a PI or PID controller for a plant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.pictures import PICTURE, picture_contents, write_files
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.report.pictures.figure import Figure
    from tailc.studies.tune_pid import Study, UnitNames, Wish


class _NumbersType(click.ParamType):
    """Option type: coefficients separated by spaces or commas."""

    name = "numbers"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        return tuple(
            _number(self, word, param, ctx) for word in str(value).replace(",", " ").split()
        )


class _NumberType(click.ParamType):
    """Option type: a finite number above `least`, or equal to it if `is_reached`."""

    name = "number"

    def __init__(self, least: float = -math.inf, is_reached: bool = False) -> None:
        self._least, self._is_reached = least, is_reached

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = _number(self, str(value), param, ctx)
        if number < self._least or (number == self._least and not self._is_reached):
            self.fail(f"`{value}` must be more than {self._least:g}", param, ctx)
        return number


def _number(
    kind: click.ParamType, word: str, param: click.Parameter | None, ctx: click.Context | None
) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        from tailc.units import shorten

        kind.fail(f"`{shorten(word)}` is not a finite number", param, ctx)
    return number


@click.command("pid", short_help="Tune a PI or PID controller for any plant.")
@click.argument("response", required=False)
@click.option(
    "--step", type=_NumberType(), metavar="X", help="Size of the step of the input at row 1."
)
@click.option("--time", "time_column", default="time", show_default=True, metavar="COLUMN")
@click.option("--output-column", default="output", show_default=True, metavar="COLUMN")
@click.option(
    "--input-column",
    default="input",
    show_default=True,
    metavar="COLUMN",
    help="Column of the input, which has the step if --step is not given.",
)
@click.option("--num", type=_NumbersType(), metavar="LIST", help='Numerator in s, such as "-1 1".')
@click.option("--den", type=_NumbersType(), metavar="LIST", help='Denominator, such as "1 3 3 1".')
@click.option(
    "--dead-time",
    type=_NumberType(0.0, is_reached=True),
    metavar="X",
    help="Dead time of the transfer function. Default: 0.",
)
@click.option(
    "--sample-time",
    type=_NumberType(0.0),
    metavar="X",
    help="Tune the velocity form for a controller with this sample time.",
)
@click.option("--structure", type=click.Choice(("pi", "pid")), default="pi", show_default=True)
@click.option(
    "--criterion",
    type=click.Choice(("balanced", "setpoint", "load")),
    default="balanced",
    show_default=True,
    help="Minimise the ITAE of a set-point step, the IAE of a load step, or both with equal "
    "weight.",
)
@click.option(
    "--max-sensitivity",
    type=_NumberType(1.0),
    default=1.6,
    show_default=True,
    metavar="X",
    help="Largest Ms: 1.2 is robust, 2 is fast.",
)
@click.option(
    "--max-overshoot",
    type=_NumberType(0.0, is_reached=True),
    metavar="PERCENT",
    help="Largest overshoot of a set-point step. Default: no limit.",
)
@click.option(
    "--picture",
    "picture_file",
    type=PICTURE,
    metavar="FILE",
    help="Draw the step, load, Bode and Nyquist plots: FILE.svg or .png.",
)
@report_option
@click.option("--time-unit", default="s", show_default=True, metavar="UNIT")
@click.option("--input-unit", default="input", show_default=True, metavar="UNIT")
@click.option("--output-unit", default="output", show_default=True, metavar="UNIT")
@command_with_outcome
def command(
    response: str | None, picture_file: Path | None, report: Path | None, **options: Any
) -> CommandOutcome:
    """Tune a controller for a plant, given by its step RESPONSE (a CSV file) or by --num and --den.

    RESPONSE has columns of time, output and input; - is standard input. The gains minimise the
    criterion while the maximum sensitivity is within its limit. They are compared with SIMC, AMIGO
    and Ziegler-Nichols.
    """
    _check(response, options)

    from tailc.report import tune_pid as render
    from tailc.studies.tune_pid import UnitNames, Wish

    overshoot = options["max_overshoot"]
    wish = Wish(
        options["structure"],
        options["criterion"],
        options["max_sensitivity"],
        math.inf if overshoot is None else overshoot / 100,
        options["sample_time"],
    )
    units = UnitNames(options["time_unit"], options["input_unit"], options["output_unit"])
    study = _study(response, wish, units, options)
    heading = f"{wish.structure.upper()} controller for {render.transfer_function(study)}"
    files = write_files(picture_contents(picture_file, lambda: _figures(study), heading, columns=2))
    outcome = CommandOutcome(
        text=render.as_text(study) + "".join(f"\nwrote {path}\n" for path in files),
        result={**render.as_dict(study), "files": files},
    )
    if report is None:
        return outcome
    from tailc.report.page.controllers import study_page

    return with_report(outcome, report, study_page(study, render.as_text(study)))


def _check(response: str | None, options: dict[str, Any]) -> None:
    """Raise a usage error unless exactly one plant is given."""
    of_plant = [name for name in ("num", "den", "dead_time") if options[name] is not None]
    if response is not None and of_plant:
        word = of_plant[0].replace("_", "-")
        raise click.UsageError(
            f"`--{word}` is part of a transfer function, but a RESPONSE is given: remove one of "
            "them"
        )
    if response is None and options["step"] is not None:
        raise click.UsageError(
            "`--step` applies to a RESPONSE, but none is given: remove `--step`, or give a RESPONSE"
        )
    if response is None and not (options["num"] and options["den"]):
        raise click.UsageError("give a RESPONSE, or --num and --den of a transfer function")
    if options["step"] == 0:
        raise click.UsageError(
            "`--step` is 0, but a response needs a change of the input: give its size"
        )


def _study(response: str | None, wish: Wish, units: UnitNames, options: dict[str, Any]) -> Study:
    from tailc.studies.tune_data import StepColumns, read_step
    from tailc.studies.tune_pid import plant_of, study_of_data, study_of_plant

    if response is None:
        plant = plant_of(options["num"], options["den"], options["dead_time"] or 0.0)
        return study_of_plant(plant, wish, units)
    columns = StepColumns(options["time_column"], options["output_column"], options["input_column"])
    data = read_step(response, columns, options["step"], wish.sample_time)
    return study_of_data(data, wish, units)


def _figures(study: Study) -> list[Figure]:
    from tailc.report.pictures.loops import study_figures

    return study_figures(study)
