"""What a picture shows, read from its SVG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]


def root_of(figure) -> ElementTree.Element:
    return ElementTree.fromstring(figure.svg)


def texts(figure, kind: str) -> list[str]:
    """Texts of a class, in the order of the picture."""
    found = root_of(figure).iter(f"{SVG}text")
    return [one.text or "" for one in found if kind in one.attrib["class"].split()]


def line_points(figure, tone: str) -> list[list[Point]]:
    """Of each line of that tone, its points on the canvas."""
    lines = [
        each.attrib["d"]
        for each in root_of(figure).iter(f"{SVG}path")
        if each.attrib["class"] == f"line {tone}"
    ]
    return [list(map(tuple, _numbers(line).tolist())) for line in lines]


def areas(figure) -> dict[str, np.ndarray]:
    """Of each area by its name, its outline on the canvas."""
    return {name: _numbers(path) for name, path in _named_paths(figure) if "z" not in path}


def rectangles(figure) -> dict[str, list[tuple[float, float, float, float]]]:
    """Of each name, its rectangles on the canvas: left, top, width and height."""
    one = re.compile(r"M([-\d.]+) ([-\d.]+)h([-\d.]+)v([-\d.]+)h")
    return {
        name: [tuple(map(float, numbers)) for numbers in one.findall(path)]
        for name, path in _named_paths(figure)
        if "z" in path
    }


def size(outline) -> float:
    """How many square units an outline covers, by the shoelace formula."""
    x, y = np.array(outline).T
    return abs(float(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))) / 2


def levels(outline, across) -> tuple[np.ndarray, np.ndarray]:
    """Heights on the canvas of the upper and the lower side of an area of steps."""
    points = np.array(outline)
    turn = int(np.argmax(np.diff(points[:, 0]) < 0)) + 1
    sides = points[:turn], points[turn:][::-1]
    return tuple(side[np.searchsorted(side[:, 0], across) - 1, 1] for side in sides)


def heights(figure, across) -> np.ndarray:
    """Values on the vertical axis of canvas heights, from two of its ticks."""
    ticks = upright_ticks(figure)
    (low_y, low), (high_y, high) = ((y, float(text)) for y, text in (ticks[0], ticks[-1]))
    return low + (np.array(across) - low_y) * (high - low) / (high_y - low_y)


def upright_ticks(figure) -> list[tuple[float, str]]:
    """Height on the canvas and text of the ticks of the vertical axis."""
    return [
        (float(one.attrib["y"]) - 4, one.text or "")
        for one in root_of(figure).iter(f"{SVG}text")
        if one.attrib["class"] == "tick end" and float(one.attrib["x"]) < 380
    ]


def columns(figure) -> dict[str, list[str]]:
    """The numbers of a picture by head."""
    (numbers,) = figure.numbers
    return {head: [row[at] for row in numbers.rows] for at, head in enumerate(numbers.heads)}


def _named_paths(figure) -> Iterator[tuple[str, str]]:
    for each in root_of(figure).iter(f"{SVG}path"):
        title = each.find(f"{SVG}title")
        if title is not None:
            yield title.text or "", each.attrib["d"]


def _numbers(path: str) -> np.ndarray:
    return np.array([float(text) for text in re.findall(r"[-\d.]+", path)]).reshape(-1, 2)
