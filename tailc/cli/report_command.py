"""tailc report: an artifact as a page of pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.outcome import Outcome, reports
from tailc.cli.report_option import REPORT_FILE, with_report
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.terminal_pictures import with_policy
from tailc.cli.trust_option import trusts
from tailc.cli.verify_requests import judged

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.traces.source import Format

# A page that is written, and no answer.
_NOTHING = Outcome(is_answer=False)


@click.command("report", short_help="Write an HTML report of a policy.")
@click.argument("artifact")
@click.option(
    "-o", "--output", "out", type=REPORT_FILE, metavar="FILE", help="HTML file to write: FILE.html."
)
@plot_option
@click.option(
    "--trace",
    is_eager=True,
    metavar="FILE",
    help="Held-out trace to replay; columns and units are those of the design trace. - is "
    "standard input.",
)
@replay_options.trace_format
@arrivals_options
@replay_options.baselines()
@replay_options.cut_off
@replay_options.other_power
@replay_options.thoroughness
@replay_options.allow_compile_trace
@replay_options.progress
@trusts
@reports
def command(
    artifact: str,
    *,
    out: Path | None,
    plot: bool,
    trace: str | None,
    trace_format: Format,
    arrivals: AskedArrivals,
    progress: bool | None,
    trust: Trust,
    **options: Any,
) -> Outcome:
    """Write a report of ARTIFACT as one HTML page with pictures and their numbers.

    The page loads no other file.

    Without a trace, the page shows the decisions of the policy and its evidence. With a trace, it
    also shows the latency of the policy and of the baselines, as `tailc verify` finds them. With
    --plot, -o can be left out. Exits 0 whatever the verdict is.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import shown
    from tailc.report.page.pages import policy_page

    if out is None and not plot:
        raise click.UsageError("give -o FILE.html, or --plot to draw in the terminal")
    policy = read_policy(artifact, trust)
    if trace is None:
        _check_unused(trace_format, arrivals, options)
        told = with_policy(_NOTHING, policy) if plot else _NOTHING
        return told if out is None else with_report(told, out, policy_page(policy))
    _check_requests(policy)
    with shown(progress) as draw:
        given = {**options, "pictured": True}
        found = judged(policy, trace, trace_format, arrivals, draw, given)
    told = replace(_NOTHING, findings=found.warnings)
    if plot:
        told = with_policy(told, policy, found.verdicts)
    return told if out is None else with_report(told, out, found.page(policy))


def _check_unused(trace_format: Format, arrivals: AskedArrivals, options: dict[str, Any]) -> None:
    """Options of a replay ask for one, which needs requests."""
    # A flag that is not given is False.
    chosen = [value for value in options.values() if value is not None and value is not False]
    if chosen or trace_format != "auto" or arrivals.is_asked:
        from tailc.errors import Code, Finding, TailcError

        message = "options of a replay are given, and no requests to replay"
        raise TailcError(Finding(Code.USAGE, message, help="add --trace FILE"))


def _check_requests(policy: Policy) -> None:
    if policy.shares is None and policy.plan is None:
        return
    from tailc.errors import Code, Finding, TailcError
    from tailc.units import shorten

    of = "throughput" if policy.plan is None else "jobs"
    message = f"`{shorten(policy.name)}` is a policy of {of}: there are no requests to replay"
    hint = "leave --trace out, or use `tailc verify --report`"
    raise TailcError(Finding(Code.USAGE, message, help=hint))
