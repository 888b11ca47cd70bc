"""The command `tailc sweep`: compile a spec with several values, and compare the policies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli import replay_options
from tailc.cli.engine_options import chosen_engine, engine_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.studies.sweep import Variants


@click.command("sweep", short_help="Compile a spec with other values, and compare.")
@click.argument("spec")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    required=True,
    metavar="PATH=VALUES",
    help="Use each of these values for a key of the spec, such as "
    "battery.capacity=10kWh,20kWh, or for a list rates=[40/s],[40/s,80/s]; may be repeated, for "
    "all combinations.",
)
@click.option(
    "--one-at-a-time",
    is_flag=True,
    help="Compile the spec unchanged and with each value alone, and not all combinations.",
)
@engine_options
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
@command_with_outcome
def command(
    spec: str,
    assignments: tuple[str, ...],
    one_at_a_time: bool,
    jobs: int | None,
    cluster: str | None,
    table: str | None,
    keep: str | None,
    progress: bool | None,
) -> CommandOutcome:
    """Compile SPEC once for each of several values of its keys, and compare the policies.

    Write values as in the spec, separated by commas. Each row of the table is a complete compile;
    the table does not depend on the number of processes. A row can say that no policy meets the
    limits. The exit code is 0 if each row has a policy, or says that none is possible or that the
    budget ended; otherwise it is that of compile for the first row that failed.
    """
    from tailc.cli.progress import show_progress
    from tailc.report.variants import json_form, tables, words
    from tailc.specs.variations import read_variation
    from tailc.studies.sweep import compile_variants

    variations = [read_variation(argument) for argument in assignments]
    with chosen_engine(jobs, cluster) as engine, show_progress(progress) as draw:
        variants = compile_variants(
            spec,
            variations,
            one_at_a_time=one_at_a_time,
            engine=engine,
            progress=draw,
        )
    files_by_variant = _write_policies(variants, keep)
    table_files = [
        *_write_table(variants, table),
        *(file for files in files_by_variant for file in files),
    ]
    return CommandOutcome(
        exit_code=words.exit_code(variants),
        text="\n".join([tables.as_text(variants), *(f"wrote {path}" for path in table_files)]),
        result=json_form.as_dict(variants, files_by_variant) | {"files": table_files},
        findings=(*engine.warnings, *words.findings(variants)),
        markdown=tables.as_markdown_table(variants),
    )


def _write_policies(variants: Variants, folder: str | None) -> list[list[str]]:
    """Write the policies to the folder; return the files of each row, empty without a folder."""
    if folder is None:
        return [[] for _ in variants.answers]
    from tailc.artifact.files import write_policy

    def files(number: int, policy: Policy) -> list[str]:
        stem = Path(folder) / f"{policy.name}-{number}"
        return [str(path) for path in write_policy(policy, str(stem))]

    rows = enumerate(variants.answers, start=1)
    return [files(row, one.policy) if one.policy is not None else [] for row, one in rows]


def _write_table(variants: Variants, table: str | None) -> list[str]:
    if table is None:
        return []
    from tailc.atomic_files import replace_files
    from tailc.report.variants.tables import as_csv

    replace_files([(Path(table), as_csv(variants).encode())])
    return [table]
