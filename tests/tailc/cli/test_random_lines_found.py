"""Command lines that random ones found to end with an internal error."""

import shutil

import pytest

from tests.tailc.artifact.published import VECTORS


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("migrate p -o ''", 73, "is not a name of a file"),
        ("lint-trace toy.csv --column a --time b", 65, "there is no column `a`"),
        ("lint-trace toy.csv --column a --time ''", 65, "there is no column `a`"),
    ],
)
def test_the_line_is_refused_with_a_reason(in_folder, tailc, words, code, message):
    shutil.copy(VECTORS / "demand.tailc", "p.tailc")
    (in_folder / "toy.csv").write_text("demand_ms,arrival_s\n5,0\n6,1\nx,2\n")
    ended = tailc(*(word.strip("'") for word in words.split()))
    assert (ended.code, message in ended.err) == (code, True), ended.err
