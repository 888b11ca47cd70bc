"""The part of `tailc verify` and `tailc simulate` that replays requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import ArrivalOptions
    from tailc.errors import Finding
    from tailc.experiment.options import VerifyOptions
    from tailc.report.page.content import Page
    from tailc.traces.profile import DemandProfile
    from tailc.traces.source import Format
    from tailc.verify.verdict import Verdicts


@dataclass(frozen=True)
class RequestJudgement:
    """The verdicts of a replay, with what a report of them needs.

    rungs: names of the policy's rungs. warnings: about the trace.
    """

    verdicts: Verdicts
    rungs: tuple[str, ...]
    warnings: tuple[Finding, ...]
    held_out: DemandProfile
    options: VerifyOptions

    def page(self, policy: Policy) -> Page:
        """Build the page of `--report` for these verdicts."""
        from tailc.report.page.pages import verdict_page

        return verdict_page(policy, self.verdicts, self.held_out, self.rungs)

    def outcome(self, *earlier: Finding) -> CommandOutcome:
        """Build the outcome of the command, with exit code 0.

        earlier: warnings that were found before; equal ones are not repeated.
        """
        from tailc.report import verdict as render

        once: dict[object, Finding] = {}
        for finding in (*earlier, *self.warnings):
            once.setdefault((finding.code, finding.message), finding)
        ci = render.ci_verdicts(self.verdicts)
        return CommandOutcome(
            text=render.as_text(self.verdicts, self.rungs),
            result=render.as_dict(self.verdicts),
            findings=tuple(once.values()),
            notes=tuple(each.note for each in ci),
            cases=tuple(each.test_case for each in ci),
            markdown=render.as_markdown(self.verdicts, self.rungs),
        )


def judge_requests(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: ArrivalOptions,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> RequestJudgement:
    """Judge the policy on the trace.

    options: fields of VerifyOptions, None if not given; only `chip` is the path of a spec.
    """
    from tailc.experiment.options import VerifyOptions
    from tailc.experiment.policy_arrivals import recording_findings
    from tailc.studies.held_out import read_held_out, trace_warnings
    from tailc.verify.judge import verify

    held_out = read_held_out(policy, trace, trace_format, arrivals.column)
    if options.get("chip") is not None:
        from tailc.studies.chip_of_spec import chip_of

        options = {**options, "chip": chip_of(options["chip"], policy, held_out.profile)}
    chosen = VerifyOptions(
        arrivals=arrivals.processes_for(policy, held_out.recorded),
        held_out_name=trace,
        progress=lambda finished, total: draw("replaying", finished / total),
        **replay_options.given_options(options),
    )
    verdicts = verify(policy, held_out.profile, chosen)
    rungs = tuple(rung.name for ladder in policy.ladders[:1] for rung in ladder.rungs)
    warnings = (
        *verdicts.warnings,
        *trace_warnings(policy, held_out, trace, verdicts.drift),
        *recording_findings(policy, chosen.arrivals),
    )
    return RequestJudgement(verdicts, rungs, warnings, held_out.profile, chosen)
