"""What verify and simulate print of a plan: its prices on held-out days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import Outcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.traces.source import Format

# Options that say something about requests, or of how often they are replayed.
_OF_REQUESTS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "requests_per_replay": "--requests",
    "replicates": "--replicates",
    "threads": "--threads",
    "baselines": "--baselines",
    "tolerance_ppm": "--tolerance",
}
SEED = 1


def judged_plan(
    policy: Policy,
    days: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    windows: int | None,
    options: dict[str, Any],
) -> Outcome:
    """The verdict on the windows of the days that the document tells of."""
    from tailc.pipeline.held_out_days import read_held_out_days
    from tailc.report import plan_verdict as render
    from tailc.verify.plan.judge import replayable, verify_plan

    check_options(policy, trace_format, arrivals, options)
    replayable(policy)
    held_out = read_held_out_days(policy, days, windows)
    seed = options.get("seed")
    judged = verify_plan(
        policy,
        held_out,
        SEED if seed is None else seed,
        allow_compile_trace=bool(options.get("allow_compile_trace")),
    )
    return Outcome(
        exit_code=judged.verdict.exit_code,
        text=render.as_text(judged),
        result=render.as_dict(judged),
        findings=held_out.warnings,
        annotations=tuple(render.as_github(judged).splitlines()),
        cases=render.as_cases(judged),
        markdown=render.as_markdown(judged),
    )


def check_options(
    policy: Policy, trace_format: Format, arrivals: AskedArrivals, options: dict[str, Any]
) -> None:
    """Refuse options that say something about requests, or of a file of them."""
    odd = [name for key, name in _OF_REQUESTS.items() if options.get(key) is not None]
    if trace_format != "auto":
        odd.append("--format")
    if arrivals.given or arrivals.column:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        told = ", ".join(odd)
        of = f"`{shorten(policy.name)}` is a plan of jobs, not of requests"
        raise click.UsageError(f"{of}: {told} does not apply")


def check_no_windows(windows: int | None) -> None:
    """Refuse --windows where there is no plan."""
    if windows is not None:
        raise click.UsageError("--windows is for plans of jobs, and this is none")
