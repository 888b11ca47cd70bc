"""Options that take several values, with commas between."""

from __future__ import annotations

import click

from tailc.cli.quantities import Quantity


class Listed(click.ParamType):
    """Quantities with commas between; in order and each once, whatever order they are given in."""

    def __init__(self, quantity: Quantity) -> None:
        self.name = f"{quantity.name}s"
        self._quantity = quantity

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The whole numbers behind the text; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        words = [word.strip() for word in str(value).split(",")]
        return tuple(sorted({self._quantity.convert(word, param, ctx) for word in words}))
