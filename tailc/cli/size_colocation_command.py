"""The command `tailc size colocation`: batch work on request servers, and the servers it saves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from tailc.cli import replay_options
from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.pictures import PICTURE, picture_contents, write_files

if TYPE_CHECKING:
    from pathlib import Path

    from tailc.report.pictures.figure import Figure
    from tailc.studies.colocation_sizing import Colocation, FleetDemand

_MOST = 10_000_000
_SIDES = 2


class RatiosType(click.ParamType):
    """Option type: ratios of request servers to batch servers, such as `75:25,50:50`."""

    name = "ratios"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[int, int], ...]:
        """Parse pairs of integers that are not both 0; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        return tuple(self._ratio(word.strip(), param, ctx) for word in str(value).split(","))

    def _ratio(
        self, word: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        parts = word.split(":")
        whole = [int(part) for part in parts if part.isascii() and part.isdigit()]
        if not (len(parts) == len(whole) == _SIDES and 0 < sum(whole) <= _MOST):
            from tailc.units import shorten

            self.fail(f"`{shorten(word)}` is not a ratio such as `75:25`", param, ctx)
        return whole[0], whole[1]


@click.command("colocation", short_help="Size batch work on latency-critical servers.")
@click.argument("spec")
@click.option(
    "--servers",
    type=click.IntRange(1, _MOST),
    metavar="X",
    help="Number of servers that run requests.",
)
@click.option(
    "--batch",
    type=click.FloatRange(0, _MOST),
    metavar="X",
    help="Batch work, in units of the work of one dedicated server.",
)
@click.option(
    "--total",
    type=click.IntRange(1, _MOST),
    metavar="X",
    help="Number of request servers and dedicated batch servers together.",
)
@click.option(
    "--ratios",
    type=RatiosType(),
    metavar="LIST",
    help="Ratios of request servers to batch servers in --total, such as 100:0,75:25,50:50,0:100.",
)
@click.option(
    "--picture",
    "picture_file",
    type=PICTURE,
    metavar="FILE",
    help="Draw the supply curve: FILE.svg or FILE.png.",
)
@replay_options.requests(100, "each replay")
@replay_options.seed("the arrivals")
@replay_options.progress
@command_with_outcome
def command(
    spec: str,
    servers: int | None,
    batch: float | None,
    total: int | None,
    ratios: tuple[tuple[int, int], ...] | None,
    picture_file: Path | None,
    progress: bool | None,
    **options: Any,
) -> CommandOutcome:
    """Find how much batch work request servers can run as well, and how many servers that saves.

    SPEC is of kind rubik, with `batch`. Give --servers and --batch, or --total and --ratios. Beyond
    the knee of the supply curve, dedicated servers run batch work with less power.
    """
    from tailc.cli.progress import show_progress
    from tailc.report import colocation as render
    from tailc.studies.colocation_sizing import size_colocation

    demands = _demands(servers, batch, total, ratios)
    with show_progress(progress) as draw:
        sized = size_colocation(spec, demands, progress=draw, **options)
    files = write_files(picture_contents(picture_file, lambda: _figures(sized), columns=2))
    return CommandOutcome(
        text="\n".join([render.as_text(sized), *(f"wrote {path}" for path in files)]),
        result={**render.as_dict(sized), "files": files},
        markdown=render.as_markdown_table(sized),
    )


def _figures(sized: Colocation) -> list[Figure]:
    from tailc.report.pictures.supply_curve import supply_figures

    return supply_figures(sized)


def _demands(
    servers: int | None,
    batch: float | None,
    total: int | None,
    ratios: tuple[tuple[int, int], ...] | None,
) -> tuple[FleetDemand, ...]:
    """Demands for batch work, from one of two sets of options; else a usage error."""
    from tailc.studies.colocation_sizing import FleetDemand

    if batch is not None and not math.isfinite(batch):
        raise click.BadParameter(f"`{batch}` is not an amount of batch work", param_hint="--batch")
    if servers is not None and batch is not None and total is None and ratios is None:
        return (FleetDemand(servers, batch),)
    if total is not None and ratios is not None and servers is None and batch is None:
        return tuple(_part_of(total, *ratio) for ratio in ratios)
    raise click.UsageError("give --servers and --batch, or --total and --ratios")


def _part_of(total: int, requests: int, batch: int) -> FleetDemand:
    from tailc.studies.colocation_sizing import FleetDemand

    servers = round(total * requests / (requests + batch))
    return FleetDemand(servers, float(total - servers))
