"""SVG as text: names and texts are escaped, and numbers have one format."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from tailc.units import printable

_DECIMALS = 2


def element(name: str, *children: str, **attributes: object) -> Markup:
    """Format an XML element; `_` in attribute names becomes `-`, attributes of None are omitted.

    Children of type Markup stay as they are; other texts are escaped.
    """
    attributes_text = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = join_markup(children)
    if not inside:
        return Markup("<{}{}/>").format(name, attributes_text)
    return Markup("<{}{}>{}</{}>").format(name, attributes_text, inside, name)


def join_markup(parts: Iterable[str]) -> Markup:
    """Concatenate parts; texts that are not Markup are escaped and put on one line."""
    return Markup("").join(
        part if isinstance(part, Markup) else escape(printable(part)) for part in parts
    )


def number(value: float) -> str:
    """Format a number without exponent or needless zeros, the same on every machine."""
    text = f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def path(points: Iterable[tuple[float, float]]) -> str:
    """Format a line through the points as an SVG path: the value of the attribute `d`."""
    steps = [f"{number(x)} {number(y)}" for x, y in points]
    return "M" + "L".join(steps)


def _value(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
