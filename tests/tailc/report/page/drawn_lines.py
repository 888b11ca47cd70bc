"""Lines of a picture, as points on its canvas."""

from __future__ import annotations

import re
from xml.etree import ElementTree

Point = tuple[float, float]


def line_points(figure, tone: str) -> list[list[Point]]:
    """Of each line of that tone."""
    root = ElementTree.fromstring(figure.svg)
    lines = []
    for each in root.iter("{http://www.w3.org/2000/svg}path"):
        if each.attrib["class"] == f"line {tone}":
            numbers = [float(text) for text in re.findall(r"[-\d.]+", each.attrib["d"])]
            lines.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
    return lines
