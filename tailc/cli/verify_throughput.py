"""What verify prints of a policy of shares: its machines on held-out throughput."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.outcome import Outcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.traces.source import Format

# Options that say something about requests, which a policy of shares has none of.
_OF_REQUESTS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "chip": "--chip",
    "requests_per_replay": "--requests",
}


def judged_throughput(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    tolerance_ppm: int | None,
    options: dict[str, Any],
) -> Outcome:
    """The verdict on the rows of the trace, at the tolerance given or promised."""
    from tailc.experiment.options import VerifyOptions
    from tailc.report import throughput as render
    from tailc.studies.held_out_rows import read_held_out_rows
    from tailc.verify.throughput.drift import drift_findings
    from tailc.verify.throughput.judge import verify_throughput

    check_options(policy, arrivals, options)
    held_out = read_held_out_rows(policy, trace, trace_format)
    chosen = VerifyOptions(held_out_name=trace, **replay_options.given(options))
    verdicts = verify_throughput(policy, held_out, chosen, tolerance_ppm)
    drifts = tuple(machine.drift for machine in verdicts.machines)
    return Outcome(
        exit_code=verdicts.exit_code,
        text=render.as_text(verdicts),
        result=render.as_dict(verdicts),
        findings=(*held_out.warnings, *drift_findings(policy, drifts, held_out)),
        notes=render.as_notes(verdicts),
        cases=render.as_cases(verdicts),
        markdown=render.as_markdown(verdicts),
    )


def check_options(policy: Policy, arrivals: AskedArrivals, options: dict[str, Any]) -> None:
    """Refuse options that say something about requests."""
    odd = [name for key, name in _OF_REQUESTS.items() if options.get(key) is not None]
    if arrivals.is_asked:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        told = ", ".join(odd)
        of = f"`{shorten(policy.name)}` is of throughput, not of requests"
        does = "does" if len(odd) == 1 and odd[0].count("--") == 1 else "do"
        raise click.UsageError(f"{of}: {told} {does} not apply")
