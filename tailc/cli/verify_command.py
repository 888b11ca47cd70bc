"""The command `tailc verify`: judge a policy on held-out data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.budgets_option import budgets as budgets_option
from tailc.cli.budgets_option import read_budget_option, with_budgets
from tailc.cli.budgets_option import since as since_option
from tailc.cli.engine_options import (
    refuse_cluster,
    replay_cluster,
    replay_engine,
    with_warnings,
)
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.quantities import SHARE_PPM
from tailc.cli.report_option import report as report_option
from tailc.cli.report_option import with_report
from tailc.cli.terminal_pictures import add_policy_pictures
from tailc.cli.terminal_pictures import plot as plot_option
from tailc.cli.trust_option import trusts
from tailc.cli.verify_forms import judge_of_form, options_of_form
from tailc.cli.verify_measured import (
    check_measured,
    judge_measured,
    measured_options,
    without_measured,
)
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.artifact.trust import Trust
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.cli.verify_requests import RequestJudgement
    from tailc.studies.budgets import SpecBudgets
    from tailc.traces.source import Format


@click.command("verify", short_help="Judge a policy on a held-out trace.")
@click.argument("artifact")
@click.option(
    "--trace",
    is_eager=True,
    required=True,
    metavar="FILE",
    help="Held-out trace; columns and units are those of the design trace. - is standard "
    "input. For a plan: its spec, or a description of held-out days.",
)
@replay_options.trace_format
@arrivals_options
@replay_options.baselines()
@replay_options.cut_off
@replay_options.other_power
@replay_options.chip
@replay_options.thoroughness
@replay_options.comparisons
@replay_cluster
@click.option(
    "--tolerance",
    "tolerance_ppm",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Allowed mean error of throughput, such as 5%. Default: the tolerance of the policy.",
)
@replay_options.windows
@replay_options.picture
@replay_options.failures
@click.option(
    "--drift",
    is_flag=True,
    help="Only test whether demand has drifted since the compile; exit 2 if it has.",
)
@measured_options
@budgets_option
@since_option
@report_option
@plot_option
@replay_options.allow_compile_trace
@replay_options.progress
@trusts
@command_with_outcome
def command(
    artifact: str,
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    cluster: str | None,
    drift: bool,
    progress: bool | None,
    trust: Trust,
    **options: Any,
) -> CommandOutcome:
    """Replay ARTIFACT on a held-out trace, and judge every SLO under every arrival process.

    Unless --rate or --arrivals is given, the arrivals are those that the policy was tuned for, or
    else Poisson, at the rates of the policy. Exits 0 if the policy meets every SLO, 1 if it misses
    one, 4 if the data cannot decide; --budgets count as SLOs do. CPU-share policies are judged on
    measured throughput, without arrivals; plans are judged on days after their own; token budgets
    on recorded arrivals at the rates of the policy. The trace can be the demand log that the
    runtime of a server wrote. With --measured, the verdict is that of the latencies of a server.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import show_progress

    report: Path | None = options.pop("report")
    plot: bool = options.pop("plot")
    policy = read_policy(artifact, trust)
    check_measured(policy, arrivals, options["measured"], click.get_current_context())
    spec_budgets, old = _read_budgets(options, policy, trust, drift=drift)
    if drift:
        if report is not None:
            raise click.UsageError("`--drift` makes no replays to report: remove `--report`")
        return judge_drift(policy, trace, trace_format, options["seed"])
    is_measured = options["measured"] is not None
    judge = judge_measured if is_measured else judge_of_form(policy)
    options = options_of_form(policy, options if is_measured else without_measured(options))
    refuse_cluster([policy], cluster)
    if policy.plan is not None:  # its report has pictures of the replay
        options, report = {**options, "report": report}, None
    with replay_engine(cluster) as engine, show_progress(progress) as draw:
        replay = policy, trace, trace_format, arrivals, draw
        if judge is not None:
            outcome = judge(*replay, options)
            outcome = add_policy_pictures(outcome, policy) if plot else outcome
            return _write_text_report(outcome, policy, report)
        from tailc.cli.verify_requests import judge_requests

        replay_fields = {**options, "pictured": report is not None or plot, "engine": engine}
        judgement = judge_requests(*replay, replay_fields)
        outcome = _latency_outcome(judgement, policy, spec_budgets, old, report, plot=plot)
    return with_warnings(outcome, engine)


