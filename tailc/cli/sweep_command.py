"""tailc sweep: one spec compiled with many values, and what comes of each in a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.outcome import Outcome, reports

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.studies.sweep import Variants


@click.command("sweep", short_help="Compile a spec with other values, and compare.")
@click.argument("spec")
@click.option(
    "--set",
    "given",
    multiple=True,
    required=True,
    metavar="PATH=VALUES",
    help="Use each of these values for a key of the spec, such as "
    "battery.capacity=10kWh,20kWh; may be repeated, for all combinations.",
)
@click.option(
    "--one-at-a-time",
    is_flag=True,
    help="Compile the spec unchanged and with each value alone, and not all combinations.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="X",
    help="Number of processes. Default: one for each processor.",
)
@click.option(
    "-o",
    "--output",
    "table",
    metavar="FILE",
    help="Write all figures as CSV, one row for each combination.",
)
@click.option(
    "--keep", metavar="FOLDER", help="Write each policy, as NAME-ROW.json and NAME-ROW.tailc."
)
@replay_options.progress
@reports
def command(
    spec: str,
    given: tuple[str, ...],
    one_at_a_time: bool,
    jobs: int | None,
    table: str | None,
    keep: str | None,
    progress: bool | None,
) -> Outcome:
    """Compile SPEC once for each of several values of its keys, and compare the policies.

    Write values as in the spec, separated by commas. Each row of the table is a complete compile;
    the table does not depend on the number of processes. A row can say that no policy meets the
    limits. Exits as compile does for the first row without a policy; the other rows are printed
    nevertheless.
    """
    from tailc.cli.progress import shown
    from tailc.report.variants import json_form, tables, words
    from tailc.specs.variations import read_variation
    from tailc.studies.sweep import compile_variants

    variations = [read_variation(argument) for argument in given]
    with shown(progress) as draw:
        variants = compile_variants(
            spec, variations, one_at_a_time=one_at_a_time, processes=jobs, progress=draw
        )
    kept = _kept(variants, keep)
    written = [*_written(variants, table), *(file for files in kept for file in files)]
    return Outcome(
        exit_code=words.exit_code(variants),
        text="\n".join([tables.as_text(variants), *(f"wrote {path}" for path in written)]),
        result=json_form.as_dict(variants, kept) | {"files": written},
        findings=words.findings(variants),
        markdown=tables.as_markdown_table(variants),
    )


def _kept(variants: Variants, folder: str | None) -> list[list[str]]:
    """By row, the files of its policy; none where they are not asked for."""
    if folder is None:
        return [[] for _ in variants.answers]
    from tailc.artifact.files import write_policy

    def files(number: int, policy: Policy) -> list[str]:
        stem = Path(folder) / f"{policy.name}-{number}"
        return [str(path) for path in write_policy(policy, str(stem))]

    rows = enumerate(variants.answers, start=1)
    return [files(row, one.policy) if one.policy is not None else [] for row, one in rows]


def _written(variants: Variants, table: str | None) -> list[str]:
    if table is None:
        return []
    from tailc.atomic_files import replace_files
    from tailc.report.variants.tables import as_csv

    replace_files([(Path(table), as_csv(variants).encode())])
    return [table]
