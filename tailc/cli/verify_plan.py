"""The part of `tailc verify` and `tailc simulate` that replays plans on held-out days."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import CommandOutcome
from tailc.cli.pictures import picture_contents, write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.experiment.held_out_days import HeldOutDays
    from tailc.experiment.plan_options import PlanOptions
    from tailc.report.pictures.figure import Figure
    from tailc.traces.source import Format

_OF_PLANS = {"picture_file": "--picture", "windows": "--windows", "failures_ppm": "--failures"}
# Options for requests and their replays, which plans do not have.
_OF_REQUESTS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "chip": "--chip",
    "comparisons": "--comparisons",
    "requests_per_replay": "--requests",
    "replicates": "--replicates",
    "threads": "--threads",
    "tolerance_ppm": "--tolerance",
}


def judge_plan(
    policy: Policy,
    days: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> CommandOutcome:
    """Judge the plan on the windows of the held-out days; write its report page if requested."""

    check_options(policy, trace_format, arrivals, options)
    chosen = plan_options(
        options, progress=lambda finished, total: draw("replaying", finished / total)
    )
    if chosen.baselines is None and policy.later_jobs is None:
        return _verdict_outcome(policy, days, chosen, options)
    with with_solvers(policy, chosen) as whole:
        return _verdict_outcome(policy, days, whole, options)


@contextmanager
def with_solvers(policy: Policy, options: PlanOptions) -> Iterator[PlanOptions]:
    """Provide the options with the baselines that use solvers, while the context is open."""
    from dataclasses import replace

    from tailc.experiment.held_out_days import plan_of
    from tailc.pipeline.job_baselines import solver_baselines

    with solver_baselines(plan_of(policy)) as more:
        yield replace(options, more=more)


def _verdict_outcome(
    policy: Policy, days: str, chosen: PlanOptions, options: dict[str, Any]
) -> CommandOutcome:
    from tailc.experiment.job_windows import replayable
    from tailc.report import plan_verdict as render
    from tailc.studies.held_out_days import read_held_out_days
    from tailc.units import printable
    from tailc.verify.plan.judge import verify_plan

    replayable(policy, chosen)
    held_out = read_held_out_days(policy, days, options.get("windows"))
    verdict = verify_plan(policy, held_out, chosen)
    picture = options.get("picture_file")
    files = write_files(picture_contents(picture, lambda: _figures(policy, held_out, chosen)))
    ci = render.ci_verdicts(verdict)
    outcome = CommandOutcome(
        exit_code=verdict.verdict.exit_code,
        text="\n".join((render.as_text(verdict), *(f"wrote {printable(one)}" for one in files))),
        result={**render.as_dict(verdict), **({"files": files} if files else {})},
        findings=held_out.warnings,
        notes=tuple(each.note for each in ci),
        cases=tuple(each.test_case for each in ci),
        markdown=render.as_markdown(verdict),
    )
    report: Path | None = options.get("report")
    if report is None:
        return outcome
    from tailc.cli.report_option import with_report
    from tailc.report.page.pages import plan_verdict_page
    from tailc.report.plan_window import power_of_window

    power = power_of_window(policy, held_out, chosen)
    return with_report(
        outcome, report, plan_verdict_page(policy, power, outcome.text, outcome.exit_code)
    )


def _figures(policy: Policy, held_out: HeldOutDays, options: PlanOptions) -> list[Figure]:
    """Draw the power of the first window."""
    from tailc.report.pictures.power_stack import power_figures
    from tailc.report.plan_window import power_of_window

    return power_figures(power_of_window(policy, held_out, options))


def check_options(
    policy: Policy, trace_format: Format, arrivals: ArrivalOptions, options: dict[str, Any]
) -> None:
    """Refuse options and trace formats that apply to requests, for which a plan has no use."""
    odd = [name for key, name in _OF_REQUESTS.items() if options.get(key) is not None]
    if trace_format != "auto":
        odd.append("--format")
    if arrivals.is_given:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        outcome = ", ".join(odd)
        total = f"policy `{shorten(policy.name)}` is a plan of jobs, not a policy for requests"
        does = "does" if len(odd) == 1 and odd[0].count("--") == 1 else "do"
        it = "it" if does == "does" else "them"
        raise click.UsageError(f"{total}: {outcome} {does} not apply, so remove {it}")


def plan_options(
    options: dict[str, Any], progress: Callable[[int, int], None] | None = None
) -> PlanOptions:
    """Build the options of a plan's replay; options without a value keep their defaults."""
    from tailc.experiment.plan_options import PlanOptions

    names = ("seed", "failures_ppm", "baselines", "allow_compile_trace")
    replay_fields = {name: options[name] for name in names if options.get(name) is not None}
    return PlanOptions(**replay_fields, progress=progress)


def without_plan(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options for plans from a command's options; refuse those that have a value."""
    odd = [name for key, name in _OF_PLANS.items() if options.get(key) is not None]
    if odd:
        does = "applies" if len(odd) == 1 else "apply"
        raise click.UsageError(
            f"{', '.join(odd)} {does} only to plans of jobs, and this artifact is not one"
        )
    return {key: value for key, value in options.items() if key not in _OF_PLANS}
