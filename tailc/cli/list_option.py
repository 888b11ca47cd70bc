"""Option types for several values separated by commas."""

from __future__ import annotations

import click

from tailc.cli.quantities import QuantityType


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
