"""Options that select a histogram of a Prometheus scrape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from tailc.cli.quantities import PERCENTILE_PPM


class Label(click.ParamType):
    """Option type for a label of a metric: the text `NAME=VALUE`, parsed to a pair."""

    name = "label"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Parse the text `NAME=VALUE` to a pair; a usage error for any other text."""
        if isinstance(value, tuple):
            return value
        name, is_pair, text = str(value).partition("=")
        if not is_pair or not name:
            self.fail(f"`{value}` is not a label: write `NAME=VALUE`", param, ctx)
        return name, text


_OPTIONS = (
    click.option("--metric", metavar="NAME", help="Histogram of a scrape, if it has several."),
    click.option(
        "--label",
        "labels",
        multiple=True,
        type=Label(),
        metavar="NAME=VALUE",
        help="Label of the series to count; may be repeated.",
    ),
    click.option("--since", metavar="FILE", help="Earlier scrape, whose counts are subtracted."),
    click.option(
        "--percentile",
        "percentile_ppm",
        type=PERCENTILE_PPM,
        help="Percentile of the SLO, at which the width of buckets is checked. Default: 99%.",
    ),
)


def metric_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options `metric`, `labels`, `since` and `percentile_ppm` to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_metric(
    inputs: tuple[str, ...],
    column: str | None,
    metric: str | None,
    labels: tuple[tuple[str, str], ...],
    since: str | None,
    **_others: object,
) -> None:
    """Raise a usage error for options of metrics that are combined with options of a table.

    Also for `--since` with more than one input.
    """
    if column is not None and (metric or labels or since):
        message = (
            "`--metric`, `--label` and `--since` apply to a scrape, and `--column` to a table: "
            "give only those of your INPUT"
        )
        raise click.UsageError(message)
    if since is not None and len(inputs) > 1:
        message = "`--since` needs a single INPUT: ingest each scrape, and add up the profiles"
        raise click.UsageError(message)
    if since == "-" and "-" in inputs:
        raise click.UsageError("standard input can be read only once: give one scrape as a file")
