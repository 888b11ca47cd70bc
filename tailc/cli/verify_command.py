"""tailc verify: an artifact against held-out data."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports
from tailc.cli.quantities import RATE_MRPS


@click.command("verify")
@click.argument("artifact")
@click.option("--trace", required=True, help="Held-out trace, read as the compile trace was; or -.")
@click.option("--format", "trace_format", default="auto", help="auto, parquet, csv or ndjson.")
@click.option("--rate", "rates", type=RATE_MRPS, multiple=True, help="Arrival rate, as 40/s.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--requests", type=click.IntRange(min=1), help="Requests in each replay.")
@click.option("--replicates", type=click.IntRange(min=20), help="Bootstrap replicates.")
@click.option("--allow-compile-trace", is_flag=True, help="Judge on the data it was made from.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads to replay with.")
@click.option("--progress/--no-progress", default=None, help="Default: on a terminal.")
@reports
def command(
    artifact: str,
    trace: str,
    trace_format: str,
    threads: int | None,
    progress: bool | None,
    **options: object,
) -> Outcome:
    """Replay ARTIFACT on a held-out trace and judge every SLO at every rate.

    Exits 0 when all pass, 1 when one is missed, 4 when the data cannot decide.
    """
    from tailc.artifact.files import read_policy
    from tailc.cli.progress import shown
    from tailc.pipeline.held_out import read_held_out
    from tailc.pipeline.threads import use_threads
    from tailc.report import verdict as render
    from tailc.verify import VerifyOptions, verify

    use_threads(threads)
    policy = read_policy(artifact)
    held_out = read_held_out(policy, trace, trace_format)
    given = {name: value for name, value in options.items() if value is not None}
    with shown(progress) as report_progress:
        verdicts = verify(policy, held_out.profile, VerifyOptions.of(given), report_progress)
    return Outcome(
        verdicts.exit_code,
        render.text(verdicts),
        render.result(verdicts),
        held_out.warnings,
        tuple(render.github(verdicts).splitlines()),
    )
