"""The Java runtime beyond what every reader is asked: drawn nonsense."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tailc.artifact.seal import seal
from tests.runtimes import java
from tests.runtimes.conformance import Reader, python_says
from tests.runtimes.damage import contradictory_payloads
from tests.tailc.artifact.published import VECTORS


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return java.reader(tmp_path_factory)


@pytest.mark.fuzz
def test_nonsense_is_refused_or_safe_to_ask(built: Reader) -> None:
    """Nothing but a refusal stops an opening, and what is opened answers."""
    opened, *refused = built.run("nonsense", VECTORS, 1, 300_000)
    assert int(opened.removeprefix("opened ")) > 10_000
    words = {line.split()[0] for line in refused}
    assert {"bad-structure", "bad-meaning", "unknown-rule", "unknown-form"} <= words
    assert words.isdisjoint({"truncated", "hash-mismatch"})


@pytest.mark.fuzz
def test_many_contradictions_are_refused_alike(built: Reader, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(6), 6_000, tmp_path)]
    said = built.classified(tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if said[at] != wanted[at]]
    assert not differ, [(at, said[at], wanted[at]) for at in differ[:5]]
