"""Artifacts that lie, on the command line in one process: refused as the readers refuse them."""

import re

import pytest

from tests.runtimes.conformance import WORDS, python_says
from tests.runtimes.lies import LIES, lies

CODES = {code.ident: word for code, word in WORDS.items()}


def refusal_in(ended):
    """The word for the code of what a command refuses; `opened` where it does not."""
    if ended.code == 0:
        return "opened"
    return CODES[re.search(r"error\[(TC\d+)\]", ended.err)[1]]


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *((kind, 25) for kind in LIES),
        *(pytest.param(kind, 2_500, marks=pytest.mark.fuzz) for kind in LIES),
    ],
)
def test_what_a_reader_refuses_inspect_refuses_alike(in_folder, tailc, kind, count):
    """It refuses more, since it looks at evidence, and opens nothing that it would not write."""
    for data in lies(kind, count, count):
        (in_folder / "p.tailc").write_bytes(data)
        ended = tailc("inspect", "p.tailc")
        assert ended.code in (0, 5, 65)
        reader, ours = python_says(data), refusal_in(ended)
        allowed = {"opened", "bad-meaning", "bad-structure", "hash-mismatch"}
        assert ours == reader if reader != "opened" else ours in allowed, (kind, reader, ours)
