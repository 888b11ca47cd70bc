"""The fast parser reads what is plain as the careful one does, and leaves the rest to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.specs.compose import compose
from tailc.specs.plain_yaml import compose_plain
from tests.tailc.specs.any_text_case import edited
from tests.tailc.specs.writing import GOOD

_PIECES = [*" :,-[]{}#a1\n'\"~.@`", "a: ", "b: ", "- ", "\n  ", "99%", " # µs\n", "\n\n", "<<: "]
_edits = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 4), st.sampled_from(_PIECES)), max_size=3
)


def agrees(text: str) -> bool:
    """Whether the parsers give the same tree, spans included, where the fast one gives one."""
    fast = compose_plain(text)
    return fast is None or fast == compose(text, "spec.yaml")


def test_a_plain_spec_is_read_fast_and_as_the_careful_parser_reads_it():
    assert compose_plain(GOOD) == compose(GOOD, "spec.yaml")


@given(_edits)
@settings(max_examples=250, deadline=None, derandomize=True)
def test_an_edited_spec_means_the_same_to_both_parsers(edits: list[tuple[int, int, str]]):
    assert agrees(edited(GOOD, edits))


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_plain_text_means_the_same_to_both_parsers(text: str):
    assert agrees(f"a: {text}\n")


@pytest.mark.parametrize(
    "text",
    [
        "\n",
        "a: &one 1\nb: *one\n",
        "a: !!str 1\n",
        "a: |\n  text\n",
        'a: "\\u0041"\n',
        "a:\tb\n",
        "a: b\r\n",
        "a: \u2028\n",
        "? a\n: b\n",
        "--- \na: b\n",
        "a: b",
        "a:\n",
        "a: 1\na: 2\n",
        "a: 1\n<<: 2\n",
        "[a]: 1\n",
        "- a\n",
        "a: [1\n",
        f"a: {'9' * 50}\n",
        "a: " + "[" * 20 + "]" * 20 + "\n",
    ],
)
def test_what_is_not_plain_or_not_right_is_left_to_the_careful_parser(text: str):
    assert compose_plain(text) is None
