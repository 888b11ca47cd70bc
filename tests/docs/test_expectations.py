"""The tables of expectations and of reliability are complete, and what they name exists."""

from __future__ import annotations

import re
from collections import Counter

from tailc.cli import COMMANDS
from tests.docs.blocks import ROOT

STATES = {"whole", "partly", "not"}


def rows_of(page: str) -> list[list[str]]:
    """Cells of the numbered rows of all tables of a page."""
    lines = [line for line in page.splitlines() if re.match(r"\| \d+ \|", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def check_counts(rows: list[list[str]], counts: re.Match[str] | None) -> None:
    """The three counts of the page are those of the states in its third column."""
    states = Counter(row[2] for row in rows)
    # A state may have no row.
    assert states.keys() <= STATES
    assert counts
    stated = [int(count) for count in counts.groups()]
    assert stated == [states["whole"], states["partly"], states["not"]]


PAGE = (ROOT / "docs" / "expectations.md").read_text(encoding="utf-8")
ROWS = rows_of(PAGE)
RELIABILITY = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
TESTS = rows_of(RELIABILITY)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_rows_are_numbered_and_counted() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 84))
    counts = re.search(r"(\d+) are whole, (\d+) are met in part, and (\d+) are\s+not met", PAGE)
    check_counts(ROWS, counts)


def test_a_row_has_its_proof_or_what_is_missing() -> None:
    for number, _, state, proof, missing in ROWS:
        assert bool(missing) == (state != "whole"), number
        assert proof != "none" or state == "not", number


def test_tests_and_commands_of_rows_exist() -> None:
    for number, _, _, proof, _ in ROWS:
        if path := re.fullmatch(r"`(tests/.+)`", proof):
            assert (ROOT / path[1]).is_file(), number
        if command := re.fullmatch(r"`tailc (\w+).*`", proof):
            assert command[1] in COMMANDS, number


def test_tests_of_reliability_are_numbered_and_counted() -> None:
    assert [int(row[0]) for row in TESTS] == list(range(1, 79))
    pattern = r"(\d+) are whole, (\d+) partly\s+done and (\d+) not done"
    check_counts(TESTS, re.search(pattern, RELIABILITY))


def test_a_test_of_reliability_has_a_dated_result_or_is_not_done() -> None:
    for number, _, state, command, result, missing in TESTS:
        assert bool(missing) == (state != "whole"), number
        assert bool(command) == bool(result) == (state != "not"), number
        assert not result or re.search(r"2\d{3}-\d\d-\d\d|each run", result), number


def test_commands_of_reliability_exist() -> None:
    campaign = re.search(r"^CAMPAIGN := (.+)", MAKEFILE.replace("\\\n", " "), re.MULTILINE)
    assert campaign
    of_campaign = campaign[1].split()
    for number, _, _, command, _, _ in TESTS:
        paths = re.findall(r"tests/[\w/.]+", command)
        for path in paths:
            assert (ROOT / path).exists(), number
        if "make campaign" in command:
            assert paths[0].startswith(tuple(of_campaign)), number
        for script in re.findall(r"BENCH=(\w+)", command):
            assert (ROOT / "bench" / f"{script}.py").is_file(), number
