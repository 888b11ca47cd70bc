"""A conflict that is planted into a feasible spec is named, and each named line can resolve it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.tailc.studies.conflicts.test_explanation import told
from tests.tailc.toy import with_lines, write_toy

SPEC = with_lines(
    ("latency: 200ms", "latency: LATENCYms"),
    ("target_parallelism: 6", "target_parallelism: THREADS"),
    ("method: grid, step: 50ms", "method: dual, objective: threads, max_in_system: REQUESTS"),
)
Values = dict[str, int]
PATHS = {
    "slo[0].latency": "LATENCY",
    "server.target_parallelism": "THREADS",
    "search.max_in_system": "REQUESTS",
}
CONFLICTS = 200


def written(values: Values) -> str:
    text = SPEC
    for word, value in values.items():
        text = text.replace(word, str(value))
    return text


def random_values(rng: random.Random) -> Values:
    return {
        "LATENCY": rng.randint(40, 300),
        "THREADS": rng.randint(3, 12),
        "REQUESTS": rng.randint(1, 8),
    }


def tightened(values: Values, word: str, rng: random.Random) -> Values:
    """The values with a stricter one of one line; other lines have no stricter value left."""
    strictest = {"LATENCY": values["LATENCY"] // 2, "THREADS": 3, "REQUESTS": 16}[word]
    return values | {word: rng.randint(*sorted((values[word], strictest)))}


@pytest.mark.fuzz
def test_two_hundred_planted_conflicts_are_named_and_each_line_resolves_its_own(
    in_folder: Path, tailc
) -> None:
    rng = random.Random(1)

    def code_of(values: Values) -> int:
        write_toy(in_folder, written(values), trace)
        return tailc("compile", "toy.yaml", "-o", "toy").code

    found = 0
    while found < CONFLICTS:
        trace = f"request,demand_ms\n1,{rng.randint(10, 100)}\n2,{rng.randint(50, 300)}\n"
        good = random_values(rng)
        planted = rng.choice(list(PATHS))
        bad = tightened(good, PATHS[planted], rng)
        if code_of(good) != 0 or code_of(bad) != 6:
            continue
        found += 1
        _, lines = told(tailc, "compile", "toy.yaml", "-o", "toy")
        where = bad, trace, lines
        named = [line["message"].split("`")[1] for line in lines]
        assert planted in named, where
        for path, line in zip(named, lines, strict=True):
            least = int(re.findall(r"`([0-9]+)", line["help"])[0])
            stricter = least + (1 if "or less" in line["help"] else -1)
            assert code_of(bad | {PATHS[path]: least}) == 0, where
            assert code_of(bad | {PATHS[path]: stricter}) == 6, where
