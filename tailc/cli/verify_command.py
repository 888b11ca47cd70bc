"""tailc verify: an artifact against held-out data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.quantities import RATE_MRPS

if TYPE_CHECKING:
    from tailc.traces.source import Format


@click.command("verify", short_help="Judge a policy on held-out requests.")
@click.argument("artifact")
@click.option(
    "--trace",
    required=True,
    metavar="FILE",
    help="Held-out trace, read as the compile read its own; - is standard input.",
)
@click.option(
    "--format",
    "trace_format",
    type=click.Choice(["auto", "parquet", "csv", "ndjson"]),
    default="auto",
    show_default=True,
    help="Format of the trace.",
)
@click.option(
    "--rate",
    "rates",
    type=RATE_MRPS,
    multiple=True,
    help="Arrival rate, such as 40/s; may be repeated.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="X", help="Seed of arrivals and resamples."
)
@click.option(
    "--requests", type=click.IntRange(min=20), metavar="X", help="Requests in each replay."
)
@click.option(
    "--replicates", type=click.IntRange(min=49), metavar="X", help="Bootstrap replicates."
)
@click.option(
    "--allow-compile-trace", is_flag=True, help="Allow the data that the policy was made from."
)
@click.option("--threads", type=click.IntRange(min=1), metavar="X", help="Threads to replay with.")
@click.option(
    "--progress/--no-progress", default=None, help="Show progress. Default: on a terminal."
)
@reports
def command(
    artifact: str,
    trace: str,
    trace_format: Format,
    rates: tuple[int, ...],
    requests: int | None,
    progress: bool | None,
    **options: object,
) -> Outcome:
    """Replay ARTIFACT on a held-out trace and judge every SLO at every rate.

    Rates are those of the artifact unless --rate is given. Exits 0 when all pass, 1 when one is
    missed, 4 when the data cannot decide.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import shown
    from tailc.pipeline.held_out import read_held_out
    from tailc.pipeline.remarks import suspect_unit
    from tailc.report import verdict as render
    from tailc.verify.judge import verify
    from tailc.verify.options import VerifyOptions

    policy = read_policy(artifact)
    held_out = read_held_out(policy, trace, trace_format)
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    with shown(progress) as draw:
        verdicts = verify(
            policy,
            held_out.profile,
            VerifyOptions(
                rates_mrps=rates or None,
                requests_per_replay=requests,
                held_out_name=trace,
                progress=lambda done, of: draw("replaying", done / of),
                **given,
            ),
        )
    return Outcome(
        verdicts.exit_code,
        render.as_text(verdicts),
        render.as_dict(verdicts),
        (*held_out.warnings, *suspect_unit(held_out.profile, policy.slos)),
        tuple(render.as_github(verdicts).splitlines()),
    )
