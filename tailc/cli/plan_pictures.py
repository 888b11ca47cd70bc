"""The pictures of a plan that a command is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.pictures import check_apart, picture_format

if TYPE_CHECKING:
    from datetime import tzinfo

    from tailc.forms.plan.plan import Plan


def write_pictures(
    plan: Plan | None, power_file: str | None, jobs_file: str | None, zone: tzinfo | None
) -> list[str]:
    """Write what was asked for, all or nothing; the files.

    A usage error where a file is of no kind of picture, both are one, or there is no plan.
    """
    power_kind, jobs_kind = picture_format(power_file), picture_format(jobs_file)
    files = {"--picture": power_file, "--jobs-picture": jobs_file}
    asked = [option for option, file in files.items() if file]
    if not asked:
        if zone is not None:
            raise click.UsageError("--zone is of pictures: give --picture or --jobs-picture too")
        return []
    if plan is None:
        raise click.UsageError(f"this artifact is no plan: {asked[0]} does not apply")
    check_apart(files)

    from datetime import UTC

    from tailc.atomic_files import replace_files
    from tailc.report import plan_jobs_plot, plan_power_plot
    from tailc.report.plan_power import power_from_plan

    contents: list[tuple[Path, bytes]] = []
    if power_file is not None and power_kind is not None:
        drawn = plan_power_plot.picture(power_from_plan(plan), power_kind, zone or UTC)
        contents.append((Path(power_file), drawn))
    if jobs_file is not None and jobs_kind is not None:
        drawn = plan_jobs_plot.picture(plan, jobs_kind, zone or UTC)
        contents.append((Path(jobs_file), drawn))
    replace_files(contents)
    return [str(path) for path, _ in contents]
