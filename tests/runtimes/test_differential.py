"""All runtimes are asked the same drawn questions, and give the same answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from tailc_runtime.differential import checksums, draws

from tests.runtimes import c
from tests.runtimes.readers import READERS
from tests.tailc.artifact.published import VECTORS

# Of every form, with a controller and without, and the extremes of each.
POLICIES = sorted(path.name for path in VECTORS.glob("*.tailc"))
SEED, FUZZ_SEED = 1, 2
# Of each policy: a quarter of a million of all, and a hundred millions.
QUESTIONS = -(-250_000 // len(POLICIES))
FUZZ_QUESTIONS = -(-100_000_000 // len(POLICIES))
# Rungs with few fields, with every field, and on cores, half a million questions each.
RUNGS = ("settings.tailc", "settings-every.tailc", "cores-lanes.tailc")
RUNG_QUESTIONS = 500_000

# The lines that a runtime prints for a policy, a seed and a number of questions: a checksum of all
# answers so far after every 4,096 of them.
Ask = Callable[[str, int, int], list[str]]


def asker(language: str, factory: pytest.TempPathFactory) -> Ask:
    reader = READERS[language](factory)
    return lambda policy, seed, count: reader.run("differential", VECTORS / policy, seed, count)


@pytest.fixture(scope="module", params=READERS)
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    return asker(request.param, tmp_path_factory)


@cache
def python_says(policy: str) -> list[str]:
    return [f"{one:016x}" for one in checksums(VECTORS / policy, SEED, QUESTIONS)]


@pytest.mark.parametrize("policy", POLICIES)
def test_drawn_questions_are_answered_as_python_answers_them(ask: Ask, policy: str) -> None:
    assert ask(policy, SEED, QUESTIONS) == python_says(policy)


@pytest.mark.parametrize("policy", [name for name in POLICIES if not name.startswith("plan")])
def test_the_library_for_c_answers_as_python_does(
    tmp_path_factory: pytest.TempPathFactory, policy: str
) -> None:
    """It has no prices of plans."""
    got = c.reader(tmp_path_factory).run("differential", VECTORS / policy, SEED, QUESTIONS)
    assert got == python_says(policy)


def test_other_questions_have_other_answers() -> None:
    policy = VECTORS / "lucene.tailc"
    assert checksums(policy, 1, 5_000)[0] == checksums(policy, 1, 4_096)[0]
    assert checksums(policy, 1, 4_096) != checksums(policy, 2, 4_096)


def test_the_first_draws_are_those_of_splitmix64() -> None:
    """Of seed 1234567, as its published C code (Vigna, 2015) gives them."""
    below = draws(1_234_567)
    assert [below(2**64) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ask]:
    return {name: asker(name, tmp_path_factory) for name in READERS}


@pytest.mark.fuzz
@pytest.mark.parametrize("policy", POLICIES)
def test_many_questions_are_answered_alike(compiled: dict[str, Ask], policy: str) -> None:
    said = {name: ask(policy, FUZZ_SEED, FUZZ_QUESTIONS) for name, ask in compiled.items()}
    differ = {name for name, lines in said.items() if lines != said["cpp"]}
    assert not differ
    assert len(said["cpp"]) == -(-FUZZ_QUESTIONS // 4_096)


@pytest.mark.fuzz
@pytest.mark.parametrize("policy", RUNGS)
def test_fields_of_rungs_are_answered_as_python_answers_them(
    compiled: dict[str, Ask], policy: str
) -> None:
    said = {name: ask(policy, FUZZ_SEED, RUNG_QUESTIONS) for name, ask in compiled.items()}
    ours = [f"{one:016x}" for one in checksums(VECTORS / policy, FUZZ_SEED, RUNG_QUESTIONS)]
    assert {name for name, lines in said.items() if lines != ours} == set()
    assert len(ours) == -(-RUNG_QUESTIONS // 4_096)
