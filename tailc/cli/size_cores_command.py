"""The command `tailc size cores`: cores with the least energy, by rate and latency target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.pictures import PICTURE, check_distinct_files, picture_contents, write_files
from tailc.cli.quantities import CUT_OFF_US, RATE_MRPS, QuantityType

if TYPE_CHECKING:
    from tailc.report.pictures.figure import Figure
    from tailc.studies.core_sizing import CoreSizing


class QuantityListType(click.ParamType):
    """Option type: quantities separated by commas, sorted and without duplicates."""

    def __init__(self, quantity: QuantityType) -> None:
        self.name = f"{quantity.name}s"
        self._quantity = quantity

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Parse the text to integers; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        return tuple(sorted({self._quantity.convert(word, param, ctx) for word in words}))


@click.command("cores", short_help="Choose the cores that need the least energy.")
@click.argument("specs", nargs=-1, required=True)
@click.option(
    "--rates",
    "rates_mrps",
    type=QuantityListType(RATE_MRPS),
    required=True,
    metavar="LIST",
    help="Arrival rates, such as 10/s,30/s,60/s.",
)
@click.option(
    "--targets",
    "targets_us",
    type=QuantityListType(CUT_OFF_US),
    required=True,
    metavar="LIST",
    help="Latency targets for the percentile of the first SLO, such as 150ms,200ms.",
)
@click.option(
    "-o",
    "--output",
    "table",
    metavar="FILE",
    help="Write the figures of every configuration as CSV.",
)
@click.option(
    "--picture",
    "picture_file",
    type=PICTURE,
    metavar="FILE",
    help="Draw both heat maps: FILE.svg or FILE.png.",
)
@replay_options.requests(100, "each replay")
@replay_options.seed("the arrivals")
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="X", help="Number of threads of the replays."
)
@replay_options.progress
@command_with_outcome
def command(
    specs: tuple[str, ...],
    rates_mrps: tuple[int, ...],
    targets_us: tuple[int, ...],
    table: str | None,
    picture_file: Path | None,
    progress: bool | None,
    **options: Any,
) -> CommandOutcome:
    """Find, for each rate and target, which of the configurations in SPECS needs the least energy.

    The specs describe one service: the same trace and percentile, on different cores. A cell is
    empty if no configuration meets the target.
    """
    from tailc.cli.progress import show_progress
    from tailc.report import core_sizes as render
    from tailc.studies.core_sizing import SizingGrid, size_cores

    check_distinct_files({"--output": table, "--picture": picture_file})
    with show_progress(progress) as draw:
        sizing = size_cores(specs, SizingGrid(rates_mrps, targets_us), progress=draw, **options)
    rows = [] if table is None else [(Path(table), render.as_csv(sizing).encode())]
    picture = picture_contents(picture_file, lambda: _figures(sizing), columns=2)
    files = write_files([*rows, *picture])
    return CommandOutcome(
        text="\n".join([render.as_text(sizing), *(f"wrote {path}" for path in files)]),
        result={**render.as_dict(sizing), "files": files},
        markdown=render.as_markdown_table(sizing),
    )


def _figures(sizing: CoreSizing) -> list[Figure]:
    from tailc.report.pictures.core_maps import core_figures

    return core_figures(sizing)
