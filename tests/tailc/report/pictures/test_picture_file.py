"""Files with pictures: the figures of a page, whole and alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tailc.errors import TailcError
from tailc.report.pictures.axis import linear
from tailc.report.pictures.picture_file import picture_bytes, picture_svg
from tailc.report.pictures.plot import HEIGHT, WIDTH, LegendEntry, Plot
from tailc.report.pictures.styles import file_style, page_style
from tests.tailc.report.hash_seeds import with_hash_seed
from tests.tailc.report.pictures.drawings import SVG

NAME = '<script>alert("1 & 2")</script>\x1b\ud800'


def figure_of(ident="one", title="A title", name="a line", height=HEIGHT):
    plot = Plot(linear("x", 0, 1), linear("y", 0, 1), (LegendEntry(name, "t0"),), height)
    marks = [plot.line([(0, 0), (1, 1)], "t0"), plot.dot((0.5, 0.5), "t1", name)]
    return plot.figure(ident, title, f"What {name} is.", (), marks)


def placed(text):
    """Of each picture in a file its place and its size."""
    for group in ElementTree.fromstring(text).findall(f"{SVG}g"):
        left, top = map(float, re.findall(r"[\d.]+", group.attrib["transform"]))
        svg = group.find(f"{SVG}g/{SVG}svg")
        yield left, top, float(svg.attrib["width"]), float(svg.attrib["height"])


def test_a_file_has_the_very_picture_of_the_page():
    figure = figure_of()
    assert figure.svg in picture_svg([figure])
    assert picture_bytes(Path("a.svg"), [figure]) == picture_svg([figure]).encode()


def test_a_file_needs_nothing_else():
    text = picture_svg([figure_of()])
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    assert "var(" not in style
    assert not re.search(r"url\(|@import|href", text)
    assert "#0b5fa5" in style
    # It is light, and a page is dark too.
    assert "prefers-color-scheme" not in style
    assert "prefers-color-scheme: dark" in page_style()


def test_every_class_of_colour_of_a_page_is_in_a_file():
    rules = re.findall(r"(\.[\w.-]+)[^{}]*\{", page_style().split("@media print")[1])
    assert set(rules) - set(re.findall(r"(\.[\w.-]+)[^{}]*\{", file_style())) == set()


def test_names_are_text_and_a_file_is_well_formed():
    data = picture_bytes(Path("a.svg"), [figure_of(title=NAME, name=NAME)], heading=NAME)
    root = ElementTree.fromstring(data)
    shown = '<script>alert("1 & 2")</script>\\x1b\\xd800'
    headings = [one.text for one in root.iter(f"{SVG}text") if "heading" in one.attrib["class"]]
    assert headings == [shown, shown]
    assert [one.tag for one in root.iter() if "script" in one.tag] == []


def test_pictures_fill_the_shortest_column_and_do_not_overlap():
    tall, low = figure_of("a", height=600.0), figure_of("b", height=200.0)
    text = picture_svg([tall, low, low, tall], columns=2)
    boxes = list(placed(text))
    assert [(left, round(top)) for left, top, _, _ in boxes] == [
        (0, 12), (WIDTH, 12), (WIDTH, 266), (WIDTH, 520)
    ]  # fmt: skip
    root = ElementTree.fromstring(text)
    assert float(root.attrib["width"]) == 2 * WIDTH
    assert float(root.attrib["height"]) == max(top + 42 + high for _, top, _, high in boxes) + 12


def test_a_png_is_twice_as_large_and_has_its_text():
    figure = figure_of()
    data, same = (picture_bytes(Path("a.PNG"), [figure]) for _ in range(2))
    assert data == same
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    wide, tall = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert (wide, tall) == (2 * WIDTH, 2 * (HEIGHT + 66))
    # Without its letters, it would be the picture without names.
    assert data != picture_bytes(Path("a.png"), [figure_of(title="Another")])


@pytest.mark.parametrize("library", ["resvg_py", "font_lato"])
def test_a_png_without_a_library_says_what_to_install(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TailcError) as raised:
        picture_bytes(Path("a.png"), [figure_of()])
    (finding,) = raised.value.findings
    assert (finding.code.name, finding.code.exit_code) == ("MISSING_PART", 69)
    assert f"needs `{library}`" in finding.message
    assert "pip install 'tailc[plot]'" in finding.help
    assert picture_bytes(Path("a.svg"), [figure_of()])


def test_the_same_plan_has_the_same_bytes_in_every_process():
    code = """
    from pathlib import Path
    from tailc.report.pictures.job_stack import jobs_figure
    from tailc.report.pictures.picture_file import picture_bytes
    from tailc.report.pictures.power_series import power_from_plan
    from tailc.report.pictures.power_stack import power_figures
    plan = policy_of("plan-cluster").plan
    figures = [*power_figures(power_from_plan(plan)), jobs_figure(plan)]
    written = picture_bytes(Path("a.svg"), figures)
    """
    assert with_hash_seed("1", code) == with_hash_seed("2", code)
