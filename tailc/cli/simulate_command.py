"""The command `tailc simulate`: compile a spec in memory and replay the policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.verify_forms import judge_of_form, options_of_form
from tailc.cli.verify_requests import judge_requests

if TYPE_CHECKING:
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.pipeline.compile import AnyCompiled
    from tailc.traces.source import Format


@click.command("simulate", short_help="Replay the policy of a spec and its baselines.")
@click.argument("spec", is_eager=True)
@click.option(
    "--trace",
    is_eager=True,
    metavar="FILE",
    help="Trace to replay. Default: the held-out part of the trace of the spec, or all of it; "
    "for a plan, the days after it.",
)
@replay_options.trace_format
@arrivals_options
@replay_options.baselines()
@replay_options.cut_off
@replay_options.other_power
@replay_options.chip
@replay_options.thoroughness
@replay_options.windows
@replay_options.picture
@replay_options.failures
@replay_options.progress
@command_with_outcome
def command(
    spec: str,
    trace: str | None,
    trace_format: Format,
    arrivals: ArrivalOptions,
    progress: bool | None,
    **options: Any,
) -> CommandOutcome:
    """Compile SPEC in memory, and replay the policy and its baselines; no policy is written.

    Use it before compile, to see what a spec would give. It computes the same numbers as compile
    followed by verify. Requests that the policy was compiled from may be replayed; the report marks
    them. Exits 0 whatever the verdicts are.
    """
    from tailc.cli.progress import show_progress
    from tailc.pipeline.compile import compile_policy
    from tailc.studies.simulate import trace_of

    trace = trace or trace_of(spec)
    options["allow_compile_trace"] = True
    with show_progress(progress) as draw:
        compiled = compile_policy(spec, progress=draw, threads=options["threads"])
        policy = compiled.policy
        replay = policy, trace, trace_format, arrivals, draw
        judge, options = judge_of_form(policy), options_of_form(policy, options)
        if policy.plan is not None:
            options["threads"] = None
        if judge is not None:
            return _without_verdict(judge(*replay, options), compiled)
        verdicts = judge_requests(*replay, options)
    return replace(verdicts.outcome(*compiled.findings), notes=(), cases=())


def _without_verdict(outcome: CommandOutcome, compiled: AnyCompiled) -> CommandOutcome:
    """Set the exit code to 0, and remove duplicate findings about the trace."""
    from tailc.errors import ExitCode

    findings = tuple(dict.fromkeys((*compiled.findings, *outcome.findings)))
    return replace(outcome, exit_code=ExitCode.OK, findings=findings, notes=(), cases=())
