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
    from tailc.cli.verify_requests import RequestJudgement
    from tailc.models.arrivals import Arrivals
    from tailc.studies.measured_latencies import MeasuredLatencies
    from tailc.traces.source import Format
    from tailc.verify.measured.arrivals import ArrivalComparison
    from tailc.verify.measured.execution import ExecutionComparison

_OPTIONS = (
    click.option(
        "--measured",
        metavar="FILE",
        help="Judge these latencies, which the server really had, and compare them with the "
        "replay: any input of `tailc ingest` with response times, or a scheduler's demand log with "
        "times. Needs one --rate or --arrivals.",
    ),
    click.option(
        "--measured-column", metavar="NAME", help="Column of a table with the measured latencies."
    ),
    click.option("--measured-unit", type=TIME_UNIT, help="Unit of the measured latencies."),
    click.option(
        "--measured-arrivals",
        metavar="COLUMN",
        help="Column of the same table with the times of the arrivals, to compare them with those "
        "of the replay.",
    ),
    click.option(
        "--measured-arrival-unit",
        type=TIME_UNIT,
        help="Unit of these times, if they are numbers.",
    ),
)
_OF_MEASURED = (
    "measured_column",
    "measured_unit",
    "measured_arrivals",
    "measured_arrival_unit",
)
_NAMES = ("measured", *_OF_MEASURED)
# Options without an effect on measured latencies.
_ODD = ("baselines", "budgets", "cluster", "since", "report", "plot", "tolerance_ppm")
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
        odd = _named_options(context, _OF_MEASURED)
        if odd:
            raise click.UsageError(f"{odd} needs `--measured` with the latencies")
        return
    if odd := _named_options(context, _ODD):
        raise click.UsageError(
            f"`--measured` cannot be combined with {odd}: remove one or the other"
        )
    if not policy.ladders and policy.tail_table is None:
        raise click.UsageError(
            f"`--measured` applies to policies with SLOs of latency, and `{policy.name}` has none: "
            "remove `--measured`"
        )
    if any(slo.request_class is not None for slo in policy.slos):
        raise click.UsageError(
            f"`--measured` cannot judge the SLOs of `{policy.name}`, which are for classes of "
            "requests, because measured latencies have no classes: remove `--measured`"
        )
    recorded = 0 if arrivals.column is None else max(len(arrivals.rescale_mrps), 1)
    if arrivals.every_kind or len(arrivals.processes) + recorded != 1:
        raise click.UsageError(
            "`--measured` needs the one arrival process under which the server was measured: give "
            "one `--rate` or one `--arrivals`"
        )
    _check_arrivals(arrivals, context)


def _check_arrivals(arrivals: ArrivalOptions, context: click.Context) -> None:
    """Refuse `--measured-arrivals` with a replay whose index of dispersion is unknown."""
    if not _named_options(context, ("measured_arrivals",)):
        if odd := _named_options(context, ("measured_arrival_unit",)):
            raise click.UsageError(f"{odd} needs `--measured-arrivals` with the times")
        return
    from tailc.models.arrivals import Poisson
    from tailc.models.modulated_arrivals import ModulatedArrivals

    if not all(isinstance(each, Poisson | ModulatedArrivals) for each in arrivals.processes) or (
        arrivals.column is not None
    ):
        raise click.UsageError(
            "`--measured-arrivals` compares arrivals only with `--rate` or `--arrivals "
            "bursty:...`: give one of them, or remove `--measured-arrivals`"
        )


def without_measured(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for measured latencies from a command's options."""
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
    from tailc.report import measured as render
    from tailc.verify.measured.judge import judge_latencies

    latencies = _read_latencies(policy, options)
    replay_fields = {**without_measured(options), "baselines": ()}
    judgement = judge_requests(policy, trace, trace_format, arrivals, draw, replay_fields)
    verdicts = judge_latencies(
        latencies.histogram,
        judgement.verdicts,
        _compare(latencies, arrivals.processes),
        _compare_execution(latencies, judgement, policy),
        latencies.bounds_ns,
    )
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


def _read_latencies(policy: Policy, options: dict[str, Any]) -> MeasuredLatencies:
    from tailc.ingest.options import InputOptions, TimeColumn
    from tailc.studies.measured_latencies import read_latencies
    from tailc.traces.arrivals import ArrivalColumn, GapTreatment
    from tailc.traces.reading import TimeUnit

    path, column, unit, arrivals, arrival_unit = (options[name] for name in _NAMES)
    times = TimeColumn(column) if column else None
    return read_latencies(
        path,
        InputOptions(TimeUnit(unit) if unit else None, times),
        policy.slos,
        ArrivalColumn(arrivals, TimeUnit(arrival_unit) if arrival_unit else None, GapTreatment.KEEP)
        if arrivals
        else None,
    )


def _compare(
    latencies: MeasuredLatencies, processes: tuple[Arrivals, ...]
) -> ArrivalComparison | None:
    """Compare the measured arrivals, if there are any, with the process of the replay."""
    if latencies.arrivals_ns is None:
        return None
    from tailc.models.arrivals import Poisson
    from tailc.models.modulated_arrivals import ModulatedArrivals
    from tailc.verify.measured.arrivals import compare_arrivals

    # A log has times, whatever the process is.
    if len(processes) != 1 or not isinstance(processes[0], Poisson | ModulatedArrivals):
        return None
    return compare_arrivals(latencies.arrivals_ns, processes[0])


def _compare_execution(
    latencies: MeasuredLatencies, judgement: RequestJudgement, policy: Policy
) -> ExecutionComparison | None:
    """Compare the execution of the logged requests with the replay, if it has their demands."""
    from tailc.studies.held_out import request_reading_of
    from tailc.verify.measured.execution import compare_execution

    log, load = latencies.log, judgement.verdicts.points[0].policy.load
    if log is None or load.is_overloaded or not log.has_demands_of(judgement.held_out):
        return None
    has_serial_parts = request_reading_of(policy).serial is not None
    return compare_execution(log, load, has_serial_parts=has_serial_parts)
