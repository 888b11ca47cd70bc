"""The option --drift of `tailc verify`: test for drift of demand, without a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tailc.cli.outcome import CommandOutcome
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.traces.source import Format

# Options that have an effect without a replay.
_DRIFT_OPTIONS = {"drift", "seed", "trace", "trace_format", "progress", "trust", "targets"}


def judge_drift(
    policy: Policy,
    trace: str,
    trace_format: Format,
    seed: int | None,
) -> CommandOutcome:
    """Test for drift; exit code 2 if demand has drifted, 4 if the policy has no design demand."""
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
    """Refuse options of a replay."""
    odd = [
        parameter.opts[0]
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name not in _DRIFT_OPTIONS
        and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    ]
    if odd:
        raise click.UsageError(
            f"`--drift` makes no replays, so it cannot be combined with {', '.join(odd)}"
        )
