"""Run a command for each policy of a fleet, and summarise the runs."""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tailc.artifact.files import FLAT_SUFFIX
from tailc.cli import run
from tailc.cli.outcome import CommandOutcome
from tailc.errors import Code, ExitCode, Finding, Place, TailcError
from tailc.progress import Progress
from tailc.report.table import align_columns, as_markdown
from tailc.tasks.engine import LostTask, TaskEngine
from tailc.units import plural, printable

FORMAT = "tailc-fleet-runs"
VERSION = 1
# Exit codes below those of failures, from best to worst.
_ORDER = (
    ExitCode.OK,
    ExitCode.DIFFERS,
    ExitCode.UNDECIDED,
    ExitCode.MISSED,
    ExitCode.INFEASIBLE,
    ExitCode.BUDGET,
)


@dataclass(frozen=True)
class ServiceRun:
    """The run of a command for one service of a fleet.

    document: the command's output as JSON.
    """

    service: str
    exit_code: ExitCode
    document: Mapping[str, Any]


@dataclass(frozen=True)
class FleetColumns:
    """Additional columns of a fleet's table, which has one row per service.

    heads: titles of the columns. cells: their texts for a service. is_listed: whether a service is
    listed although its result is the best one.
    """

    heads: tuple[str, ...] = ()
    cells: Callable[[ServiceRun], tuple[str, ...]] = lambda _: ()
    is_listed: Callable[[ServiceRun], bool] = lambda _: False


NO_COLUMNS = FleetColumns()


def find_policies(folder: str) -> dict[str, str]:
    """Find the `.tailc` files in a folder and the folders below it, by the name of the service.

    Raises TailcError (cannot read) if there is none.
    """
    root = Path(folder)
    found = {
        str(path.relative_to(root).with_suffix("")): str(path)
        for path in sorted(root.rglob(f"*{FLAT_SUFFIX}"))
    }
    if not found:
        message = f"`{folder}` has no policy"
        hint = "give the folder that `tailc fleet compile` wrote"
        raise TailcError(Finding(Code.CANNOT_READ, message, Place(folder), hint))
    return found


def run_for_each(
    words: Mapping[str, Sequence[str]], engine: TaskEngine, progress: Progress
) -> list[ServiceRun]:
    """Run a command line for each service, in parallel; its output is JSON.

    words: command line for each service, without `--output-format`.
    """
    names = list(words)
    progress("running services", 0.0)
    ended = Counter[str]()

    def report(number: int, _: object) -> None:
        ended[names[number]] = 1
        progress(f"ran {len(ended):,} of {len(names):,} services", len(ended) / len(names))

    results = engine.run_all(_run, [tuple(words[name]) for name in names], report)
    return [_service_run(name, one) for name, one in zip(names, results, strict=True)]


def _run(words: tuple[str, ...]) -> tuple[int, str]:
    """Exit code and JSON output of a command line."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = run([*words, "--output-format", "json"])
    return code, output.getvalue()


def _service_run(service: str, result: tuple[int, str] | LostTask) -> ServiceRun:
    if isinstance(result, LostTask):
        lost = {"code": Code.LOST_TASK.ident, "message": Code.LOST_TASK.title}
        return ServiceRun(service, ExitCode.MISSING_PART, {"findings": [lost], "result": {}})
    code, text = result
    return ServiceRun(service, ExitCode(code), json.loads(text))


def fleet_outcome(
    runs: Sequence[ServiceRun],
    names: Mapping[ExitCode, str],
    warnings: tuple[Finding, ...],
    columns: FleetColumns = NO_COLUMNS,
) -> CommandOutcome:
    """Summarise a command that was run for every service of a fleet.

    names: the name of the result for each exit code; other exit codes are counted as `failed`.
    """
    best = next(iter(names.values()))
    listed = [one for one in runs if _name(one, names) != best or columns.is_listed(one)]
    head = f"{plural(len(runs), 'service')}: {counts_text(runs, names)}"
    table = fleet_table(listed, names, columns)
    return CommandOutcome(
        exit_code=max((one.exit_code for one in runs), key=_badness, default=ExitCode.OK),
        text=f"{head}\n\n{align_columns(table)}\n" if listed else f"{head}\n",
        result=_as_dict(runs, names),
        findings=warnings,
        markdown=f"### {head}\n\n{as_markdown(table)}" if listed else f"### {head}\n",
    )


def counts_text(runs: Sequence[ServiceRun], names: Mapping[ExitCode, str]) -> str:
    """Format the number of services by result, such as `3 pass, 1 missed`."""
    counts = Counter(_name(one, names) for one in runs)
    return ", ".join(
        f"{counts[name]:,} {name}" for name in (*names.values(), "failed") if counts[name]
    )


def fleet_table(
    runs: Sequence[ServiceRun], names: Mapping[ExitCode, str], columns: FleetColumns
) -> list[tuple[str, ...]]:
    """Build a table of a fleet's runs of a command, with a row for each service."""
    rows = (
        (printable(one.service), _name(one, names), *columns.cells(one), _finding_text(one))
        for one in runs
    )
    return [("service", "result", *columns.heads, "finding"), *rows]


def _badness(code: ExitCode) -> int:
    return _ORDER.index(code) if code in _ORDER else code


def _name(one: ServiceRun, names: Mapping[ExitCode, str]) -> str:
    return names.get(one.exit_code, "failed")


def _finding_text(one: ServiceRun) -> str:
    findings = one.document["findings"]
    return printable(f"{findings[0]['code']}: {findings[0]['message']}") if findings else "-"


def _as_dict(runs: Sequence[ServiceRun], names: Mapping[ExitCode, str]) -> dict[str, object]:
    """Convert the runs to JSON data, as schemas/report/fleet-runs-1.schema.json describes."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "services": [
            {
                "name": one.service,
                "result": _name(one, names),
                "exit_code": int(one.exit_code),
                "findings": one.document["findings"],
                "output": one.document["result"],
            }
            for one in runs
        ],
    }
