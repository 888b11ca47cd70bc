"""A formatted spec means the same, has the same comments, and is not changed a second time."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tailc.errors import TailcError
from tailc.specs.formatting import format_spec
from tailc.specs.formatting.spelling import spell_quantity
from tailc.specs.load import check_document
from tests.tailc.specs.any_text_case import edited
from tests.tailc.specs.many_specs_case import good_specs, loaded, models
from tests.tailc.specs.writing import GOOD, MODELS, checked, document

UGLY = """\
# The search tier.

kind:  few-to-many
apiVersion: tailc/v1 # the first


name: "ugly"   # kept as it is
# above the server
server:   # of last year
      quantum: 05.0 ms
      # how many
      cores: 15
      target_parallelism: [24,  28]
      # below the server
slo:
- {latency:   "0.50 s",percentile: 99.0%,  window: 2000   requests}
- percentile: 50%
  latency: 100ms   # the median
demand: {
    trace: t.csv, column: d,   # over lines
    unit: ms, measure: demand-busy, reference: 500 ms}
speedup:
- 1
- 1.9
rates: [ 30 /s, 040/s ]
# the end
"""
PRETTY = """\
# The search tier.

apiVersion: tailc/v1 # the first
kind: few-to-many

name: "ugly"   # kept as it is
slo:
  - {percentile: 99%, latency: 0.5s, window: 2000 requests}
  - percentile: 50%
    latency: 100ms   # the median
demand: {
    trace: t.csv, column: d,   # over lines
    unit: ms, measure: demand-busy, reference: 500 ms}
speedup:
  - 1
  - 1.9
# above the server
server:   # of last year
  # how many
  cores: 15
  target_parallelism: [24, 28]
  quantum: 5ms
  # below the server
rates: [30/s, 40/s]
# the end
"""

_PIECES = [
    *("#c\n", "\n#c\n", "  # c", "\n\n\n", "  ", " ", "\n", ",", "- ", "'", '"', "{", "}"),
    *(
        "name: b\n",
        "rates: [1.0 /s]\n",
        "\n    # deep\n",
        "\nsearch:\n    step: 1 ms\n",
        "&a ",
        "| ",
    ),
]
_edits = st.lists(
    st.tuples(st.integers(0, 500), st.integers(0, 2), st.sampled_from(_PIECES)), max_size=4
)


def again(text: str) -> str:
    return format_spec(check_document(document(text), MODELS), MODELS)


def comments(text: str) -> list[str]:
    return sorted(re.findall(r"(?:^|\s)(#.*?)\s*$", text, re.MULTILINE))


def test_keys_have_one_order_quantities_one_spelling_and_comments_stay():
    assert again(UGLY) == PRETTY


def test_the_metric_of_an_objective_comes_before_its_percentile():
    late = GOOD.replace("latency: 500ms}", "latency: 500ms, metric: latency}")
    early = GOOD.replace("{percentile", "{metric: latency, percentile")
    assert again(late) == early


@pytest.mark.parametrize("text", [PRETTY, GOOD])
def test_what_is_in_the_layout_stays_as_it_is(text):
    assert again(text) == text


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (("name: websearch-isn", "name: &a websearch-isn"), "name: &a websearch-isn"),
        (("demand_ms", "|-\n    demand_ms"), "column: |-\n    demand_ms\n"),
        (("15,", "15,\n  "), "server: {cores: 15,\n   target_parallelism"),
    ],
)
def test_a_rare_layout_is_kept(change, kept):
    assert kept in again(GOOD.replace(*change))


@given(st.sampled_from([GOOD, UGLY]), st.permutations(range(8)), _edits)
@settings(max_examples=250)
def test_a_formatted_spec_means_the_same_and_stays(base, places, edits):
    # Blocks of the top level in any order, then edits; most of what comes of it is a spec still.
    blocks = re.split(r"^(?=\w)", base, flags=re.MULTILINE)
    head, keys = blocks[0], blocks[1:]
    text = edited(head + "".join(keys[at] for at in places if at < len(keys)), edits)
    try:
        before = checked(text)
    except TailcError:
        return
    once = again(text)
    assert checked(once) == before
    assert comments(once) == comments(text)
    assert again(once) == once


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(4))
def test_many_formatted_specs_of_all_kinds_mean_the_same_and_stay(seed: int) -> None:
    rng = random.Random(seed)
    cases = 0
    while cases < 25_000:
        text = with_random_layout(rng)
        try:
            before = loaded(text)
        except TailcError:
            continue
        cases += 1
        once = format_spec(before, models())
        after = loaded(once)
        assert after.model == before.model, text
        assert comments(once) == comments(text), text
        assert format_spec(after, models()) == once, text


def with_random_layout(rng: random.Random) -> str:
    """A spec of any kind with its blocks in any order, and up to four edits of its layout."""
    head, *blocks = re.split(r"^(?=\w)", rng.choice([*good_specs(), UGLY]), flags=re.MULTILINE)
    if rng.random() < 0.5:
        rng.shuffle(blocks)
    edits = [
        (rng.randrange(1_500), rng.choice([0, 0, 0, 1, 2]), rng.choice(_PIECES))
        for _ in range(rng.randint(0, 4))
    ]
    return edited(head + "".join(blocks), edits)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("500 ms", "500ms"),
        ("0500.0ms", "500ms"),
        (".5s", "0.5s"),
        ("99.90 %", "99.9%"),
        ("2000requests", "2000 requests"),
        ("1 requests", "1 request"),
        ("2.40GHz", "2.4GHz"),
        ("100/s", "100/s"),
        ("ms", None),
        ("p99", None),
        ("1", None),
    ],
)
def test_a_quantity_has_one_spelling(text, wanted):
    assert spell_quantity(text) == wanted
