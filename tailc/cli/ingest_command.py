"""The command `tailc ingest`: convert outputs of load generators and logs to a profile."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, single_engine_options
from tailc.cli.metric_options import check_metric, metric_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import CUT_OFF_US, MEASURE, TIME_UNIT

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tailc.ingest.options import InputOptions
    from tailc.ingest.stated_measure import StatedMeasure
    from tailc.specs.column_map import ColumnMap
    from tailc.tasks.engine import TaskEngine
    from tailc.traces.counted_times import CountedTimes


@dataclass(frozen=True)
class _Processes:
    """Options for the processes that read the inputs."""

    jobs: int | None
    cluster: str | None
    progress: bool | None


@click.command("ingest", short_help="Convert measurements to a profile of demand.")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-o", "--output", "out", required=True, metavar="FILE", help="Write the profile here."
)
@click.option("--hdr", metavar="FILE", help="Also write the times as an HdrHistogram log [ns].")
@click.option(
    "--measure", type=MEASURE, help="What the times measure, if the input does not state it."
)
@click.option(
    "--because",
    metavar="WHY",
    help="Reason why a response time can be used as demand, in one sentence.",
)
@click.option(
    "--expected-interval",
    "interval_us",
    type=CUT_OFF_US,
    metavar="DURATION",
    help="Time between two requests of a client: add the requests that a closed loop did not send.",
)
@click.option("--column", metavar="NAME", help="Column of a table with the times.")
@click.option(
    "--weight", metavar="NAME", help="Column with the number of requests that a row represents."
)
@click.option(
    "--attribute",
    metavar="NAME",
    help="Attribute of server spans with their times, or START..END for a difference.",
)
@click.option(
    "--with-internal",
    is_flag=True,
    help="Count the time of a server's internal child spans as the server's own time.",
)
@click.option(
    "--service",
    "services",
    multiple=True,
    metavar="NAME",
    help="Service whose server spans to count, if the traces have several; may be given several "
    "times.",
)
@click.option("--unit", type=TIME_UNIT, help="Unit of the times.")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="NAME",
    help="Tag of the intervals of an HdrHistogram log to count; may be given several times.",
)
@click.option("--columns", "map_path", metavar="MAP", help="File that maps the columns of a table.")
@metric_options
@single_engine_options
@replay_options.progress
@command_with_outcome
def command(
    inputs: tuple[str, ...],
    out: str,
    measure: str | None,
    because: str | None,
    interval_us: int | None,
    unit: str | None,
    with_internal: bool,
    map_path: str | None,
    **named: Any,
) -> CommandOutcome:
    """Count the times in every INPUT into one profile, which a spec can name as its trace.

    An INPUT (- is standard input) is the output of wrk2, k6, vegeta, hey, oha, ab, JMeter, ghz or
    vLLM, an HdrHistogram log, spans of OpenTelemetry (OTLP, as JSON or protobuf), Jaeger or Zipkin,
    a Prometheus histogram (a scrape, or an answer of its API), a table (Parquet, Arrow, CSV,
    NDJSON) with --column or --columns, or a profile. It may be compressed, and its format is
    recognised by its content. If a measurement is split, the profiles of its parts add up to
    exactly the profile of the whole.
    """
    from tailc.atomic_files import replace_files
    from tailc.cli.progress import show_progress
    from tailc.ingest.ingest import ingest
    from tailc.ingest.options import TimeColumn
    from tailc.lint.of_demands import column_findings, histogram_findings
    from tailc.report.ingest_report import ingested_result, ingested_text

    _check_named_once(inputs)
    hdr: str | None = named.pop("hdr")
    processes = _Processes(*(named.pop(field.name) for field in fields(_Processes)))
    if processes.jobs or processes.cluster:
        _check_are_files(inputs)
    options, stated = _requested(
        inputs, (measure, because, interval_us), map_path, unit, with_internal, named
    )
    with _engine(processes) as engine, show_progress(processes.progress) as draw:
        ingested = ingest(inputs, options, stated, engine, draw)
    measurements = [each.name for each in ingested.inputs if each.times is not None]
    if not measurements:
        _refuse_options(options, stated)
    _check_out(out, (*measurements, named["since"], map_path))
    if hdr is not None:
        _check_out(hdr, (*inputs, out, named["since"], map_path), "--hdr")
    replace_files(_files(ingested.counted, out, hdr))
    result = {"file": out, **ingested_result(ingested)}
    findings = [
        *engine.warnings,
        *ingested.warnings,
        *histogram_findings(ingested.counted.histogram, inputs[0]),
    ]
    if isinstance(options.table, TimeColumn) and options.table.weight is None:
        for path in inputs:
            findings += column_findings(path, options.table.name)
    text = ingested_text(ingested, out)
    return CommandOutcome(text=text, result=result, findings=tuple(findings), is_answer=False)


def _files(counted: CountedTimes, out: str, hdr: str | None) -> list[tuple[Path, bytes]]:
    """The files to write: the profile and, for `--hdr`, an HdrHistogram log."""
    from pathlib import Path

    from tailc.traces.profile_file import written_counted

    files = [(Path(out), written_counted(counted))]
    if hdr is not None:
        from tailc.ingest.hdr_written import written_hdr_log

        files.append((Path(hdr), written_hdr_log(counted.histogram)))
    return files


def _requested(
    inputs: tuple[str, ...],
    measured: tuple[str | None, str | None, int | None],
    map_path: str | None,
    unit: str | None,
    with_internal: bool,
    named: dict[str, Any],
) -> tuple[InputOptions, StatedMeasure]:
    """How to read the inputs and what they measure, by the options or by the map of columns.

    measured: values of `--measure`, `--because` and `--expected-interval`.
    """
    from tailc.ingest.options import InputOptions
    from tailc.ingest.stated_measure import StatedMeasure
    from tailc.traces.profile import Measure

    measure, because, interval_us = measured
    if map_path is None:
        _check_because(because, measure)
        check_metric(inputs, **named)
        options = _options(unit, with_internal, **named)
    else:
        given = (value or None for value in named.values())
        columns = _map_of(map_path, (*given, unit, measure, because, with_internal or None))
        options = InputOptions(table=columns)
        measure, because = columns.measure, columns.because
    return options, StatedMeasure(
        None if measure is None else Measure(measure), because, interval_us
    )


def _refuse_options(options: InputOptions, stated: StatedMeasure) -> None:
    """Usage error for options about measurements, since every input is a profile."""
    from tailc.ingest.options import InputOptions
    from tailc.ingest.stated_measure import StatedMeasure

    if options != InputOptions() or stated != StatedMeasure(stated.measure):
        raise click.UsageError(
            "every INPUT is a profile, which already states how its times were measured and read: "
            "remove the options for that, or use them with the original measurements as INPUT"
        )


def _check_named_once(inputs: tuple[str, ...]) -> None:
    from collections import Counter
    from os.path import realpath

    files = Counter(map(realpath, inputs))
    twice = next((path for path in inputs if files[realpath(path)] > 1), None)
    if twice is not None:
        message = f"`{twice}` is given twice, so its requests would count twice: give it once"
        raise click.UsageError(message)


def _engine(processes: _Processes) -> AbstractContextManager[TaskEngine]:
    """Provide the engine that the options select, by default this process alone."""
    jobs = processes.jobs
    if jobs is None and processes.cluster is None:
        jobs = 1
    return chosen_engine(jobs, processes.cluster)


def _check_are_files(inputs: tuple[str, ...]) -> None:
    """Usage error if other processes cannot read an input, as standard input or a pipe."""
    from pathlib import Path

    from tailc.input_files import STDIN

    here = (path for path in inputs if path == STDIN or Path(path).is_fifo())
    other = next(here, None)
    if other is not None:
        message = f"`{other}` is not a file, so other processes cannot read it"
        raise click.UsageError(f"{message}: remove `--jobs` and `--cluster`")


def _check_out(out: str, others: Iterable[str | None], option: str = "-o") -> None:
    """Usage error if the file of the option would replace one of the others, or is no file."""
    from os.path import realpath

    if out == "-":
        is_profile = option == "-o"
        what = "the profile needs a file that specs can name" if is_profile else "`-` is no file"
        raise click.UsageError(f"{what}: give one with `{option}`")
    if realpath(out) in [realpath(file) for file in others if file is not None]:
        message = f"`{out}` is already a file of this command: give another file with `{option}`"
        raise click.UsageError(message)


def _map_of(path: str, others: tuple[object, ...]) -> ColumnMap:
    from tailc.specs.column_map import read_column_map

    if any(one is not None for one in others):
        raise click.UsageError(
            "the map of `--columns` defines the column, its unit, the weight, the measure and the "
            "reason: remove these options, or change a copy of the map"
        )
    return read_column_map(path)


def _options(
    unit: str | None,
    with_internal: bool,
    column: str | None,
    weight: str | None,
    attribute: str | None,
    metric: str | None,
    tags: tuple[str, ...],
    services: tuple[str, ...],
    **of_metric: Any,
) -> InputOptions:
    from tailc.ingest.options import InputOptions, MetricOptions, SpanOptions, TimeColumn
    from tailc.traces.reading import TimeUnit

    _check_names(column, weight, attribute)
    if tags and column is not None:
        raise click.UsageError(
            "`--tag` applies to an HdrHistogram log, and `--column` to a table: give only one"
        )
    if services and column is not None:
        raise click.UsageError(
            "`--service` applies to spans, and `--column` to a table: give only one"
        )
    if with_internal and (column or attribute):
        raise click.UsageError(
            "`--with-internal` applies only to the own times of spans: remove `--column` and "
            "`--attribute`"
        )
    return InputOptions(
        None if unit is None else TimeUnit(unit),
        None if column is None else TimeColumn(column, weight),
        SpanOptions(attribute, with_internal, services),
        MetricOptions(metric, **of_metric),
        tags,
    )


def _check_because(because: str | None, measure: str | None) -> None:
    from tailc.specs.common import WORDS_OF_A_REASON

    if because is None:
        return
    if len(because.split()) < WORDS_OF_A_REASON:
        message = f"`--because` must be a sentence of at least {WORDS_OF_A_REASON} words"
        raise click.UsageError(f"{message}, because it is written into the profile")
    if measure is None or not measure.startswith("demand-"):
        message = "`--because` applies only to a response time that is used as demand"
        raise click.UsageError(f"{message}: also give `--measure`, such as `--measure demand-busy`")


def _check_names(column: str | None, weight: str | None, attribute: str | None) -> None:
    if weight is not None and column is None:
        raise click.UsageError(
            "`--weight` is a column of a table: also name the column of times with `--column`"
        )
    if weight is not None and weight == column:
        raise click.UsageError(
            f"`{weight}` cannot be the column of both times and weights: give another column with "
            "`--weight`, or remove it"
        )
    if attribute is not None and column is not None:
        raise click.UsageError(
            "`--attribute` applies to spans, and `--column` to a table: give only one"
        )
    if attribute is not None and not all(attribute.split("..", 1)):
        raise click.UsageError(
            f"`{attribute}` is not an attribute or a pair of them: write `--attribute NAME` or "
            "`--attribute START..END`"
        )
