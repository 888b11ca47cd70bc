"""The part of `tailc verify` that judges the latencies that a server measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tailc.cli.outcome import CommandOutcome
from tailc.cli.quantities import TIME_UNIT

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.traces.source import Format

_OPTIONS = (
    click.option(
        "--measured",
        metavar="FILE",
        help="Judge these latencies, which the server really had, and compare them with the "
        "replay: any input of `tailc ingest` with response times. Needs one --rate or --arrivals.",
    ),
    click.option(
        "--measured-column", metavar="NAME", help="Column of a table with the measured latencies."
    ),
    click.option("--measured-unit", type=TIME_UNIT, help="Unit of the measured latencies."),
)
_NAMES = ("measured", "measured_column", "measured_unit")
# Options without an effect on measured latencies.
_ODD = ("baselines", "budgets", "since", "report", "plot", "tolerance_ppm")
_ODD += ("windows", "picture_file", "failures_ppm")


def measured_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --measured, --measured-column and --measured-unit to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_measured(
    policy: Policy, arrivals: ArrivalOptions, measured: str | None, context: click.Context
) -> None:
    """Refuse options and policies for which latencies cannot be judged."""
    if measured is None:
        odd = _named_options(context, _NAMES)
        if odd:
            raise click.UsageError(f"{odd} needs `--measured` with the latencies")
        return
    if odd := _named_options(context, _ODD):
        raise click.UsageError(f"`--measured` cannot be combined with {odd}")
    if not policy.ladders and policy.tail_table is None:
        raise click.UsageError(
            f"`--measured` applies to policies with SLOs of latency, and `{policy.name}` has none"
        )
    if any(slo.request_class is not None for slo in policy.slos):
        raise click.UsageError(
            f"`--measured` cannot judge the SLOs of `{policy.name}`, which are for classes of "
            "requests: measured latencies have no classes"
        )
    recorded = 0 if arrivals.column is None else max(len(arrivals.rescale_mrps), 1)
    if arrivals.every_kind or len(arrivals.processes) + recorded != 1:
        raise click.UsageError(
            "`--measured` needs the one arrival process under which the server was measured: give "
            "one `--rate` or one `--arrivals`"
        )


def without_measured(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for measured latencies."""
    return {key: value for key, value in options.items() if key not in _NAMES}


def _named_options(context: click.Context, names: tuple[str, ...]) -> str:
    """The options of these parameters that are on the command line, or empty."""
    return ", ".join(
        f"`{parameter.opts[0]}`"
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    )


def judge_measured(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> CommandOutcome:
    """Judge the measured latencies of the options, and compare them with a replay of the trace."""
    from tailc.cli.verify_requests import judge_requests
    from tailc.ingest.options import InputOptions, TimeColumn
    from tailc.report import measured as render
    from tailc.studies.measured_latencies import read_latencies
    from tailc.traces.reading import TimeUnit
    from tailc.verify.measured.judge import judge_latencies

    path, column, unit = (options[name] for name in _NAMES)
    latencies = read_latencies(
        path,
        InputOptions(
            None if unit is None else TimeUnit(unit), None if column is None else TimeColumn(column)
        ),
        policy.slos,
    )
    replay_fields = {**without_measured(options), "baselines": ()}
    judgement = judge_requests(policy, trace, trace_format, arrivals, draw, replay_fields)
    verdicts = judge_latencies(latencies.histogram, judgement.verdicts)
    ci = render.ci_verdicts(verdicts)
    return CommandOutcome(
        exit_code=verdicts.exit_code,
        text=render.as_text(verdicts),
        result=render.as_dict(verdicts),
        findings=(*latencies.warnings, *judgement.warnings),
        notes=tuple(each.note for each in ci),
        cases=tuple(each.test_case for each in ci),
        markdown=render.as_markdown(verdicts),
    )
