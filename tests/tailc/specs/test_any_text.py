"""Whatever the text, a spec loads or says what is wrong and where."""

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tailc.errors import Finding, TailcError
from tailc.policies.slow_to_fast.spec import SlowToFastSpec
from tailc.report.findings import as_text
from tailc.report.github import as_github
from tailc.specs.cores_spec import MeasuredCores
from tailc.specs.load import check_document
from tests.tailc.policies.slow_to_fast.spec_case import WRITTEN, WRONG
from tests.tailc.specs.any_text_case import edited
from tests.tailc.specs.many_specs_case import all_specs, loaded, random_edits
from tests.tailc.specs.messages_case import BROKEN
from tests.tailc.specs.writing import GOOD, checked, document

_TOKENS = [
    *" \n\t:,[]{}&*!|>-?#%@`'\"\\~.",
    *("\r", "\r\n", "\x85", "\u2028", "\u00b5", "\u754c", "\ufeff", "\0", "\x1b", "---\n", "...\n"),
    *(
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        "!!int ",
        "!!binary ",
        "!<tag:x> ",
        "%YAML 1.2\n",
        "%YAML 9\n",
    ),
    *(
        "null",
        "true",
        "yes",
        ".nan",
        "-.inf",
        "1e999",
        "0x" + "f" * 60,
        "0o17",
        "9" * 50,
        "-1",
        "0",
    ),
    *(
        "99%",
        "5ms",
        "30/s",
        "1.5.2ms",
        "-5ms",
        '"\\UFFFFFFFF"',
        '"\\ud800"',
        '"\\x00"',
        "|+9\n",
        ">-\n",
    ),
    *(
        "slo: ",
        "demand: ",
        "speedup: ",
        "server: ",
        "search: ",
        "classes: ",
        "held_out: ",
        "where: ",
    ),
    *("curve: ", "columns: ", "timings: ", "by: time", "window: ", "step: ", "cores: ", "? "),
    *("types: ", "dvfs: ", "levels: ", "power: ", "speed: ", "count: ", "row: ", "control: ", "6W"),
]
_edits = st.lists(
    st.tuples(
        st.integers(0, 500), st.integers(0, 12), st.sampled_from(_TOKENS) | st.text(max_size=4)
    ),
    min_size=1,
    max_size=6,
)


def badly_told(text: str, check: Callable[[str], object] = checked) -> list[Finding]:
    """What is wrong with the text, but not told with a place in it, or not in plain characters."""
    try:
        check(text)
    except TailcError as fault:
        lines = text.count("\n") + text.count("\r") + 1
        (as_text(fault.findings) + as_github(fault.findings)).encode()
        return [finding for finding in fault.findings if not is_well_told(finding, lines)]
    return []


def is_well_told(finding: Finding, lines: int) -> bool:
    place = finding.place
    is_placed = place is not None and 1 <= (place.line or 0) <= lines and place.column is not None
    return is_placed and all(told.isprintable() for told in (finding.message, finding.help or ""))


@given(_edits)
@settings(max_examples=400, deadline=None, derandomize=True)
@example([(0, 0, '"\\UFFFFFFFF"')])
def test_an_edited_good_spec_loads_or_says_where(edits: list[tuple[int, int, str]]) -> None:
    assert badly_told(edited(GOOD, edits)) == []


@given(st.sampled_from(sorted(BROKEN)), _edits)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_an_edited_broken_spec_loads_or_says_where(
    broken: str, edits: list[tuple[int, int, str]]
) -> None:
    assert badly_told(edited(BROKEN[broken], edits)) == []


@given(st.lists(st.sampled_from(_TOKENS), max_size=40).map("".join))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_tokens_load_or_say_where(text: str) -> None:
    assert badly_told(text) == []


def cores_of(text: str) -> object:
    """The cores that a slow-to-fast spec leads to; a table of measurements is read later."""
    model = check_document(document(text), {"slow-to-fast": SlowToFastSpec}).model
    assert isinstance(model, SlowToFastSpec)
    return None if isinstance(model.cores.powers, MeasuredCores) else model.used_cores


@given(st.sampled_from([*WRITTEN.values(), *(spec for spec, _, _ in WRONG.values())]), _edits)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_an_edited_spec_of_cores_loads_or_says_where(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    assert badly_told(edited(text, edits), cores_of) == []


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(4))
def test_many_edited_specs_of_all_kinds_load_or_say_where(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(250_000):
        text = edited(rng.choice(all_specs()), random_edits(rng, _TOKENS))
        assert badly_told(text, loaded) == [], text
