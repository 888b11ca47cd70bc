"""The table of expectations is complete, and what it names exists."""

from __future__ import annotations

import re
from collections import Counter

from tailc.cli import COMMANDS
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "expectations.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+ \|", line)
]


def test_rows_are_numbered_and_counted() -> None:
    assert [int(row[0]) for row in ROWS] == list(range(1, 84))
    states = Counter(row[2] for row in ROWS)
    assert states.keys() == {"whole", "partly", "not"}
    counted = re.search(r"(\d+) are whole, (\d+) are met in part, and (\d+) are\s+not met", PAGE)
    assert counted
    assert [int(count) for count in counted.groups()] == [
        states["whole"],
        states["partly"],
        states["not"],
    ]


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
