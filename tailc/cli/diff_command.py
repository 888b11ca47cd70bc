"""tailc diff: two artifacts side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.budgets_option import asked_budgets, with_budgets
from tailc.cli.budgets_option import budgets as budgets_option
from tailc.cli.diff_plans import compared_plans
from tailc.cli.diff_throughput import compared_throughput
from tailc.cli.outcome import Outcome, reports
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.terminal_pictures import with_change
from tailc.cli.trust_option import trusts
from tailc.cli.verify_plan import without_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import AskedArrivals
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
@replay_options.windows
@replay_options.allow_compile_trace
@replay_options.progress
@report_option
@plot_option
@budgets_option
@click.option("--exit-code", is_flag=True, help="Exit 2 if the policies differ.")
@trusts
@reports
def command(
    old: str,
    new: str,
    trace: str | None,
    *,
    exit_code: bool,
    windows: int | None,
    report: Path | None,
    budgets: str | None,
    trust: Trust,
    **options: Any,
) -> Outcome:
    """Show which decisions of a runtime differ between OLD and NEW, and what the change does to
    latency and cost.

    OLD and NEW are .tailc or .json files of any schema version, or the STEM of both. With --trace,
    both are replayed on the same requests at the same times. Arrivals are Poisson at the rates of
    NEW unless --rate or --arrivals is given. CPU-share policies are replayed on the machines behind
    the measured throughput, and plans on the same days after both. Exits 0 unless --exit-code or
    --budgets is given.
    """
    from tailc.artifact.files import read_policy

    plot: bool = options.pop("plot")
    policies = read_policy(old, trust), read_policy(new, trust)
    asked = asked_budgets(budgets, policies[1], can_compare=trace is not None)
    pictured = True if trace is not None and (plot or report is not None) else None
    wanted: dict[str, Any] = {"pictured": pictured}
    if asked is not None:
        wanted["also_told_ppm"] = asked.percentiles_ppm
    given = {"exit_code": exit_code, "windows": windows, **options}
    told, found, held_out = _told(policies, trace, wanted, **given)
    behaviour = None if found is None else found.behaviour
    if asked is not None and found is not None:
        told = with_budgets(told, asked, behaviour)
    if plot:
        told = with_change(told, policies, behaviour, is_replayed=held_out is not None)
    return told if report is None else _reported(told, policies, report, found, held_out)


def _told(
    policies: tuple[Policy, Policy],
    trace: str | None,
    wanted: dict[str, Any],
    *,
    exit_code: bool,
    windows: int | None,
    **options: Any,
) -> tuple[Outcome, Diff | None, DemandProfile | None]:
    """What differs, the same as found, and the requests of the trace; both None where what is
    replayed has no pictures yet.

    wanted: fields of VerifyOptions that only a replay of requests has.
    """
    from tailc.errors import ExitCode
    from tailc.report import diff as render

    if trace is not None and any(policy.plan for policy in policies):
        given = {"exit_code": exit_code, "windows": windows, **options}
        return compared_plans(policies, trace, **given), None, None
    if trace is not None:
        without_plan({"windows": windows})
    elif windows is not None:
        raise _without_trace()
    if trace is not None and any(policy.shares for policy in policies):
        told = compared_throughput(policies, trace, exit_code=exit_code, **options)
        return told, None, None
    found, warnings, held_out = _compared(policies, trace, **wanted, **options)
    told = Outcome(
        found.exit_code if exit_code else ExitCode.OK,
        render.as_text(found),
        render.as_dict(found),
        (*found.warnings, *warnings),
        render.as_notes(found),
        markdown=render.as_markdown(found),
    )
    return told, found, held_out


def _reported(
    told: Outcome,
    policies: tuple[Policy, Policy],
    report: Path,
    found: Diff | None,
    held_out: DemandProfile | None,
) -> Outcome:
    """With its page."""
    from tailc.diff.compare import diff
    from tailc.report.page.diff_page import compared_page

    page = compared_page(policies, found or diff(*policies), held_out, told.text)
    return with_report(told, report, page)


def _compared(
    policies: tuple[Policy, Policy],
    trace: str | None,
    trace_format: Format,
    arrivals: AskedArrivals,
    progress: bool | None,
    **options: Any,
) -> tuple[Diff, tuple[Finding, ...], DemandProfile | None]:
    """What differs, what is odd about the trace, and its requests; None without a trace."""
    from tailc.diff.compare import diff

    if trace is None:
        _check_unused(trace_format, arrivals, options)
        return diff(*policies), (), None
    from tailc.cli.progress import shown
    from tailc.experiment.design_overlap import overlap_findings
    from tailc.experiment.drift import drift_from
    from tailc.experiment.options import VerifyOptions
    from tailc.studies.held_out import read_held_out, trace_warnings

    held_out = read_held_out(policies[1], trace, trace_format, arrivals.column)
    with shown(progress) as draw:
        chosen = VerifyOptions(
            arrivals=arrivals.of(policies[1], held_out.recorded),
            held_out_name=trace,
            progress=lambda done, of: draw("replaying", done / of),
            **replay_options.given(options),
        )
        found = diff(*policies, held_out.profile, chosen)
    drift = drift_from(policies[1], held_out.profile, chosen.seed)
    findings = (
        *overlap_findings(policies, held_out.profile, trace),
        *trace_warnings(policies[1], held_out, trace, drift),
    )
    return found, findings, held_out.profile


def _check_unused(trace_format: Format, arrivals: AskedArrivals, options: dict[str, Any]) -> None:
    """Options of a replay ask for one, which needs requests."""
    # A flag that is not given is False; a seed of 0 is given, and equals it.
    chosen = [value for value in options.values() if value is not None and value is not False]
    if chosen or trace_format != "auto" or arrivals.is_asked:
        raise _without_trace()


def _without_trace() -> TailcError:
    from tailc.errors import Code, Finding, TailcError

    message = "options of a replay are given, and no requests to replay"
    return TailcError(Finding(Code.USAGE, message, help="add --trace FILE"))
