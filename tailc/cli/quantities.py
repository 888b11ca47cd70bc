"""Option types with units, the same words as in a spec."""

from __future__ import annotations

from collections.abc import Callable

import click


class Quantity(click.ParamType):
    """A text with a unit, parsed to a whole number by the named function of tailc.units.

    Numbers below `least`, 0 or 1, are refused.
    """

    def __init__(self, name: str, parser: str, least: int) -> None:
        self.name = name
        self._parser = parser
        self._least = least

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The whole number behind the text; a usage error for anything else."""
        if isinstance(value, int):
            return value
        from tailc import units

        parse: Callable[[str], int] = getattr(units, self._parser)
        try:
            number = parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if number < self._least:
            self.fail(f"`{value}` must be more than zero", param, ctx)
        return number


DURATION_US = Quantity("duration", "parse_us", least=0)
RATE_MRPS = Quantity("rate", "parse_mrps", least=1)
