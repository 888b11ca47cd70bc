"""Write the pictures of a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.pictures import check_distinct_files, picture_format

if TYPE_CHECKING:
    from datetime import tzinfo

    from tailc.forms.plan.plan import Plan


def write_pictures(
    plan: Plan | None, power_file: str | None, jobs_file: str | None, zone: tzinfo | None
) -> list[str]:
    """Write the requested pictures, all or none, and return their paths.

    Usage error if an ending is not a picture format, both files are the same, or there is no plan.
    """
    power_kind, jobs_kind = picture_format(power_file), picture_format(jobs_file)
    files = {"--picture": power_file, "--jobs-picture": jobs_file}
    requested = [option for option, file in files.items() if file]
    if not requested:
        if zone is not None:
            raise click.UsageError(
                "`--zone` applies to pictures: add `--picture` or `--jobs-picture`"
            )
        return []
    if plan is None:
        raise click.UsageError(f"this artifact is not a plan: {requested[0]} does not apply")
    check_distinct_files(files)

    from datetime import UTC

    from tailc.atomic_files import replace_files
    from tailc.report import plan_jobs_plot, plan_power_plot
    from tailc.report.plan_power import power_from_plan

    contents: list[tuple[Path, bytes]] = []
    if power_file is not None and power_kind is not None:
        picture_files = plan_power_plot.picture(power_from_plan(plan), power_kind, zone or UTC)
        contents.append((Path(power_file), picture_files))
    if jobs_file is not None and jobs_kind is not None:
        picture_files = plan_jobs_plot.picture(plan, jobs_kind, zone or UTC)
        contents.append((Path(jobs_file), picture_files))
    replace_files(contents)
    return [str(path) for path, _ in contents]
