"""tailc verify: an artifact against held-out data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.arrivals_option import arrivals_options
from tailc.cli.outcome import Outcome, reports

if TYPE_CHECKING:
    from tailc.cli.arrivals_option import AskedArrivals
    from tailc.traces.source import Format


@click.command("verify", short_help="Judge a policy on held-out requests.")
@click.argument("artifact")
@click.option(
    "--trace",
    required=True,
    metavar="FILE",
    help="Held-out trace, read as the compile read its own; - is standard input.",
)
@replay_options.trace_format
@arrivals_options
@replay_options.baselines("all")
@replay_options.cut_off
@replay_options.thoroughness
@replay_options.allow_compile_trace
@replay_options.progress
@reports
def command(
    artifact: str,
    trace: str,
    trace_format: Format,
    arrivals: AskedArrivals,
    progress: bool | None,
    **options: Any,
) -> Outcome:
    """Replay ARTIFACT on a held-out trace and judge every SLO under every arrival process.

    Arrivals are Poisson at the artifact's rates unless --rate or --arrivals is given. Exits 0 when
    the policy meets every SLO, 1 when it misses one, 4 when the data cannot decide.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import shown
    from tailc.errors import Place
    from tailc.pipeline.held_out import read_held_out
    from tailc.pipeline.remarks import suspect_unit
    from tailc.report import verdict as render
    from tailc.verify.drift import drift_findings
    from tailc.verify.judge import verify
    from tailc.verify.options import VerifyOptions

    policy = read_policy(artifact)
    held_out = read_held_out(policy, trace, trace_format, arrivals.column)
    with shown(progress) as draw:
        verdicts = verify(
            policy,
            held_out.profile,
            VerifyOptions(
                arrivals=arrivals.with_recorded(held_out.recorded),
                held_out_name=trace,
                progress=lambda done, of: draw("replaying", done / of),
                **replay_options.given(options),
            ),
        )
    return Outcome(
        verdicts.exit_code,
        render.as_text(verdicts),
        render.as_dict(verdicts),
        (
            *held_out.warnings,
            *suspect_unit(held_out.profile, policy.slos),
            *drift_findings(verdicts.drift, Place(trace)),
        ),
        tuple(render.as_github(verdicts).splitlines()),
        cases=render.as_cases(verdicts),
        markdown=render.as_markdown(verdicts),
    )
