"""Run a command for each policy of a fleet, and summarise the runs."""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
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
_HEADS = ("service", "result", "finding")
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
    """The run of a command for a service. document: its JSON output."""

    service: str
    exit_code: ExitCode
    document: Mapping[str, Any]


def find_policies(folder: str) -> dict[str, str]:
    """The `.tailc` files in a folder and the folders below it, by the name of the service.

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
    """Run a command line for each service, without `--output-format`."""
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
    runs: Sequence[ServiceRun], names: Mapping[ExitCode, str], warnings: tuple[Finding, ...]
) -> CommandOutcome:
    """Summarise the runs; names: the results by exit code, others are `failed`."""
    counts = Counter(_name(one, names) for one in runs)
    best = next(iter(names.values()))
    rows = [
        (printable(one.service), _name(one, names), _finding_text(one))
        for one in runs
        if _name(one, names) != best
    ]
    head = f"{plural(len(runs), 'service')}: " + ", ".join(
        f"{counts[name]:,} {name}" for name in (*names.values(), "failed") if counts[name]
    )
    table = [_HEADS, *rows]
    return CommandOutcome(
        exit_code=max((one.exit_code for one in runs), key=_badness, default=ExitCode.OK),
        text=f"{head}\n\n{align_columns(table)}\n" if rows else f"{head}\n",
        result=_as_dict(runs, names),
        findings=warnings,
        markdown=f"### {head}\n\n{as_markdown(table)}" if rows else f"### {head}\n",
    )


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
