"""The command `tailc lint-trace`: find defects in traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.metric_options import Label
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import MEASURE, PERCENTILE_PPM, TIME_UNIT
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from tailc.lint.roles import TraceOptions


@click.command("lint-trace", short_help="Find defects in traces.")
@click.argument("traces", nargs=-1, metavar="[TRACE]...")
@click.option(
    "--spec",
    metavar="SPEC",
    help="Use the columns of this spec, and its trace if no TRACE is given.",
)
@click.option("--column", metavar="NAME", help="Column of the demands.")
@click.option("--unit", type=TIME_UNIT, help="Unit of that column, and of reports without one.")
@click.option(
    "--time", metavar="NAME", help="Column of the arrival times, or of the times of a series."
)
@click.option("--time-unit", type=TIME_UNIT, help="Unit of that column, if it has numbers.")
@click.option("--class", "request_class", metavar="NAME", help="Column of the classes.")
@click.option(
    "--weight", metavar="NAME", help="Column with the number of requests that a row represents."
)
@click.option(
    "--measure",
    type=MEASURE,
    help="What the times of a report measure, if it does not state it.",
)
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Service whose server spans to check, if the traces have several; may be given several "
    "times.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME",
    help="Tag of the intervals of an HdrHistogram log to check; may be given several times.",
)
@click.option("--metric", metavar="NAME", help="Histogram of a scrape, if it has several.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    type=Label(),
    metavar="NAME=VALUE",
    help="Label of the series to check; may be repeated.",
)
@click.option("--zone", metavar="NAME", help="Time zone of times without one. Default: UTC.")
@click.option(
    "--time-pattern",
    metavar="PATTERN",
    help="Pattern of the times of a series, such as '%d/%m/%Y %H:%M'.",
)
@click.option(
    "--percentile",
    "percentile_ppm",
    type=PERCENTILE_PPM,
    help="Percentile of the SLO, such as 99.9%, to check that there are enough requests.",
)
@click.option(
    "--ignore", "ignored", multiple=True, metavar="CODE", help="Do not report this finding."
)
@click.option(
    "--fix",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a copy of the TRACE without defects whose repair is certain, and each change to "
    "FILE.changes.ndjson.",
)
@command_with_outcome
def command(
    traces: tuple[str, ...],
    fix: Path | None,
    ignored: tuple[str, ...],
    spec: str | None,
    zone: str | None,
    time_pattern: str | None,
    percentile_ppm: int | None,
    **given: Any,
) -> CommandOutcome:
    """Find defects in every TRACE that would make a policy wrong, and suggest how to mend them.

    A TRACE is a table (Parquet, CSV, NDJSON), a time series of power or weather, a profile, the
    output of a load generator or a tracing system, or a log of jobs. Columns are recognised by
    their names, such as `demand_ms`, `arrival_s`, `class` or `speedup_2`, or are given by options
    or by --spec. Exits 0 if there is no error, 65 if there is one, 66 if a file cannot be read.
    """
    from dataclasses import replace

    from tailc.lint.lint import lint
    from tailc.report.lint_report import linted_result, linted_text

    options = replace(_options(**given), zone=zone, percentile_ppm=percentile_ppm)
    options = replace(options, time_pattern=time_pattern)
    if spec is not None:
        from tailc.studies.column_defaults import column_defaults

        linted = column_defaults(spec)
        traces, options = traces or (linted.trace,), options.with_defaults(linted.options)
    _check(traces, ignored, zone)
    if fix is not None:
        return _fix(traces, fix)
    every = [lint(path, options, ignored) for path in traces]
    exit_code = next((one.exit_code for one in every if one.exit_code), ExitCode.OK)
    findings = tuple(finding for one in every for finding in one.findings)
    return CommandOutcome(exit_code, linted_text(every), linted_result(every), findings)


def _fix(traces: tuple[str, ...], fix: Path) -> CommandOutcome:
    """Write a repaired copy of a trace, and the log of its changes."""
    import json
    from collections import Counter
    from dataclasses import asdict

    from tailc.atomic_files import replace_files
    from tailc.lint.repairs import repaired_lines
    from tailc.traces.source import open_source

    if len(traces) != 1:
        raise click.UsageError("`--fix` repairs one TRACE at a time")
    log_path = fix.with_name(fix.name + ".changes.ndjson")
    trace = Path(traces[0])
    for path in (fix, log_path):
        if path.exists() and trace.exists() and path.samefile(trace):
            raise click.UsageError(f"`--fix` would replace the TRACE `{path}`: give another file")
    with open_source(traces[0]) as source:
        lines, repairs = zip(*repaired_lines(source), strict=True)
    changes = [change for one in repairs for change in one]
    log = "".join(json.dumps(asdict(one)) + "\n" for one in changes)
    replace_files([(log_path, log.encode()), (fix, b"".join(lines))])
    counts = Counter(one.name for one in changes)
    listing = "".join(f"  {count:,} {name}\n" for name, count in sorted(counts.items()))
    files = [str(fix), str(log_path)]
    return CommandOutcome(
        text=f"{len(changes):,} changes\n{listing}" + "".join(f"wrote {one}\n" for one in files),
        result={"files": files, "changes": dict(sorted(counts.items()))},
        is_answer=False,
    )


def _options(
    measure: str | None,
    services: tuple[str, ...],
    tags: tuple[str, ...],
    metric: str | None,
    labels: tuple[tuple[str, str], ...],
    **column_options: str | None,
) -> TraceOptions:
    """Build the options about columns, units and reports from the command's parameters."""
    from tailc.ingest.options import InputOptions, MetricOptions, SpanOptions
    from tailc.ingest.stated_measure import StatedMeasure
    from tailc.lint.roles import Role, TraceOptions
    from tailc.traces.profile import Measure
    from tailc.traces.reading import TimeUnit

    columns = {
        Role.DEMAND: column_options["column"],
        Role.TIME: column_options["time"],
        Role.REQUEST_CLASS: column_options["request_class"],
        Role.WEIGHT: column_options["weight"],
    }
    units = {Role.DEMAND: column_options["unit"], Role.TIME: column_options["time_unit"]}
    return TraceOptions(
        {role: name for role, name in columns.items() if name is not None},
        {role: TimeUnit(unit) for role, unit in units.items() if unit is not None},
        report=InputOptions(
            spans=SpanOptions(services=services), metrics=MetricOptions(metric, labels), tags=tags
        ),
        stated=StatedMeasure(None if measure is None else Measure(measure)),
    )


def _check(traces: tuple[str, ...], ignored: tuple[str, ...], zone: str | None) -> None:
    from tailc.lint.registry import OF_READERS, find_defects
    from tailc.traces.zones import ADVICE, TimeError, zone_of

    if not traces:
        raise click.UsageError("give a TRACE, or with `--spec` the spec that names it")
    names = {one.ident for one in (*find_defects(), *OF_READERS)}
    names |= {one.name for one in find_defects()}
    for word in ignored:
        if word.upper() not in names and word.lower() not in names:
            raise click.UsageError(f"there is no code `{word}`: docs/lint-trace.md lists all codes")
    if zone is not None:
        try:
            zone_of(zone)
        except TimeError as error:
            raise click.UsageError(f"{error}: {ADVICE}") from None
