"""What verify and simulate share: a policy is replayed, and what is odd about the trace is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tailc.cli import replay_options
from tailc.cli.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from tailc.artifact.envelope import Policy
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.errors import Finding
    from tailc.experiment.options import VerifyOptions
    from tailc.report.page.content import Page
    from tailc.traces.profile import DemandProfile
    from tailc.traces.source import Format
    from tailc.verify.verdict import Verdicts


@dataclass(frozen=True)
class Judged:
    """The verdicts, names of the policy's rungs, warnings about the trace and its arrivals, its
    requests, and how they were replayed.
    """

    verdicts: Verdicts
    rungs: tuple[str, ...]
    warnings: tuple[Finding, ...]
    held_out: DemandProfile
    options: VerifyOptions

    def page(self, policy: Policy) -> Page:
        """The same in pictures."""
        from tailc.report.page.pages import verdict_page

        return verdict_page(policy, self.verdicts, self.held_out, self.rungs)

    def outcome(self, *earlier: Finding) -> Outcome:
        """All there is to print, exit 0; of warnings that say the same the `earlier` are kept."""
        from tailc.report import verdict as render

        once: dict[object, Finding] = {}
        for finding in (*earlier, *self.warnings):
            once.setdefault((finding.code, finding.message), finding)
        return Outcome(
            text=render.as_text(self.verdicts, self.rungs),
            result=render.as_dict(self.verdicts),
            findings=tuple(once.values()),
            notes=render.as_notes(self.verdicts),
            cases=render.as_cases(self.verdicts),
            markdown=render.as_markdown(self.verdicts, self.rungs),
        )


def judged(
    policy: Policy,
    trace: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    draw: Callable[[str, float], None],
    options: dict[str, Any],
) -> Judged:
    """The policy on the trace.

    `options` are fields of VerifyOptions, None where not given, but for `chip`, which is the path
    of a spec.
    """
    from tailc.experiment.options import VerifyOptions
    from tailc.experiment.policy_arrivals import not_as_recorded
    from tailc.studies.held_out import read_held_out, trace_warnings
    from tailc.verify.judge import verify

    held_out = read_held_out(policy, trace, trace_format, arrivals.column)
    if options.get("chip") is not None:
        from tailc.studies.chip_of_spec import chip_of

        options = {**options, "chip": chip_of(options["chip"], policy, held_out.profile)}
    chosen = VerifyOptions(
        arrivals=arrivals.of(policy, held_out.recorded),
        held_out_name=trace,
        progress=lambda done, of: draw("replaying", done / of),
        **replay_options.given(options),
    )
    verdicts = verify(policy, held_out.profile, chosen)
    rungs = tuple(rung.name for ladder in policy.ladders[:1] for rung in ladder.rungs)
    warnings = (
        *verdicts.warnings,
        *trace_warnings(policy, held_out, trace, verdicts.drift),
        *not_as_recorded(policy, chosen.arrivals),
    )
    return Judged(verdicts, rungs, warnings, held_out.profile, chosen)
