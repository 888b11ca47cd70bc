"""Options of all commands that replay requests: requests, replays and random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tailc.cli.pictures import PICTURE
from tailc.cli.quantities import CUT_OFF_US, SHARE_PPM

Command = Callable[..., Any]


def _combine_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several option decorators to one; the help lists them in this order."""

    def decorate(function: Command) -> Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


trace_format = click.option(
    "--format",
    "trace_format",
    type=click.Choice(["auto", "parquet", "csv", "ndjson"]),
    default="auto",
    show_default=True,
    help="Format of the trace.",
)

cut_off = click.option(
    "--cut-off",
    "cut_off_us",
    type=CUT_OFF_US,
    metavar="TIME",
    help="Execution time at which the server aborts a request, such as 200ms.",
)

chip = click.option(
    "--chip",
    metavar="SPEC",
    help="For rubik: replay the cores on the chip of this spec, with its `server.tdp` and the "
    "power of its batch work. hw-t and hw-tpw need it.",
)

other_power = click.option(
    "--other-power",
    "other_power_ppm",
    type=SHARE_PPM,
    metavar="SHARE",
    help="Share of the power of the reference baseline that parts other than cores use, "
    "such as 33%.",
)


# Default baselines for the help text of commands whose option has no default.
_USUAL = "the first, the best by hand, the policy without boosting or controller"


def baselines(default: str | None = None) -> Callable[[Command], Command]:
    """Add the option --baselines to a command.

    The command gets a tuple of names; None if the user gives none and there is no default.
    """
    return click.option(
        "--baselines",
        callback=lambda _context, _option, text: _names(text),
        default=default,
        show_default=default is not None or _USUAL,
        metavar="NAMES",
        help="Baselines to replay: all, first, none, or names separated by commas, such as "
        "seq,fix-3,rc-4, or tl,ee,rc for cores.",
    )


allow_compile_trace = click.option(
    "--allow-compile-trace",
    is_flag=True,
    help="Allow the data that the policy was compiled from.",
)

windows = click.option(
    "--windows",
    type=click.IntRange(min=1),
    metavar="X",
    help="For plans: replay at most this number of windows, the first ones of the held-out days.",
)

picture = click.option(
    "--picture",
    "picture_file",
    type=PICTURE,
    metavar="FILE",
    help="For plans: draw the power of the first window by source, the forecast, and the "
    "accepted jobs: FILE.svg or FILE.png.",
)

failures = click.option(
    "--failures",
    "failures_ppm",
    type=SHARE_PPM,
    metavar="SHARE",
    help="For plans of rigid jobs: share of busy servers that fail in an hour, such as 0.1%.",
)

comparisons = click.option(
    "--comparisons",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Number of services that are judged together: rulings are wrong for any with at most 5 %.",
)

# The parameter names are those of the fields of VerifyOptions.
thoroughness = _combine_options(
    click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        metavar="X",
        help="Seed of arrivals and bootstrap replicates.",
    ),
    click.option(
        "--requests",
        "requests_per_replay",
        type=click.IntRange(20, 1_000_000),
        metavar="X",
        help="Requests in each replay.",
    ),
    click.option(
        "--replicates",
        type=click.IntRange(49, 10_000),
        metavar="X",
        help="Bootstrap replicates.",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="X",
        help="Number of threads of the replays.",
    ),
)


def requests(fewest: int, purpose: str) -> Callable[[Command], Command]:
    """Add the option --requests to a command with a fixed number of replays.

    fewest: smallest allowed value. purpose: what the requests are for, for the help.
    """
    return click.option(
        "--requests",
        type=click.IntRange(fewest, 1_000_000),
        default=20_000,
        show_default=True,
        metavar="X",
        help=f"Requests in {purpose}.",
    )


def seed(purpose: str) -> Callable[[Command], Command]:
    """Add the option --seed to a command that always has a seed.

    purpose: what the random numbers are for, for the help.
    """
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**63 - 1),
        default=1,
        show_default=True,
        metavar="X",
        help=f"Seed of {purpose}.",
    )


progress = click.option(
    "--progress/--no-progress",
    default=None,
    envvar="TAILC_PROGRESS",
    help="Show progress. Default: only on a terminal.",
)


def _names(text: str | None) -> tuple[str, ...] | None:
    """Parse baselines: `none`, or names separated by commas, without duplicates.

    `all` means all baselines that suit the policy, and `first` the first of them.
    """
    if text is None:
        return None
    names = tuple(dict.fromkeys(name.strip().lower() for name in text.split(",")))
    if names in (("all",), ("none",)):
        return () if names == ("none",) else names
    if {"", "all", "none"}.isdisjoint(names):
        return names
    from tailc.units import shorten

    raise click.BadParameter(
        f"`{shorten(text)}` is neither `all`, `none` nor a list of names such as `seq,fix-3`"
    )


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Select the options that have a value; the others keep the defaults of VerifyOptions."""
    return {name: value for name, value in options.items() if value is not None}
