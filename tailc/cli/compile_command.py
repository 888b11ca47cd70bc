"""The command `tailc compile`: compile a spec and its trace into a policy."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import PERCENTILE_PPM
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.cli.search_choice import SearchChoice
from tailc.cli.terminal_pictures import add_policy_pictures
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.trust_option import trusts
from tailc.errors import ExitCode, TailcError
from tailc.units import LARGEST

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.pipeline.build_inputs import BuildInputs
    from tailc.pipeline.compile import AnyCompiled
    from tailc.pipeline.spec import OpenedSpec
    from tailc.specs.robust import RobustSpec

_ON_DESIGN = ", predicted on the sample of the compile"


@dataclass(frozen=True)
class _WriteOptions:
    """Options for the output of a compile; `output` None: named after the policy."""

    output: str | None
    force: bool
    dry_run: bool
    allow_misses: bool
    strict: bool
    report: Path | None
    plot: bool
    progress: bool | None
    locked: str | None
    write_lock: str | None


@click.command("compile", short_help="Compile a spec and its trace into a policy.")
@click.argument("spec")
@click.option("-o", "--output", metavar="STEM", help="Write STEM.json and STEM.tailc.")
@click.option(
    "--method",
    type=SearchChoice("Method"),
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
    type=SearchChoice("Objective"),
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
    callback=lambda _, __, overrides: _robust() if overrides else None,
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
@click.option(
    "--locked",
    metavar="FILE",
    help="Write nothing if an input, or the resulting policy, differs from this lock file.",
)
@click.option(
    "--write-lock",
    metavar="FILE",
    help="Write a lock file: digests of the inputs and of the policy, and versions of packages.",
)
@report_option
@plot_option
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="X", help="Number of threads of the search."
)
@click.option(
    "--progress/--no-progress",
    default=None,
    envvar="TAILC_PROGRESS",
    help="Show progress. Default: only on a terminal.",
)
@trusts
@command_with_outcome
def command(
    spec: str,
    *,
    incremental: bool,
    explain_rebuild: bool,
    watch: bool,
    trust: Trust,
    previous: str | None,
    **options: Any,
) -> CommandOutcome:
    """Compile SPEC (a file, or - for standard input) into a policy.

    Without -o, the policy is written to NAME.json and NAME.tailc. An existing file that is not a
    policy is replaced only with --force. Exits 6 if no policy meets the limits, and 7 if the budget
    ends first; nothing is written then, and old files stay as they are. A method, solver or
    objective that the kind of policy does not have is refused.
    """
    from tailc.artifact.files import read_policy

    _check_stem(options["output"])
    previous_policy = read_policy(previous, trust) if previous else None
    write_options = _WriteOptions(*(options.pop(field.name) for field in fields(_WriteOptions)))
    threads = options.pop("threads")
    overrides = {name: value for name, value in options.items() if value is not None}
    once = partial(_once, spec, previous_policy, overrides, threads, write_options)
    if not (incremental or explain_rebuild or watch):
        return once()[0]
    from tailc.cli.incremental import IncrementalCompile, policy_options
    from tailc.cli.watching import watch_and_print

    others = (write_options.report, write_options.locked, write_options.write_lock)
    if spec == "-" or any(other is not None for other in others):
        raise click.UsageError(
            "`--incremental` and `--watch` need the spec as a file, not on standard input, and "
            "cannot be combined with `--report`, `--locked` or `--write-lock`"
        )
    explains = explain_rebuild or watch
    again = IncrementalCompile(
        spec,
        write_options.output,
        policy_options(overrides, previous_policy),
        once,
        explains=explains,
    )
    return watch_and_print(again.outcome, again.files) if watch else again.outcome()


def _once(
    spec: str,
    previous_policy: Policy | None,
    overrides: dict[str, object],
    threads: int | None,
    write_options: _WriteOptions,
) -> tuple[CommandOutcome, AnyCompiled]:
    """Compile once, and write the policy unless it is a dry run."""
    from tailc.artifact.files import paths_of, refuse_others
    from tailc.atomic_files import refuse_unwritable
    from tailc.cli.progress import show_progress
    from tailc.pipeline.compilation import Judging
    from tailc.pipeline.compile import compile_opened
    from tailc.pipeline.spec import open_kind
    from tailc.specs.ignores import apply_ignores

    with show_progress(write_options.progress) as draw:
        opened = open_kind(spec)
        stem = write_options.output or opened.spec.name
        if not write_options.dry_run:
            refuse_unwritable(paths_of(stem))
            if not write_options.force:
                refuse_others(paths_of(stem), "give another path with `-o`, or `--force`")
        if write_options.report is not None:
            refuse_unwritable([write_options.report])
        lock = _Lock.checked(opened, spec, overrides, previous_policy, write_options)
        try:
            compiled = compile_opened(
                opened,
                overrides=overrides,
                previous=previous_policy,
                threads=threads,
                progress=draw,
                judging=Judging(write_options.allow_misses),
            )
        except TailcError as error:
            raise _with_conflicts(error, opened, overrides, threads) from None
        lock.check(compiled.policy)
        estimate = None
        if write_options.report is not None or write_options.plot:
            from tailc.pipeline.in_sample_replay import in_sample_estimate

            estimate = in_sample_estimate(compiled, threads, draw)
    document = opened.loaded.document
    compiled_findings = apply_ignores(document, compiled.findings, is_complete=True)
    outcome = replace(_write(compiled, stem, write_options), findings=compiled_findings)
    lock.write(compiled.policy)
    if write_options.plot:
        outcome = add_policy_pictures(outcome, compiled.policy, estimate, replayed=_ON_DESIGN)
    if write_options.report is None:
        return outcome, compiled
    from tailc.report.page.compile_page import compiled_page

    return with_report(outcome, write_options.report, compiled_page(compiled, estimate)), compiled


@dataclass(frozen=True)
class _Lock:
    """The inputs of a compile, the lock file to check and its digest, and the one to write.

    The digest is empty if there is none to check, and inputs are None without any lock file.
    """

    inputs: BuildInputs | None
    locked: str | None
    digest: str
    written: str | None

    @classmethod
    def checked(
        cls,
        opened: OpenedSpec,
        spec: str,
        overrides: dict[str, object],
        previous: Policy | None,
        write_options: _WriteOptions,
    ) -> _Lock:
        """Check the inputs against the lock file; TailcError if one differs."""
        locked, written = write_options.locked, write_options.write_lock
        if locked is None and written is None:
            return cls(None, None, "", None)
        from tailc.atomic_files import refuse_unwritable
        from tailc.cli.incremental import policy_options
        from tailc.pipeline.build_inputs import build_inputs
        from tailc.pipeline.lock import check_inputs, refuse_other

        options = policy_options(overrides, previous)
        now = build_inputs(opened.loaded.document, spec, options)
        if now.reads_standard_input or spec == "-":
            raise click.UsageError("a lock file needs the inputs as files, not on standard input")
        if written is not None:
            refuse_unwritable([Path(written)])
            if not write_options.force:
                refuse_other(written)
            stem = write_options.output or opened.spec.name
            _check_replaces_no_own_file(written, spec, stem, write_options.report)
        return cls(now, locked, "" if locked is None else check_inputs(locked, now), written)

    def check(self, policy: Policy) -> None:
        """Raise TailcError if the policy differs from the locked one."""
        if self.locked is not None:
            from tailc.pipeline.lock import check_result

            check_result(self.locked, self.digest, policy)

    def write(self, policy: Policy) -> None:
        """Write the lock file, if one is requested."""
        if self.written is not None and self.inputs is not None:
            from tailc.atomic_files import replace_files
            from tailc.pipeline.lock import lock_bytes

            replace_files([(Path(self.written), lock_bytes(self.inputs, policy))])


def _check_replaces_no_own_file(lock: str, spec: str, stem: str, report: Path | None) -> None:
    """Usage error if the lock file would replace another file that the compile reads or writes."""
    from os.path import realpath

    from tailc.cli.own_files import own_files

    others = own_files({"spec": spec, "output": stem, "report": report})
    if realpath(lock) in map(realpath, others):
        raise click.UsageError(
            f"`{lock}` is also another file of this command: give another one with `--write-lock`"
        )


def _with_conflicts(
    error: TailcError, opened: OpenedSpec, overrides: dict[str, object], threads: int | None
) -> TailcError:
    """Add the lines of the spec that conflict to an infeasibility error."""
    if error.exit_code is not ExitCode.INFEASIBLE:
        return error
    from tailc.studies.conflicts.explanation import explain_conflicts

    return TailcError([*error.findings, *explain_conflicts(opened, overrides, threads)])


def _write(compiled: AnyCompiled, stem: str, write_options: _WriteOptions) -> CommandOutcome:
    """Write the policy unless it is a dry run, and build the outcome."""
    from tailc.artifact.files import paths_of, write_policy
    from tailc.pipeline.build_inputs import package_versions
    from tailc.report.compile_report import compiled_result, compiled_text

    paths = paths_of(stem)
    if not write_options.dry_run:
        write_policy(compiled.policy, stem, replaces_others=write_options.force)
    text = compiled_text(compiled, paths, is_written=not write_options.dry_run)
    files = [] if write_options.dry_run else [str(path) for path in paths]
    result = {"files": files, **compiled_result(compiled), "versions": package_versions()}
    exit_code = ExitCode.OK
    if write_options.strict:
        from tailc.pipeline.estimate_findings import is_undecided

        if is_undecided(compiled.policy):
            exit_code = ExitCode.UNDECIDED
    return CommandOutcome(
        exit_code, text, result, compiled.findings, is_answer=write_options.dry_run
    )


def _robust() -> RobustSpec:
    from tailc.specs.robust import RobustSpec

    return RobustSpec()


def _check_stem(output: str | None) -> None:
    """Refuse an invalid output stem before the search instead of after it."""
    if output is not None and (output.endswith("/") or Path(output).name in ("", "..")):
        raise click.UsageError(
            f"`{output}` is not a name of a file: give `-o` a stem such as `build/websearch`"
        )
