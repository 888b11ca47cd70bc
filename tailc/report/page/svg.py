"""SVG as text: every name and every text of a user's escaped, every number written alike."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from tailc.units import printable

_DECIMALS = 2


def element(name: str, *children: str, **attributes: object) -> Markup:
    """An element; `_` in a name of an attribute stands for `-`, and one of None is left out.

    Children that are Markup stay as they are, others are text.
    """
    told = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = joined(children)
    if not inside:
        return Markup("<{}{}/>").format(name, told)
    return Markup("<{}{}>{}</{}>").format(name, told, inside, name)


def joined(parts: Iterable[str]) -> Markup:
    """One after the other; what is no Markup is text, on one line."""
    return Markup("").join(
        part if isinstance(part, Markup) else escape(printable(part)) for part in parts
    )


def number(value: float) -> str:
    """Without exponent or needless zeros, the same on every machine."""
    text = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(points: Iterable[tuple[float, float]]) -> str:
    """The line through the points, as the attribute `d`."""
    steps = [f"{number(x)} {number(y)}" for x, y in points]
    return "M" + "L".join(steps)


def _value(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
