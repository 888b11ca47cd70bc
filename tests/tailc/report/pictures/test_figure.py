import base64
import csv
import io

import pytest

from tailc.report.pictures.figure import Numbers
from tailc.report.pictures.svg import element, number, path


def test_the_link_holds_the_rows():
    numbers = Numbers("map", ("load", "rung"), (("1 to 2", 'a "b", c'), ("3", "é")))
    kind, _, coded = numbers.link.partition(",")
    assert kind == "data:text/csv;base64"
    read = list(csv.reader(io.StringIO(base64.b64decode(coded).decode())))
    assert read == [["load", "rung"], ["1 to 2", 'a "b", c'], ["3", "é"]]


@pytest.mark.parametrize("cell", ["=1+1", "+cmd", "-x", "@SUM(A1)"])
def test_no_cell_is_a_formula(cell):
    assert f"'{cell}" in Numbers("n", ("a",), ((cell,),)).csv


@pytest.mark.parametrize("cell", ["-1.5", "2e-05", "12"])
def test_numbers_stay_numbers(cell):
    assert Numbers("n", ("a",), ((cell,),)).csv == f"a\r\n{cell}\r\n"


def test_text_and_attributes_are_escaped_and_elements_are_not():
    inner = element("title", "<b>\x1b")
    assert element("g", inner, class_='a"b') == (
        '<g class="a&#34;b"><title>&lt;b&gt;\\x1b</title></g>'
    )


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (1.234, "1.23"), (-0.001, "0"), (1e20, "1" + "0" * 20)]
)
def test_numbers_have_no_exponent_and_no_needless_zeros(value, text):
    assert number(value) == text


def test_a_path_goes_through_its_points():
    assert path([(0, 1), (2.5, 3)]) == "M0 1L2.5 3"
