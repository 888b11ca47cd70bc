"""The command `tailc test`: check that a policy answers as a file of tests expects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.lookup_query import Options, given_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome, recorded_outcome
from tailc.cli.quantities import SHARE_PPM
from tailc.cli.trust_option import trusts
from tailc.errors import Code, ExitCode, Finding, Severity, TailcError

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.errors import Place
    from tailc.forms.coverage import Cell
    from tailc.report.junit import JUnitCase
    from tailc.specs.policy_tests import PolicyTest

_PPM = 1_000_000
# No variable begins with it.
_NONE = "TAILC_TEST_QUERY"
# The options of queries that name files to read.
_FILES = ("--trace", "--measured", "--budgets", "--since", "--chip")
# In place of a member that the result does not have.
_ABSENT = object()
# Cells without a test that are printed.
_SHOWN = 10


@click.command("test", short_help="Test the answers of a policy.")
@click.argument("spec", metavar="FILE")
@click.option("--policy", metavar="ARTIFACT", help="Test this policy, not that of the file.")
@click.option("--coverage", is_flag=True, help="Print the cells that no look-up of a test reads.")
@click.option(
    "--threshold",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Least share of the cells that tests read, such as 80%; exit 1 below it.",
)
@trusts
@command_with_outcome
def command(
    spec: str, policy: str | None, coverage: bool, threshold: int | None, trust: Trust
) -> CommandOutcome:
    """Run the tests in FILE: queries to a policy, and the answers that it must give.

    A query has the options of `tailc lookup`, or of `tailc verify` for a replay of a trace. A test
    passes if each expected member is equal in the JSON result. Exits 1 if a test fails.
    """
    from tailc.artifact.files import read_policy
    from tailc.specs.policy_tests import open_policy_tests, tests_of

    loaded, tests = open_policy_tests(spec)
    folder = Path() if spec == "-" else Path(spec).parent
    path = policy or _relative(tests.policy, folder)
    tested = read_policy(path, trust)
    if threshold is not None and not 0 <= threshold <= _PPM:
        raise click.UsageError("`--threshold` must be from 0% to 100%, such as `80%`")
    runs = [
        _run(test, path, folder, tested, loaded.place("tests", index, test.command))
        for index, test in enumerate(tests_of(tests))
    ]
    findings = [
        Finding(Code.TEST_FAILED, message, loaded.place("tests", index, "expect"))
        for index, run in enumerate(runs)
        if (message := run.message())
    ]
    failed = len(findings)
    lines = [f"{'FAIL' if run.differences else 'ok'}  {run.test.name}" for run in runs]
    lines.append(f"{len(runs) - failed} of {len(runs)} tests passed")
    result: dict[str, object] = {
        "policy": path,
        "passed": len(runs) - failed,
        "failed": failed,
        "tests": [run.result() for run in runs],
    }
    cases = [run.case() for run in runs]
    if coverage or threshold is not None:
        covered = _Coverage(_cells(tested), {run.cell for run in runs if run.cell is not None})
        result["coverage"] = covered.result()
        lines += covered.lines(shows=coverage)
        if threshold is not None and covered.ppm < threshold:
            message = f"tests read {covered.percent} of the cells, less than {threshold / 1e4:g} %"
            hint = "add tests of other cells, which `--coverage` lists; or lower `--threshold`"
            findings.append(Finding(Code.TEST_FAILED, message, loaded.place("tests"), hint))
            cases.append(_case("coverage", message))
    return CommandOutcome(
        ExitCode.MISSED if findings else ExitCode.OK,
        "\n".join(lines),
        result,
        tuple(findings),
        cases=tuple(cases),
    )


@dataclass(frozen=True)
class _QueryRun:
    """A test and its result: differences as (member, expected, got); the cell that it read."""

    test: PolicyTest
    differences: tuple[tuple[str, Any, Any], ...]
    cell: Cell | None

    def message(self) -> str:
        """What differs; empty if the test passed."""
        parts = [
            f"{key} is {'not in the result' if got is _ABSENT else repr(got)}, expected {wanted!r}"
            for key, wanted, got in self.differences
        ]
        return f"`{self.test.name}`: {'; '.join(parts)}" if parts else ""

    def result(self) -> dict[str, object]:
        differences = [
            {"member": key, "expected": wanted, "got": None if got is _ABSENT else got}
            for key, wanted, got in self.differences
        ]
        return {"name": self.test.name, "passed": not differences, "differences": differences}

    def case(self) -> JUnitCase:
        return _case(self.test.name, self.message())


def _case(name: str, failure: str) -> JUnitCase:
    """A case that failed, or passed if the message is empty."""
    from tailc.report.junit import CaseFault, JUnitCase

    fault, kind = (CaseFault.FAILURE, "differs") if failure else (None, "passed")
    return JUnitCase("tailc test", name, fault, kind, failure or "as expected")


def _run(
    test: PolicyTest, path: str, folder: Path, policy: Policy, place: Place | None
) -> _QueryRun:
    command = _COMMANDS[test.command]()
    try:
        # Variables and files of the user are for this command: a test has no options but its own,
        # and --help, which would end this command, is none.
        context = command.make_context(
            command.name,
            [path, *_query(test, folder)],
            default_map={},
            auto_envvar_prefix=_NONE,
            help_option_names=[],
        )
        outcome = recorded_outcome(context)
    except click.UsageError as error:
        message = f"`{test.name}` is no query of `tailc {test.command}`: {error.format_message()}"
        hint = f"`tailc {test.command} --help` describes the options"
        raise TailcError([Finding(Code.USAGE, message.rstrip("."), place, hint)]) from None
    if any(finding.severity is Severity.ERROR for finding in outcome.findings):
        raise TailcError(outcome.findings)
    differences = tuple(
        (key, wanted, outcome.result.get(key, _ABSENT))
        for key, wanted in test.expected.items()
        if key not in outcome.result or outcome.result[key] != wanted
    )
    cell = _cell(policy, given_options(context.params)) if test.command == "lookup" else None
    return _QueryRun(test, differences, cell)


def _lookup() -> click.Command:
    from tailc.cli.lookup_command import command

    return command


def _verify() -> click.Command:
    from tailc.cli.verify_command import command

    return command


_COMMANDS = {"lookup": _lookup, "verify": _verify}


def _query(test: PolicyTest, folder: Path) -> list[str]:
    """The words of a test, with the paths of files to read relative to the file of the tests."""
    words = list(test.words)
    for index, word in enumerate(words[:-1]):
        if word in _FILES:
            words[index + 1] = _relative(words[index + 1], folder)
    return words


def _relative(path: str, folder: Path) -> str:
    """Resolve a path of a file of tests in `folder`; a path in a Git repository is unchanged."""
    from tailc.artifact.files import is_path

    return str(folder / path) if is_path(path) else path


@dataclass(frozen=True)
class _Coverage:
    cells: list[Cell]
    read: set[Cell]

    @property
    def missing(self) -> list[Cell]:
        return [cell for cell in self.cells if cell not in self.read]

    @property
    def ppm(self) -> int:
        total = len(self.cells)
        return _PPM if not total else (total - len(self.missing)) * _PPM // total

    @property
    def percent(self) -> str:
        return f"{self.ppm / 1e4:.1f} %"

    def result(self) -> dict[str, object]:
        missing = [list(cell) for cell in self.missing]
        return {"cells": len(self.cells), "share_ppm": self.ppm, "missing": missing}

    def lines(self, *, shows: bool) -> list[str]:
        total, missing = len(self.cells), self.missing
        lines = [f"coverage: {total - len(missing)} of {total} cells, {self.percent}"]
        if shows:
            lines += [f"  not read: {row}, {column}" for row, column in missing[:_SHOWN]]
            more = len(missing) - _SHOWN
            lines += [f"  ... and {more} more"] if more > 0 else []
        return lines


def _cells(policy: Policy) -> list[Cell]:
    """All cells; none for plans and shares, which have no table."""
    from tailc.forms.coverage import budget_cells, ladder_cells, tail_cells

    if policy.tail_table is not None:
        return list(tail_cells(policy.tail_table))
    if policy.budget_table is not None:
        return list(budget_cells(policy.budget_table))
    return [cell for ladder in policy.ladders for cell in ladder_cells(ladder)]


def _cell(policy: Policy, given: Options) -> Cell | None:
    """The cell that a look-up reads."""
    from tailc.forms.coverage import budget_cell, ladder_cell, tail_cell

    if policy.tail_table is not None:
        memory_ns = given.get("memory", 0) * 1_000
        return tail_cell(policy.tail_table, given.get("cycles", 0), memory_ns)
    if policy.budget_table is not None:
        waiting = given.get("waiting_tokens", 0)
        return budget_cell(policy.budget_table, given.get("decoding", 0), waiting)
    if not policy.ladders:
        return None
    ladder = policy.form_for(given.get("request_class"))
    load = given.get("in_system") if ladder.load_axis.value == "in_system" else given.get("rate")
    return ladder_cell(ladder, load or 0, given.get("waited", 0), given.get("age", 0))
