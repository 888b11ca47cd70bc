"""Lines that may give: which a spec has, in steps of what is written."""

import pytest

from tailc.policies import EVERY, KINDS, SoftLine
from tailc.specs.document import parse_document
from tailc.specs.sentences import Spot
from tailc.specs.tree import plain
from tailc.studies.conflicts.lines import lines_of, with_values

TEXT = """\
target: 390ms
slo:
  - {latency: 0.4s}
  - {latency: 2000 requests}
server: {cores: 15, power: 2.5, most: 5%, name: web, on: true, none: 0}
"""
DOCUMENT = parse_document(TEXT, "service.yaml")


def line_at(*path):
    (found,) = lines_of(DOCUMENT, [SoftLine(path)])
    return found


@pytest.mark.parametrize(
    ("path", "more"),
    [
        (("target",), "391ms"),
        (("server", "cores"), 16),
        (("server", "power"), 2.6),
        (("server", "most"), "5.1%"),
    ],
)
def test_a_step_is_one_of_the_last_digit_and_no_coarser_than_a_tenth(path, more):
    found = line_at(*path)
    assert found.value(found.written + 1) == more


def test_every_item_of_a_list_is_a_line():
    lines = list(lines_of(DOCUMENT, [SoftLine(("slo", EVERY, "latency"))]))
    assert [line.path for line in lines] == [("slo", 0, "latency"), ("slo", 1, "latency")]
    assert [line.text for line in lines] == ["0.4s", "2000requests"]
    assert lines[0].value(lines[0].written + 1) == "0.41s"


@pytest.mark.parametrize("key", ["name", "on", "none", "absent"])
def test_what_is_no_quantity_is_no_line(key):
    assert list(lines_of(DOCUMENT, [SoftLine(("server", key))])) == []


def test_a_line_goes_no_further_than_the_one_it_is_below():
    (line,) = lines_of(DOCUMENT, [SoftLine(("target",), below=("slo", 0, "latency"))])
    written = plain(DOCUMENT.root)
    assert with_values(written, [line], {("target",): 399})["target"] == "399ms"
    assert with_values(written, [line], {("target",): 500})["target"] == "0.4s"
    assert written["target"] == "390ms"


# Each trial of a relaxed limit of token budgets would be a whole search.
WITHOUT_LINES = {"llm-batching"}


def test_only_kinds_whose_trials_are_searches_have_no_lines():
    assert {kind for kind in KINDS if not KINDS[kind].soft_lines} == WITHOUT_LINES


@pytest.mark.parametrize("kind", sorted({*KINDS} - WITHOUT_LINES))
def test_every_line_of_a_kind_is_a_key_that_it_has(kind):
    model = KINDS[kind].spec_model
    paths = [line.path for line in KINDS[kind].soft_lines]
    for *owner, key in paths:
        steps = tuple(0 if step == EVERY else step for step in owner)
        assert key in Spot(model, (*steps, key)).siblings
