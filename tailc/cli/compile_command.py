"""tailc compile: spec and traces in, artifact out."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.quantities import PERCENTILE_PPM
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.terminal_pictures import with_policy
from tailc.cli.trust_option import trusts
from tailc.errors import ExitCode, TailcError
from tailc.units import LARGEST

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.pipeline.compile import AnyCompiled
    from tailc.pipeline.spec import OpenedSpec
    from tailc.specs.robust import RobustSpec

_METHODS = [
    *("auto", "grid", "dual", "convex", "mip", "arrival", "anneal", "columns", "paper"),
    "simulation",
]
_ON_DESIGN = ", predicted on the sample of the compile"


@dataclass(frozen=True)
class _Wish:
    """What else a compile shall write and show; `output` None: where the policy's name says."""

    output: str | None
    force: bool
    dry_run: bool
    allow_misses: bool
    strict: bool
    report: Path | None
    plot: bool
    progress: bool | None


@click.command("compile", short_help="Compile a spec and its trace into a policy.")
@click.argument("spec")
@click.option("-o", "--output", metavar="STEM", help="Write STEM.json and STEM.tailc.")
@click.option(
    "--method",
    type=click.Choice(_METHODS),
    help="Override search.method.",
)
@click.option(
    "--effort",
    type=click.Choice(["quick", "normal", "thorough"]),
    help="Override search.effort: how many requests the method auto simulates.",
)
@click.option(
    "--risk",
    "risk_ppm",
    type=PERCENTILE_PPM,
    metavar="PERCENT",
    help="Override search.risk: the share of resamples of the trace in which the table of the "
    "method auto may lose to a setting chosen by hand.",
)
@click.option(
    "--solver",
    type=click.Choice(["highs", "scip", "cp-sat", "gurobi"]),
    help="Override search.solver, and use the method mip.",
)
@click.option(
    "--objective",
    type=click.Choice(["tail", "threads", "energy", "efficiency", "batch", "rate"]),
    help="Override search.objective.",
)
@click.option(
    "--max-evaluations",
    type=click.IntRange(min=1, max=LARGEST),
    metavar="X",
    help="Override search.max_evaluations, the budget of the search.",
)
@click.option(
    "--robust",
    is_flag=True,
    callback=lambda _, __, given: _robust() if given else None,
    help="Compile for an uncertainty set of demand and speed-ups (search.robust, or its defaults).",
)
@click.option(
    "--previous",
    metavar="ARTIFACT",
    help="The deployed policy; the new policy gets the next generation.",
)
@click.option(
    "--force", is_flag=True, help="Replace existing files, even if they are not policies."
)
@click.option(
    "--allow-misses",
    is_flag=True,
    help="Write the policy even if it misses an SLO at a rate. Default: write nothing, exit 6.",
)
@click.option(
    "--strict", is_flag=True, help="Exit 4 if replays do not decide an SLO. Default: warn."
)
@click.option("--dry-run", is_flag=True, help="Compile and print the result, but write no policy.")
@click.option(
    "--incremental",
    is_flag=True,
    help="Compile only if the spec, an option, a file that it names or a package has changed. "
    "Default: compile always.",
)
@click.option(
    "--explain-rebuild", is_flag=True, help="Like --incremental, and print what has changed."
)
@click.option(
    "--watch",
    is_flag=True,
    help="Keep running: like --explain-rebuild, each time the spec or a file that it names is "
    "written.",
)
@report_option
@plot_option
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="X", help="Number of threads of the search."
)
@click.option(
    "--progress/--no-progress", default=None, help="Show progress. Default: only on a terminal."
)
@trusts
@reports
def command(
    spec: str,
    *,
    incremental: bool,
    explain_rebuild: bool,
    watch: bool,
    trust: Trust,
    previous: str | None,
    **asked: Any,
) -> Outcome:
    """Compile SPEC (a file, or - for standard input) into a policy.

    Without -o, the policy is written to NAME.json and NAME.tailc. An existing file that is not a
    policy is replaced only with --force. Exits 6 if no policy meets the limits, and 7 if the budget
    ends first; nothing is written then, and old files stay as they are. A method, solver or
    objective that the kind of policy does not have is refused.
    """
    from tailc.artifact.files import read_policy

    _check_stem(asked["output"])
    held = read_policy(previous, trust) if previous else None
    wish = _Wish(*(asked.pop(field.name) for field in fields(_Wish)))
    threads = asked.pop("threads")
    given = {name: value for name, value in asked.items() if value is not None}
    once = partial(_once, spec, held, given, threads, wish)
    if not (incremental or explain_rebuild or watch):
        return once()[0]
    from tailc.cli.incremental import Again, told_options
    from tailc.cli.watching import watched

    if spec == "-" or wish.report is not None:
        raise click.UsageError("what is compiled only at need is a spec's file, without --report")
    explains = explain_rebuild or watch
    again = Again(spec, wish.output, told_options(given, held), once, explains=explains)
    return watched(again.outcome, again.files) if watch else again.outcome()


