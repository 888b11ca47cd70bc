"""What verify and simulate print of a plan: its prices on held-out days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from tailc.cli.outcome import Outcome
from tailc.cli.pictures import picture_format

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.experiment.held_out_days import HeldOutDays
    from tailc.experiment.plan_options import PlanOptions
    from tailc.traces.source import Format

_OF_PLANS = {"picture_file": "--picture", "windows": "--windows", "failures_ppm": "--failures"}
# Options that say something about requests, or of how often they are replayed.
_OF_REQUESTS = {
    "cut_off_us": "--cut-off",
    "other_power_ppm": "--other-power",
    "chip": "--chip",
    "requests_per_replay": "--requests",
    "replicates": "--replicates",
    "threads": "--threads",
    "tolerance_ppm": "--tolerance",
}


def judged_plan(
    policy: Policy,
    days: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> Outcome:
    """The verdict on the windows of the days that the document tells of, and its page if asked."""
    from tailc.experiment.job_windows import replayable
    from tailc.report import plan_verdict as render
    from tailc.studies.held_out_days import read_held_out_days
    from tailc.units import printable
    from tailc.verify.plan.judge import verify_plan

    check_options(policy, trace_format, arrivals, options)
    kind = picture_format(options.get("picture_file"))
    chosen = plan_options(options, progress=lambda done, of: draw("replaying", done / of))
    replayable(policy, chosen)
    held_out = read_held_out_days(policy, days, options.get("windows"))
    judged = verify_plan(policy, held_out, chosen)
    files = _drawn(policy, held_out, chosen, options.get("picture_file"), kind)
    told = Outcome(
        exit_code=judged.verdict.exit_code,
        text="\n".join((render.as_text(judged), *(f"wrote {printable(one)}" for one in files))),
        result={**render.as_dict(judged), **({"files": files} if files else {})},
        findings=held_out.warnings,
        notes=render.as_notes(judged),
        cases=render.as_cases(judged),
        markdown=render.as_markdown(judged),
    )
    report: Path | None = options.get("report")
    if report is None:
        return told
    from tailc.cli.report_option import with_report
    from tailc.report.page.pages import plan_verdict_page
    from tailc.report.plan_window import power_of_window

    power = power_of_window(policy, held_out, chosen)
    return with_report(told, report, plan_verdict_page(policy, power, told.text, told.exit_code))


def _drawn(
    policy: Policy,
    held_out: HeldOutDays,
    options: PlanOptions,
    picture_file: str | None,
    kind: Literal["svg", "png"] | None,
) -> list[str]:
    """Write the picture of the first window, if there shall be one; its file."""
    if picture_file is None or kind is None:
        return []
    from pathlib import Path

    from tailc.atomic_files import replace_files
    from tailc.report.plan_power_plot import picture
    from tailc.report.plan_window import power_of_window

    path = Path(picture_file)
    replace_files([(path, picture(power_of_window(policy, held_out, options), kind))])
    return [str(path)]


def check_options(
    policy: Policy, trace_format: Format, arrivals: AskedArrivals, options: dict[str, Any]
) -> None:
    """Refuse options that say something about requests, or of a file of them."""
    odd = [name for key, name in _OF_REQUESTS.items() if options.get(key) is not None]
    if trace_format != "auto":
        odd.append("--format")
    if arrivals.is_asked:
        odd.append("--rate and --arrivals")
    if odd:
        from tailc.units import shorten

        told = ", ".join(odd)
        of = f"`{shorten(policy.name)}` is a plan of jobs, not of requests"
        does = "does" if len(odd) == 1 and odd[0].count("--") == 1 else "do"
        raise click.UsageError(f"{of}: {told} {does} not apply")


def plan_options(
    options: dict[str, Any], progress: Callable[[int, int], None] | None = None
) -> PlanOptions:
    """Those of the options that were given; the others keep their defaults."""
    from tailc.experiment.plan_options import PlanOptions

    names = ("seed", "failures_ppm", "baselines", "allow_compile_trace")
    given = {name: options[name] for name in names if options.get(name) is not None}
    return PlanOptions(**given, progress=progress)


def without_plan(options: dict[str, Any]) -> dict[str, Any]:
    """The other options; refuses those that say something about plans."""
    odd = [name for key, name in _OF_PLANS.items() if options.get(key) is not None]
    if odd:
        does = "is" if len(odd) == 1 else "are"
        raise click.UsageError(f"{', '.join(odd)} {does} for plans of jobs, and this is none")
    return {key: value for key, value in options.items() if key not in _OF_PLANS}
