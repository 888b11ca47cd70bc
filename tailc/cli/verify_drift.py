"""What verify --drift prints: whether demand has moved since the compile, without a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tailc.cli.outcome import Outcome
from tailc.errors import ExitCode

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.traces.source import Format

# Options that say something without a replay.
_TAKEN = {"drift", "seed", "trace", "trace_format", "progress", "trust", "targets"}


def judged_drift(
    policy: Policy,
    trace: str,
    trace_format: Format,
    seed: int | None,
) -> Outcome:
    """The drift; exit 2 where it is flagged, 4 where the policy does not tell of its compile."""
    from tailc.experiment.options import VerifyOptions
    from tailc.report import drift as render
    from tailc.studies.drift import read_drift

    check_options(click.get_current_context())
    found = read_drift(policy, trace, VerifyOptions().seed if seed is None else seed, trace_format)
    if found.drift is None:
        code = ExitCode.UNDECIDED
    else:
        code = ExitCode.DIFFERS if found.drift.is_flagged else ExitCode.OK
    text = render.as_text(policy, found.profile, found.drift)
    return Outcome(
        exit_code=code,
        text=text,
        result=render.as_dict(policy, found.profile, found.drift),
        findings=found.warnings,
        markdown=text,
    )


def check_options(context: click.Context) -> None:
    """Refuse options of a replay."""
    odd = [
        parameter.opts[0]
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name not in _TAKEN
        and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    ]
    if odd:
        raise click.UsageError(f"--drift replays nothing, so it does not take {', '.join(odd)}")
