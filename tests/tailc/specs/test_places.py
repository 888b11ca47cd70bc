"""How often the first error of a spec is at the word that was changed."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass

import pytest

from tailc.errors import Place, TailcError
from tests.tailc.specs.many_specs_case import good_specs, loaded

WORD = re.compile(r"[A-Za-z_][\w./-]*|[0-9][\w.%/-]*|[\[\]{}:,]|\S")
OTHERS = ["zebra", "-7ms", "17", "[", "}", '"', ":", "&x", "5%", "null", ",", "1e999", "0"]
CHANGES = 1_000
# The aims are 0.95 and 0.99. Most of the rest are brackets, quotes and colons.
COVERS, SAME_LINE = 0.5, 0.85


@dataclass(frozen=True)
class Change:
    """A spec with one word deleted, replaced or inserted, and the place of that."""

    text: str
    line: int
    column: int
    width: int

    def is_covered_by(self, place: Place) -> bool:
        if place.line != self.line or place.column is None:
            return False
        return self.column - place.width <= place.column <= self.column + self.width


def changed(rng: random.Random) -> Change:
    lines = rng.choice(good_specs()).split("\n")
    words = [
        (number, found)
        for number, line in enumerate(lines)
        for found in WORD.finditer(line.split(" #")[0])
        if not line.startswith("#")
    ]
    number, found = rng.choice(words)
    line, word = lines[number], rng.choice(OTHERS)
    begin, end = found.span()
    how = rng.choice(["delete", "replace", "insert"])
    new = {"delete": "", "replace": word, "insert": f"{word} {found.group()}"}[how]
    lines[number] = line[:begin] + new + line[end:]
    width = 0 if how == "delete" else len(word)
    return Change("\n".join(lines), number + 1, begin + 1, width)


@pytest.mark.fuzz
def test_the_first_error_is_mostly_at_the_changed_word() -> None:
    rng = random.Random(1)
    counts: Counter[str] = Counter()
    while counts["all"] < CHANGES:
        change = changed(rng)
        try:
            loaded(change.text)
        except TailcError as refused:
            place = refused.findings[0].place
            assert place is not None
            counts["all"] += 1
            counts["covers"] += change.is_covered_by(place)
            counts["same line"] += place.line == change.line
    print(dict(counts))
    assert counts["covers"] >= COVERS * CHANGES
    assert counts["same line"] >= SAME_LINE * CHANGES