def _once(
    spec: str,
    held: Policy | None,
    given: dict[str, object],
    threads: int | None,
    wish: _Wish,
) -> tuple[Outcome, AnyCompiled]:
    """Compile once; the policy is written unless it is not to be."""
    from tailc.artifact.files import paths_of, refuse_others
    from tailc.atomic_files import refuse_unwritable
    from tailc.cli.progress import shown
    from tailc.pipeline.compilation import Judging
    from tailc.pipeline.compile import compile_opened
    from tailc.pipeline.spec import open_kind

    with shown(wish.progress) as draw:
        opened = open_kind(spec)
        stem = wish.output or opened.spec.name
        if not wish.dry_run:
            refuse_unwritable(paths_of(stem))
            if not wish.force:
                refuse_others(paths_of(stem), "name another by -o, or give --force")
        if wish.report is not None:
            refuse_unwritable([wish.report])
        try:
            compiled = compile_opened(
                opened,
                overrides=given,
                previous=held,
                threads=threads,
                progress=draw,
                judging=Judging(wish.allow_misses),
            )
        except TailcError as error:
            raise _with_conflicts(error, opened, given, threads) from None
        estimate = None
        if wish.report is not None or wish.plot:
            from tailc.pipeline.in_sample_replay import on_design

            estimate = on_design(compiled, threads, draw)
    outcome = _write(compiled, stem, wish)
    if wish.plot:
        outcome = with_policy(outcome, compiled.policy, estimate, replayed=_ON_DESIGN)
    if wish.report is None:
        return outcome, compiled
    from tailc.report.page.compile_page import compiled_page

    return with_report(outcome, wish.report, compiled_page(compiled, estimate)), compiled


def _with_conflicts(
    error: TailcError, opened: OpenedSpec, given: dict[str, object], threads: int | None
) -> TailcError:
    """The error, told by the lines that are in the way where no policy meets the spec."""
    if error.exit_code is not ExitCode.INFEASIBLE:
        return error
    from tailc.studies.conflicts.explained import explained

    return TailcError([*error.findings, *explained(opened, given, threads)])


def _write(compiled: AnyCompiled, stem: str, wish: _Wish) -> Outcome:
    """Write the policy, if it shall be written, and tell what was found."""
    from tailc.artifact.files import paths_of, write_policy
    from tailc.pipeline.build_inputs import package_versions
    from tailc.pipeline.estimate_findings import is_undecided
    from tailc.report.compiled import compiled_result, compiled_text

    paths = paths_of(stem)
    if not wish.dry_run:
        write_policy(compiled.policy, stem, replaces_others=wish.force)
    text = compiled_text(compiled, paths, is_written=not wish.dry_run)
    files = [] if wish.dry_run else [str(path) for path in paths]
    result = {"files": files, **compiled_result(compiled), "versions": package_versions()}
    exit_code = ExitCode.OK
    if wish.strict and is_undecided(compiled.policy):
        exit_code = ExitCode.UNDECIDED
    return Outcome(exit_code, text, result, compiled.findings, is_answer=wish.dry_run)


def _robust() -> RobustSpec:
    from tailc.specs.robust import RobustSpec

    return RobustSpec()


def _check_stem(output: str | None) -> None:
    """Refuse a stem that names no file before the search rather than after it."""
    from pathlib import Path

    if output is not None and (output.endswith("/") or Path(output).name in ("", "..")):
        raise click.UsageError(f"`{output}` names no file: give -o a stem such as build/websearch")
