"""One rule of structure: what is laid out wrongly is refused with the same word by every reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from tailc.artifact.seal import seal, unseal
from tests.runtimes.broken import BROKEN, broken_payload, refusal_of
from tests.runtimes.conformance import Reader, decoder_says, python_says, written
from tests.runtimes.damage import by_flatc
from tests.runtimes.lies import LIES, lies
from tests.runtimes.readers import READERS
from tests.tailc.artifact.published import VECTORS

BY_FLATC = ("smallest", "demand", "tails-smallest", "plan-smallest", "shares", "estimates")
# A wrong word of one reader shows in fewer: of each kind a tenth is refused for its meaning.
LIES_EACH = 250
MILLION = 1_000_000
# Files that one process of each reader opens: its start is a small part of its time.
BATCH = 25_000


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return READERS[request.param](tmp_path_factory)


def test_a_broken_structure_is_refused_with_the_word_of_the_page(
    reader: Reader, tmp_path: Path
) -> None:
    files = [seal(broken_payload(case)) for case in BROKEN]
    said = dict(zip(BROKEN, reader.classified(tmp_path, files), strict=True))
    assert said == {case: refusal_of(case) for case in BROKEN}


@pytest.mark.parametrize("case", BROKEN)
def test_python_and_tailc_refuse_a_broken_structure_alike(case: str) -> None:
    data = seal(broken_payload(case))
    assert python_says(data) == decoder_says(data) == refusal_of(case)


def test_what_flatc_writes_is_opened_by_every_reader(reader: Reader, tmp_path: Path) -> None:
    """It begins empty vectors of 8 bytes at multiples of 4."""
    files = [seal(payload) for payload in by_flatc(BY_FLATC, tmp_path)]
    assert reader.classified(tmp_path, files) == ["opened"] * len(files)
    assert [python_says(data) for data in files] == ["opened"] * len(files)
    assert {decoder_says(data) for data in files} == {"bad-structure"}
    ours = [unseal((VECTORS / f"{name}.tailc").read_bytes()) for name in BY_FLATC]
    assert [unseal(data) for data in files] != ours


@pytest.mark.parametrize("kind", LIES)
def test_lies_are_refused_alike(reader: Reader, kind: str, tmp_path: Path) -> None:
    files = list(lies(kind, 1, LIES_EACH))
    assert reader.classified(tmp_path, files) == [python_says(data) for data in files]


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", LIES)
def test_a_million_lies_are_refused_alike(
    kind: str, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """A quarter of a million of each kind, over five readers."""
    readers = {name: make(tmp_path_factory) for name, make in READERS.items()}
    for seed in range(MILLION // len(LIES) // BATCH):
        files = list(lies(kind, 1_000 + seed, BATCH))
        paths = written(tmp_path, files)
        wanted = [python_says(data) for data in files]
        for name, reader in readers.items():
            said = reader.words(paths)
            differ = [at for at in range(BATCH) if said[at] != wanted[at]]
            assert not differ, (name, seed, [(at, said[at], wanted[at]) for at in differ[:5]])