def _latency_outcome(
    judgement: RequestJudgement,
    policy: Policy,
    spec_budgets: SpecBudgets | None,
    old: Policy | None,
    report: Path | None,
    *,
    plot: bool,
) -> CommandOutcome:
    """The verdict on SLOs, with budgets on the changes since `old`, pictures and the report."""
    outcome = replace(judgement.outcome(), exit_code=judgement.verdicts.exit_code)
    since = None
    if spec_budgets is not None and old is not None:
        from tailc.diff.compare import diff

        chosen = replace(judgement.options, further_percentiles_ppm=spec_budgets.percentiles_ppm)
        compared = diff(old, policy, judgement.held_out, chosen)
        outcome = with_budgets(outcome, spec_budgets, compared.behaviour)
        since = old, compared.behaviour
    if plot:
        outcome = add_policy_pictures(outcome, policy, judgement.verdicts, since=since)
    return outcome if report is None else with_report(outcome, report, judgement.page(policy))


def _read_budgets(
    options: dict[str, Any], policy: Policy, trust: Trust, *, drift: bool
) -> tuple[SpecBudgets | None, Policy | None]:
    """Read the budgets and the previous policy, and remove their options."""
    from tailc.artifact.files import read_policy

    budgets: str | None = options.pop("budgets")
    since: str | None = options.pop("since")
    if since is not None and budgets is None:
        raise click.UsageError("`--since` needs `--budgets` with the spec of the budgets")
    if since is not None and options["chip"] is not None:
        raise click.UsageError("`--since` cannot be combined with `--chip`: remove `--chip`")
    spec_budgets = read_budget_option(budgets, policy, can_compare=since is not None and not drift)
    return spec_budgets, None if since is None else read_policy(since, trust)


def _write_text_report(
    verdict_outcome: CommandOutcome, policy: Policy, report: Path | None
) -> CommandOutcome:
    """Write a report page that has text only, for replays without pictures."""
    if report is None:
        return verdict_outcome
    from tailc.report.page.pages import text_page

    return with_report(
        verdict_outcome, report, text_page(policy, verdict_outcome.text, verdict_outcome.exit_code)
    )


# Options that have an effect without a replay.
_DRIFT_OPTIONS = {"drift", "seed", "trace", "trace_format", "progress", "trust", "targets"}


def judge_drift(
    policy: Policy,
    trace: str,
    trace_format: Format,
    seed: int | None,
) -> CommandOutcome:
    """Test whether demand has drifted from the design trace of a policy.

    The exit code is 2 if it has drifted, and 4 if the policy has no record of its design demand.
    """
    from tailc.experiment.options import VerifyOptions
    from tailc.report import drift as render
    from tailc.studies.drift import read_drift

    check_options(click.get_current_context())
    measured_drift = read_drift(
        policy, trace, VerifyOptions().seed if seed is None else seed, trace_format
    )
    if measured_drift.drift is None:
        code = ExitCode.UNDECIDED
    else:
        code = ExitCode.DIFFERS if measured_drift.drift.is_flagged else ExitCode.OK
    text = render.as_text(policy, measured_drift.profile, measured_drift.drift)
    return CommandOutcome(
        exit_code=code,
        text=text,
        result=render.as_dict(policy, measured_drift.profile, measured_drift.drift),
        findings=measured_drift.warnings,
        markdown=text,
    )


def check_options(context: click.Context) -> None:
    """Refuse options of a replay where `--drift` is given, since it replays nothing."""
    odd = [
        parameter.opts[0]
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name not in _DRIFT_OPTIONS
        and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    ]
    if odd:
        raise click.UsageError(
            f"`--drift` makes no replays, so remove `--drift` or {', '.join(odd)}"
        )
