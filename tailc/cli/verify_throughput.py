"""The part of `tailc verify` that replays CPU-share policies on held-out throughput."""

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

# Options for requests, which CPU-share policies do not have.
_OF_REQUESTS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "chip": "--chip",
    "comparisons": "--comparisons",
    "requests_per_replay": "--requests",
}


def judge_throughput(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> CommandOutcome:
    """Judge a CPU-share policy on the rows of a trace, with the given tolerance or the policy's."""
    from tailc.experiment.options import VerifyOptions
    from tailc.report import throughput as render
    from tailc.studies.held_out_rows import read_held_out_rows
    from tailc.verify.throughput.drift import drift_findings
    from tailc.verify.throughput.judge import verify_throughput

    tolerance_ppm: int | None = options.get("tolerance_ppm")
    options = {**options, "tolerance_ppm": None}
    check_options(policy, arrivals, options)
    held_out = read_held_out_rows(policy, trace, trace_format)
    chosen = VerifyOptions(
        held_out_name=trace,
        progress=lambda finished, total: draw("replaying", finished / total),
        **replay_options.given_options(options),
    )
    verdicts = verify_throughput(policy, held_out, chosen, tolerance_ppm)
    drifts = tuple(machine.drift for machine in verdicts.machines)
    ci = render.ci_verdicts(verdicts)
    return CommandOutcome(
        exit_code=verdicts.exit_code,
        text=render.as_text(verdicts),
        result=render.as_dict(verdicts),
        findings=(*held_out.warnings, *drift_findings(policy, drifts, held_out)),
        notes=tuple(each.note for each in ci),
        cases=tuple(each.test_case for each in ci),
        markdown=render.as_markdown(verdicts),
    )


def check_options(policy: Policy, arrivals: ArrivalOptions, options: dict[str, Any]) -> None:
    """Refuse options for requests, since CPU-share policies are judged without arrivals."""
    odd = [name for key, name in _OF_REQUESTS.items() if options.get(key) is not None]
    if arrivals.is_given:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        names = ", ".join(odd)
        subject = f"policy `{shorten(policy.name)}` is for throughput, not for requests"
        does = "does" if len(odd) == 1 and odd[0].count("--") == 1 else "do"
        it = "it" if does == "does" else "them"
        raise click.UsageError(f"{subject}: {names} {does} not apply, so remove {it}")
