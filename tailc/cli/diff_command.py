"""The command `tailc diff`: compare two policies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.budgets_option import budgets as budgets_option
from tailc.cli.budgets_option import read_budget_option, with_budgets
from tailc.cli.diff_throughput import compare_throughput
from tailc.cli.diff_tokens import compare_tokens
from tailc.cli.engine_options import (
    refuse_cluster,
    replay_cluster,
    replay_engine,
    with_warnings,
)
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.cli.terminal_pictures import add_change_pictures
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.trust_option import trusts
from tailc.cli.verify_plan import check_options, plan_options, with_solvers, without_plan

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.diff.compare import Diff
    from tailc.errors import Finding, TailcError
    from tailc.traces.profile import DemandProfile
    from tailc.traces.source import Format


@click.command("diff", short_help="Compare two policies: decisions, latency and cost.")
@click.argument("old")
@click.argument("new")
@click.option(
    "--trace",
    is_eager=True,
    metavar="FILE",
    help="Held-out trace to replay both policies on; columns and units are those of the trace "
    "of NEW. - is standard input.",
)
@replay_options.trace_format
@arrivals_options
@replay_options.cut_off
@replay_options.thoroughness
@replay_cluster
@replay_options.windows
@replay_options.allow_compile_trace
@replay_options.progress
@report_option
@plot_option
@budgets_option
@click.option("--exit-code", is_flag=True, help="Exit 2 if the policies differ.")
@click.option(
    "--breaking",
    multiple=True,
    type=click.Choice(("all", "reader", "server", "domain", "behaviour", "slo")),
    help="Print what NEW breaks, by class, and exit 2 if it breaks something of this class; may be "
    "repeated.",
)
@click.option(
    "--witnesses",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write look-ups that NEW answers differently from OLD as a file for `tailc test`.",
)
@trusts
@command_with_outcome
def command(  # noqa: PLR0913, one for each option
    old: str,
    new: str,
    trace: str | None,
    *,
    cluster: str | None,
    exit_code: bool,
    windows: int | None,
    report: Path | None,
    budgets: str | None,
    trust: Trust,
    **options: Any,
) -> CommandOutcome:
    """Show where policy OLD and policy NEW decide differently, and the effect on latency and cost.

    OLD and NEW are .tailc or .json files of any schema version, or the STEM of both. With --trace,
    both are replayed on the same requests at the same times. Arrivals are Poisson at the rates of
    NEW unless --rate or --arrivals is given. CPU-share policies are replayed on the machines behind
    the measured throughput, token budgets on recorded arrivals at the rates of NEW, and plans on
    the same days after both. Exits 0 unless --exit-code or
    --budgets is given.
    """
    from tailc.artifact.files import read_policy

    plot: bool = options.pop("plot")
    breaking: tuple[str, ...] = options.pop("breaking")
    witnesses: Path | None = options.pop("witnesses")
    policies = read_policy(old, trust), read_policy(new, trust)
    budget_limits = read_budget_option(budgets, policies[1], can_compare=trace is not None)
    pictured = True if trace is not None and (plot or report is not None) else None
    wanted: dict[str, Any] = {"pictured": pictured}
    if budget_limits is not None:
        wanted["further_percentiles_ppm"] = budget_limits.percentiles_ppm
    shared_options = {"exit_code": exit_code, "windows": windows, **options}
    if cluster is not None and trace is None:
        raise _without_trace()
    refuse_cluster(policies, cluster)
    with replay_engine(cluster) as engine:
        wanted["engine"] = engine
        outcome, differences, held_out = _compare_policies(
            policies, trace, wanted, **shared_options
        )
    outcome = with_warnings(outcome, engine)
    behaviour = None if differences is None else differences.behaviour
    if budget_limits is not None and differences is not None:
        outcome = with_budgets(outcome, budget_limits, behaviour)
    if breaking:
        outcome = _with_breaks(outcome, policies, breaking)
    if witnesses is not None:
        outcome = _with_witnesses(outcome, policies, new, witnesses)
    if plot:
        outcome = add_change_pictures(
            outcome, policies, behaviour, is_replayed=held_out is not None
        )
    return (
        outcome
        if report is None
        else _write_report(outcome, policies, report, differences, held_out)
    )


def _with_breaks(
    outcome: CommandOutcome, policies: tuple[Policy, Policy], classes: tuple[str, ...]
) -> CommandOutcome:
    """Add what the new policy breaks; exit code 2 if a break is of one of the classes."""
    from tailc.diff.breaks import breaks
    from tailc.diff.structure import compare_structure
    from tailc.errors import ExitCode
    from tailc.report.table import fence_text

    found = breaks(*policies, compare_structure(*policies))
    lines = [f"breaks {one.of.value}: {one.text}" for one in found] or ["breaks nothing"]
    is_broken = any("all" in classes or one.of.value in classes for one in found)
    text = "\n".join(lines)
    return replace(
        outcome,
        exit_code=outcome.exit_code or (ExitCode.DIFFERS if is_broken else ExitCode.OK),
        text=f"{outcome.text.rstrip()}\n\n{text}\n",
        markdown=f"{outcome.markdown}\n{fence_text(text)}" if outcome.markdown else "",
        result=outcome.result
        | {"breaking": [{"class": one.of.value, "text": one.text} for one in found]},
    )


def _with_witnesses(
    outcome: CommandOutcome, policies: tuple[Policy, Policy], new: str, path: Path
) -> CommandOutcome:
    """Write look-ups with different answers as tests."""
    import os

    from tailc.artifact.files import is_path
    from tailc.cli.witnesses import write_witnesses

    name = os.path.relpath(new, path.parent) if is_path(new) else new
    count = write_witnesses(policies, name, path)
    return replace(
        outcome,
        text=f"{outcome.text.rstrip()}\n\nwrote {path} with {count} tests\n",
        result=outcome.result | {"witnesses": {"file": str(path), "tests": count}},
    )


def _compare_policies(
    policies: tuple[Policy, Policy],
    trace: str | None,
    wanted: dict[str, Any],
    *,
    exit_code: bool,
    windows: int | None,
    **options: Any,
) -> tuple[CommandOutcome, Diff | None, DemandProfile | None]:
    """Compare the policies; return the outcome, the differences, and the requests of the trace.

    The last two are None for plans, CPU shares and token budgets, whose replays have no pictures.
    wanted: fields of VerifyOptions that only a replay of requests uses.
    """
    from tailc.errors import ExitCode
    from tailc.report import diff as render

    if trace is not None and any(policy.plan for policy in policies):
        shared_options = {"exit_code": exit_code, "windows": windows, **options}
        return compare_plans(policies, trace, **shared_options), None, None
    if trace is not None:
        without_plan({"windows": windows})
    elif windows is not None:
        raise _without_trace()
    if trace is not None and any(policy.shares for policy in policies):
        outcome = compare_throughput(policies, trace, exit_code=exit_code, **options)
        return outcome, None, None
    if trace is not None and any(policy.budget_table for policy in policies):
        return compare_tokens(policies, trace, exit_code=exit_code, **options), None, None
    differences, warnings, held_out = _compare_requests(policies, trace, **wanted, **options)
    outcome = CommandOutcome(
        differences.exit_code if exit_code else ExitCode.OK,
        render.as_text(differences),
        render.as_dict(differences),
        (*differences.warnings, *warnings),
        render.as_notes(differences),
        markdown=render.as_markdown(differences),
    )
    return outcome, differences, held_out


def _write_report(
    outcome: CommandOutcome,
    policies: tuple[Policy, Policy],
    report: Path,
    differences: Diff | None,
    held_out: DemandProfile | None,
) -> CommandOutcome:
    """Write the report page of the comparison."""
    from tailc.diff.compare import diff
    from tailc.report.page.diff_page import compared_page

    page = compared_page(policies, differences or diff(*policies), held_out, outcome.text)
    return with_report(outcome, report, page)


def _compare_requests(
    policies: tuple[Policy, Policy],
    trace: str | None,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,
    **options: Any,
) -> tuple[Diff, tuple[Finding, ...], DemandProfile | None]:
    """Compare two policies; return the differences, findings about the trace, and its requests.

    Requests are None without a trace.
    """
    from tailc.diff.compare import diff

    if trace is None:
        _check_unused(trace_format, arrivals, options)
        return diff(*policies), (), None
    from tailc.cli.progress import show_progress
    from tailc.experiment.design_overlap import overlap_findings
    from tailc.experiment.drift import drift_from
    from tailc.experiment.options import VerifyOptions
    from tailc.studies.held_out import read_held_out, trace_warnings

    held_out = read_held_out(policies[1], trace, trace_format, arrivals.column)
    with show_progress(progress) as draw:
        chosen = VerifyOptions(
            arrivals=arrivals.processes_for(policies[1], held_out.recorded),
            held_out_name=trace,
            progress=lambda finished, total: draw("replaying", finished / total),
            **replay_options.given_options(options),
        )
        differences = diff(*policies, held_out.profile, chosen)
    drift = drift_from(policies[1], held_out.profile, chosen.seed)
    findings = (
        *overlap_findings(policies, held_out.profile, trace),
        *trace_warnings(policies[1], held_out, trace, drift),
    )
    return differences, findings, held_out.profile


def _check_unused(trace_format: Format, arrivals: ArrivalOptions, options: dict[str, Any]) -> None:
    """Refuse options of a replay if there is no trace."""
    # A flag that is not given is False; a seed of 0 is given although it equals False.
    chosen = [value for value in options.values() if value is not None and value is not False]
    if chosen or trace_format != "auto" or arrivals.is_given:
        raise _without_trace()


def _without_trace() -> TailcError:
    from tailc.errors import Code, Finding, TailcError

    message = "options of a replay are given without requests to replay"
    return TailcError(Finding(Code.USAGE, message, help="add --trace FILE"))


def compare_plans(
    policies: tuple[Policy, Policy],
    days: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,  # noqa: ARG001 - a second is not worth showing
    *,
    exit_code: bool,
    windows: int | None,
    **options: Any,
) -> CommandOutcome:
    """Compare two plans, and replay both on the same windows of held-out days."""
    from tailc.diff.compare import diff
    from tailc.diff.plan_days import comparable, days_change
    from tailc.errors import ExitCode
    from tailc.report import diff as render
    from tailc.report.diff import plan_days as changes
    from tailc.studies.held_out_days import read_held_out_days

    comparable(*policies)
    check_options(policies[1], trace_format, arrivals, options)
    held_out = read_held_out_days(policies[1], days, windows)
    chosen = plan_options(options)
    with with_solvers(policies[0], chosen) as of_old, with_solvers(policies[1], chosen) as of_new:
        change = days_change(*policies, held_out, of_new, of_old)
    differences = diff(*policies)
    result: dict[str, object] = {**render.as_dict(differences), "days": changes.as_dict(change)}
    return CommandOutcome(
        differences.exit_code if exit_code else ExitCode.OK,
        f"{render.as_text(differences)}\n{changes.as_text(change)}",
        result,
        (*differences.warnings, *held_out.warnings),
        render.as_notes(differences) + changes.as_notes(change),
        markdown=render.as_markdown(differences) + changes.as_markdown(change),
    )
