"""The command `tailc init`: draft a spec from a trace or a profile."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import MEASURE, RATE_MRPS, TIME_UNIT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tailc.errors import Finding, TailcError
    from tailc.specs.openslo.read import ImportedObjective
    from tailc.studies.draft import Draft
    from tailc.studies.draft_demand import (
        ListedSpeedup,
        SharedWork,
        TimeColumns,
        TimingColumns,
        Wishes,
    )

_SLO_QUESTION = "What latency must meet, such as p99 <= 500ms"
_SLO = re.compile(r"\s*p?([0-9.]+)\s*%?\s*(?:<=?|:|\s)\s*(\S.*?)\s*$", re.IGNORECASE)


@click.command("init", short_help="Draft a spec from a trace or a profile.")
@click.argument("trace")
@click.option("-o", "--output", default="service.yaml", show_default=True, metavar="SPEC")
@click.option("--cores", type=click.IntRange(min=1), metavar="X", help="Cores of the server.")
@click.option(
    "--slo",
    multiple=True,
    metavar="TEXT",
    help="SLO, such as 'p99 <= 500ms'; may be repeated.",
)
@click.option("--openslo", metavar="FILE", help="Take the objectives of OpenSLO documents instead.")
@click.option(
    "--openslo-unit", type=TIME_UNIT, help="Unit of the thresholds, if the metrics do not state it."
)
@click.option(
    "--fan-out",
    type=click.IntRange(min=1),
    metavar="X",
    help="Number of servers that must all answer.",
)
@click.option(
    "--speedup",
    metavar="LIST",
    help="Speed-up on 1, 2, ... threads, such as 1,1.9,2.7; or, as a first estimate, the "
    "parallel share of the work, such as 90%.",
)
@click.option(
    "--rate",
    "rates_mrps",
    multiple=True,
    type=RATE_MRPS,
    metavar="RATE",
    help="Arrival rate, such as 40/s; may be repeated. Default: 50 % and 90 % of the highest "
    "rate at which a fixed number of threads meets the SLO in replays.",
)
@click.option(
    "--name", metavar="NAME", help="Name of the policy. Default: the name of the trace file."
)
@click.option("--column", metavar="NAME", help="Column of a table with the demand.")
@click.option(
    "--timings",
    metavar="REQUEST,DEGREE,DURATION",
    help="Columns of a table with one row per execution: of the request, of its number of threads "
    "and of the time. They give the speed-ups.",
)
@click.option("--unit", type=TIME_UNIT, help="Unit of the column of times.")
@click.option("--measure", type=MEASURE, help="What the times of a table measure.")
@click.option("--because", metavar="WHY", help="Reason why a response time can be used as demand.")
@click.option("--reference", metavar="TEXT", help="Machine that demand was measured on.")
@click.option("--force", is_flag=True, help="Replace SPEC if it exists.")
@command_with_outcome
def command(trace: str, output: str, *, force: bool, **wish_options: Any) -> CommandOutcome:
    """Draft the spec of a few-to-many policy for the requests in TRACE.

    On a terminal, tailc asks for the settings that no option gives. The spec is checked with its
    trace before it is written. It compiles without changes, and its comments say what to review.
    """
    from pathlib import Path

    from tailc.atomic_files import replace_files
    from tailc.studies.draft_demand import Meaning, Wishes

    _check_paths(trace, Path(output), force=force)
    settings: dict[str, Any] = {
        key: value for key, value in wish_options.items() if value is not None
    }
    if "speedup" in settings:
        settings["speedup"] = _speedup(settings["speedup"])
    settings["columns"] = _columns(settings)
    settings["meaning"] = Meaning(settings.pop("measure", None), settings.pop("because", None))
    slos, slo_warnings = _slos(settings)
    if not (_has_terminal() or (slos and "cores" in settings)):
        raise _missing_settings(trace, Wishes(**{"cores": 0, **settings}, slos=slos))
    settings["cores"] = settings.get("cores") or _prompt("Cores of the server", _cores)
    slos = slos or tuple(_prompt(_SLO_QUESTION, _objectives))
    wishes = Wishes(slos=slos, **settings)
    drafted = _draft_or_ask(trace, wishes, output)
    replace_files([(Path(output), drafted.text.encode())])
    result: dict[str, object] = {"file": output, "name": drafted.name}
    findings = (*slo_warnings, *drafted.warnings)
    text = _summary(drafted, trace, output)
    return CommandOutcome(text=text, result=result, findings=findings, is_answer=False)


def _check_paths(trace: str, output: Path, *, force: bool) -> None:
    if trace == "-":
        raise click.UsageError(
            "a spec names its trace by a path, which standard input does not have: write the trace "
            "to a file"
        )
    if str(output) == "-":
        raise click.UsageError(
            "a spec names its trace relative to its own folder, which standard output does not "
            "have: give the path of a file with `-o`"
        )
    if output.exists() and not force:
        from tailc.errors import Code, Finding, Place, TailcError

        message = f"`{output}` exists, so it is not replaced"
        help_ = "give another path with `-o`, or `--force`"
        raise TailcError(Finding(Code.CANNOT_WRITE, message, Place(str(output)), help_))
    if not output.parent.is_dir():
        raise click.UsageError(f"the folder `{output.parent}` does not exist: create it")


def _draft_or_ask(trace: str, wishes: Wishes, output: str) -> Draft:
    """Draft the spec; ask at the terminal for settings that the trace does not contain."""
    from tailc.cli.progress import show_progress
    from tailc.errors import TailcError
    from tailc.studies.draft import draft_spec

    try:
        with show_progress(None) as progress:
            return draft_spec(trace, wishes, output, progress)
    except TailcError as error:
        (wish,) = error.findings[0].about or (None,)
        if wish not in _QUESTIONS or not _has_terminal():
            raise
        question, answered = _QUESTIONS[wish]
    answered_wishes = _prompt(question, partial(answered, wishes))
    return _draft_or_ask(trace, answered_wishes, output)


def _missing_settings(trace: str, wishes: Wishes) -> TailcError:
    """Build the error that lists all missing settings, if there is no terminal."""
    from tailc.errors import Code, Finding, TailcError
    from tailc.studies.draft import missing_settings

    missing = {
        "cores": (wishes.cores, "give the number of cores, such as `--cores 4`"),
        "slo": (wishes.slos, "give the limit of latency, such as `--slo 'p99 <= 500ms'`"),
    }
    findings = [
        Finding(
            Code.USAGE,
            f"`--{option}` is missing, and there is no terminal for the question",
            help=hint,
        )
        for option, (value, hint) in missing.items()
        if not value
    ]
    return TailcError([*findings, *missing_settings(trace, wishes)])


def _prompt(question: str, read: Callable[[str], Any]) -> Any:
    """Ask at the terminal and parse the answer; ask again after a usage error."""
    return click.prompt(question, value_proc=read, err=True)


def _cores(text: str) -> int:
    return click.IntRange(min=1)(text)


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _slos(settings: dict[str, Any]) -> tuple[tuple[ImportedObjective, ...], tuple[Finding, ...]]:
    """Remove the SLO options from the settings; return SLOs and warnings of OpenSLO documents."""
    from tailc.specs.openslo.read import read_openslo

    slos: tuple[str, ...] = settings.pop("slo", ())
    openslo, unit = (settings.pop(name, None) for name in ("openslo", "openslo_unit"))
    if openslo is None:
        if unit is not None:
            raise click.UsageError(
                "`--openslo-unit` is the unit of thresholds of `--openslo FILE`: add `--openslo`, "
                "or remove `--openslo-unit`"
            )
        return tuple(one for text in slos for one in _objectives(text)), ()
    if slos:
        raise click.UsageError(
            "`--slo` and `--openslo` both define the limit of latency: give only one"
        )
    document = read_openslo(openslo, unit)
    return document.objectives, document.warnings


def _columns(settings: dict[str, Any]) -> TimeColumns | TimingColumns:
    """Remove the options of columns from the settings; return the columns that they name."""
    from tailc.studies.draft_demand import TimeColumns, TimingColumns

    column, timings, unit = (settings.pop(key, None) for key in ("column", "timings", "unit"))
    if timings is None:
        return TimeColumns(column, unit)
    for option, is_given in (("column", column is not None), ("speedup", "speedup" in settings)):
        if is_given:
            raise click.UsageError(
                f"`--{option}` and `--timings` cannot be combined: remove `--{option}`, because "
                "timings have the demands and the speed-ups"
            )
    names = _names_in(timings)
    if len(names) != 3 or not all(names):
        raise click.UsageError(
            f"`{timings}` does not name three columns: write `--timings REQUEST,DEGREE,DURATION`, "
            "with a name that contains a comma in double quotes"
        )
    request, degree, duration = names
    return TimingColumns(request, degree, duration, unit)


def _names_in(text: str) -> list[str]:
    """Names separated by commas; none if the text is not one line of CSV."""
    import csv

    try:
        (names,) = csv.reader([text], skipinitialspace=True)
    except (csv.Error, ValueError):
        return []
    return [name.strip() for name in names]


def _objectives(text: str) -> list[ImportedObjective]:
    """Parse SLOs separated by commas."""
    return [_slo(part) for part in text.split(",")]


def _slo(text: str) -> ImportedObjective:
    from tailc.specs.openslo.read import ImportedObjective
    from tailc.units import DURATION, PERCENT, QuantityError, parse

    match = _SLO.match(text)
    if match is None:
        raise click.UsageError(f"`{text}` is not an objective: write `--slo 'p99 <= 500ms'`")
    percentile, latency = f"{match[1]}%", match[2]
    for quantity, dimension in ((percentile, PERCENT), (latency, DURATION)):
        try:
            parse(quantity, dimension)
        except QuantityError as fault:
            message = f"`{text.strip()}` is not an objective: {fault.message}; {fault.help}"
            raise click.UsageError(message) from None
    return ImportedObjective(percentile, latency)


def _speedup(text: str) -> ListedSpeedup | SharedWork:
    """Parse `--speedup`: a list of speed-ups, or a parallel share of the work."""
    from tailc.studies.draft_demand import ListedSpeedup, SharedWork

    try:
        if text.endswith("%"):
            return SharedWork(_share(text))
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        message = (
            f"`{text}` is neither a list of numbers nor a share: write `--speedup 1,1.9,2.7` or "
            "`90%`"
        )
        raise click.UsageError(message) from None
    if len(values) == 1 and values[0] > 0 and values[0] != 1:
        raise click.UsageError(_of_one_number(text, values[0]))
    return ListedSpeedup(values)


def _of_one_number(text: str, value: float) -> str:
    """Hint for a single number, which can be a parallel share or a speed-up."""
    share = f"{100 * value:.4g}%" if value < 1 else "90%"
    return (
        f"is `{text}` the share of a request's work that several threads can do? Then write "
        f"`--speedup {share}`; speed-ups on 1, 2, ... threads are a list that begins with 1, such "
        "as `--speedup 1,1.9,2.7`"
    )


def _with_measure(wishes: Wishes, text: str) -> Wishes:
    measure = MEASURE.convert(text, None, None)
    return replace(wishes, meaning=replace(wishes.meaning, measure=measure))


def _with_reason(wishes: Wishes, text: str) -> Wishes:
    return replace(wishes, meaning=replace(wishes.meaning, because=text))


def _with_speedup(wishes: Wishes, text: str) -> Wishes:
    return replace(wishes, speedup=_speedup(text))


_QUESTIONS: dict[object, tuple[str, Callable[[Wishes, str], Wishes]]] = {
    "measure": (
        f"What its times measure ({', '.join(MEASURE.choices)})",
        _with_measure,
    ),
    "because": (
        "Why little of these response times was waiting",
        _with_reason,
    ),
    "speedup": (
        "Speed-up on 1, 2, ... threads, such as 1,1.9,2.7, or the share of parallel work, as 90%",
        _with_speedup,
    ),
}
"""By missing setting: the question, and the function that applies the answer."""


def _share(text: str) -> float:
    share = float(text.removesuffix("%")) / 100
    if not 0 < share <= 1:
        raise ValueError(text)
    return share


def _summary(drafted: Draft, trace: str, output: str) -> str:
    from pathlib import Path
    from shlex import quote

    stem = f"build/{drafted.name}"
    held_out_path = quote(trace) if drafted.is_held_out else f"HELD-OUT{Path(trace).suffix}"
    keys = "".join(f"  {line}\n" for line in drafted.detected)
    return (
        f"wrote {output}, with these keys for the trace:\n{keys}\n"
        f"next: tailc compile {quote(output)} -o {stem}\n"
        f"      tailc verify {stem}.tailc --trace {held_out_path}\n"
    )
