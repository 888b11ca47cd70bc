"""The command `tailc report`: write a policy and its replays as an HTML page with pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.report_option import REPORT_FILE, with_report
from tailc.cli.terminal_pictures import add_policy_pictures
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.trust_option import trusts
from tailc.cli.verify_requests import judge_requests

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.report.page.content import Page
    from tailc.traces.source import Format

# A page that is written, and no answer.
_NOTHING = CommandOutcome(is_answer=False)


@click.command("report", short_help="Write an HTML report of a policy.")
@click.argument("artifact")
@click.option(
    "-o", "--output", "out", type=REPORT_FILE, metavar="FILE", help="HTML file to write: FILE.html."
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write the numbers of all pictures, as Parquet: FILE.parquet.",
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
@command_with_outcome
def command(
    artifact: str,
    *,
    out: Path | None,
    plot: bool,
    trace: str | None,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,
    trust: Trust,
    **options: Any,
) -> CommandOutcome:
    """Write a report of ARTIFACT as one HTML page with pictures and their numbers.

    The page loads no other file.

    Without a trace, the page shows the decisions of the policy and its evidence. With a trace, it
    also shows the latency of the policy and of the baselines, as `tailc verify` finds them. With
    --plot, -o can be left out. Exits 0 whatever the verdict is.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import show_progress
    from tailc.report.page.pages import policy_page

    if out is None and not plot:
        raise click.UsageError("give `-o FILE.html`, or `--plot` to draw in the terminal")
    data: Path | None = options.pop("data")
    if data is not None:
        _check_data(data, out, trace)
    policy = read_policy(artifact, trust)
    if trace is None:
        _check_unused(trace_format, arrivals, options)
        outcome = add_policy_pictures(_NOTHING, policy) if plot else _NOTHING
        return outcome if out is None else _write_page(outcome, out, policy_page(policy), data)
    _check_requests(policy)
    with show_progress(progress) as draw:
        replay_fields = {**options, "pictured": True}
        judgement = judge_requests(policy, trace, trace_format, arrivals, draw, replay_fields)
    outcome = replace(_NOTHING, findings=judgement.warnings)
    if plot:
        outcome = add_policy_pictures(outcome, policy, judgement.verdicts)
    return outcome if out is None else _write_page(outcome, out, judgement.page(policy), data)


def _check_data(data: Path, out: Path | None, trace: str | None) -> None:
    if out is None or data.suffix.lower() != ".parquet":
        raise click.UsageError("`--data` needs a file `.parquet`, and the report of `-o`")
    if trace is not None and data.resolve() == Path(trace).resolve():
        raise click.UsageError("`--data` would replace the trace: give a different file")


def _write_page(
    outcome: CommandOutcome, out: Path, page: Page, data: Path | None
) -> CommandOutcome:
    """Write the page, and the numbers of its pictures if they have a file."""
    outcome = with_report(outcome, out, page)
    if data is None:
        return outcome
    from tailc.atomic_files import replace_files
    from tailc.report.page.page_data import written_page_data
    from tailc.units import printable

    replace_files([(data, written_page_data(page))])
    files = [str(out), str(data)]
    text = f"{outcome.text}wrote {printable(str(data))}\n"
    return replace(outcome, text=text, result={**outcome.result, "files": files})


def _check_unused(trace_format: Format, arrivals: ArrivalOptions, options: dict[str, Any]) -> None:
    """Refuse options of a replay if there is no trace."""
    # A flag that is not given is False.
    chosen = [value for value in options.values() if value is not None and value is not False]
    if chosen or trace_format != "auto" or arrivals.is_given:
        from tailc.errors import Code, Finding, TailcError

        message = "options of a replay are given without requests to replay"
        raise TailcError(Finding(Code.USAGE, message, help="add --trace FILE"))


def _check_requests(policy: Policy) -> None:
    if policy.ladders or policy.tail_table is not None:
        return
    from tailc.errors import Code, Finding, TailcError
    from tailc.units import shorten

    subject = "jobs"
    if policy.plan is None:
        subject = "throughput" if policy.budget_table is None else "token budgets"
    message = (
        f"`{shorten(policy.name)}` is a policy of {subject}: this command replays no trace for it"
    )
    hint = "remove `--trace`, or use `tailc verify --report`"
    raise TailcError(Finding(Code.USAGE, message, help=hint))
