"""The part of `tailc verify` that replays token-budget tables on held-out requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.traces.source import Format

# Options without an effect on replays of recorded requests to a language model.
_OF_OTHERS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "chip": "--chip",
    "comparisons": "--comparisons",
    "requests_per_replay": "--requests",
}


def judge_tokens(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> CommandOutcome:
    """Judge a token-budget policy on the requests of a trace, at the policy's rates."""
    from tailc.experiment.options import VerifyOptions
    from tailc.report import tokens as render
    from tailc.studies.held_out_tokens import read_held_out_tokens
    from tailc.verify.tokens.judge import verify_tokens

    check_options(policy, options, has_arrivals=arrivals.is_given)
    held_out = read_held_out_tokens(policy, trace, trace_format)
    chosen = VerifyOptions(
        held_out_name=trace,
        progress=lambda finished, total: draw("replaying", finished / total),
        **replay_options.given_options(options),
    )
    verdicts = verify_tokens(policy, held_out, chosen)
    ci = render.ci_verdicts(verdicts)
    return CommandOutcome(
        exit_code=verdicts.exit_code,
        text=render.as_text(verdicts),
        result=render.as_dict(verdicts),
        findings=held_out.warnings,
        notes=tuple(each.note for each in ci),
        cases=tuple(each.test_case for each in ci),
        markdown=render.as_markdown(verdicts),
    )


def check_options(policy: Policy, options: dict[str, Any], *, has_arrivals: bool) -> None:
    """Refuse options that have no effect on token-budget tables."""
    odd = [name for key, name in _OF_OTHERS.items() if options.get(key) is not None]
    if has_arrivals:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        does = "does" if len(odd) == 1 and odd[0].count("--") == 1 else "do"
        subject = f"policy `{shorten(policy.name)}` is replayed on recorded requests"
        it = "it" if does == "does" else "them"
        raise click.UsageError(f"{subject}: {', '.join(odd)} {does} not apply, so remove {it}")
