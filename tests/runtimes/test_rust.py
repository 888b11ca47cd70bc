"""The Rust runtime: built as others build it, then against the vectors and against damage."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from tailc_runtime import PolicyError
from tailc_runtime.opening import policy_from

from tailc.artifact.seal import seal
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.tailc.artifact.published import ROOT, VECTORS

OLDEST = (1, 88)
SIGNED = "signed/good"
TESTS_PASS = "test result: ok"
RUNTIME = ROOT / "runtimes" / "rust"
# What is built stays, so that only the first run compiles what the runtime needs.
TARGET = ROOT / "build" / "rust"
BUILD = {"CARGO_TARGET_DIR": str(TARGET), "CARGO_BUILD_JOBS": "1"}


def need_cargo() -> None:
    """Skips where there is none, or one that is too old; but not in CI."""
    if shutil.which("cargo") is not None:
        said = subprocess.run(["cargo", "--version"], check=True, capture_output=True, text=True)
        if tuple(map(int, said.stdout.split()[1].split(".")[:2])) >= OLDEST:
            return
    missing = "no cargo {}.{} or later".format(*OLDEST)
    assert not os.environ.get("CI"), missing
    pytest.skip(missing)


def cargo(*arguments: str, **variables: str) -> list[str]:
    """The lines that a command of cargo prints; it must succeed."""
    need_cargo()
    done = subprocess.run(
        ["cargo", *arguments],
        cwd=RUNTIME,
        env={**os.environ, **BUILD, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout.splitlines()


@dataclass(frozen=True)
class Built:
    program: Path

    def start(self, *arguments: object, text: str = "") -> subprocess.CompletedProcess[str]:
        command = [self.program, *map(str, arguments)]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    def run(self, *arguments: object, lines: list[str] | None = None) -> list[str]:
        """The lines that the program prints, given `lines`; it must succeed."""
        done = self.start(*arguments, text="".join(f"{line}\n" for line in lines or ()))
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.splitlines()


def runtime() -> Built:
    cargo("build", "-p", "conformance")
    return Built(TARGET / "debug" / "conformance")


@pytest.fixture(scope="module")
def built() -> Built:
    return runtime()


def python_says(data: bytes) -> str:
    try:
        policy_from(data)
    except PolicyError as error:
        return error.name
    return "opened"


def test_every_vector_is_answered_as_expected(built: Built) -> None:
    answers, *others = built.run("vectors", VECTORS)
    assert not others
    count, right = answers.split(" answers, ")
    assert int(count) > 9_500
    assert right == "0 wrong"


def test_what_vectors_do_not_tell_is_as_documented() -> None:
    assert TESTS_PASS in "\n".join(cargo("test", "-F", "signatures", "--test", "runtime"))


def test_a_reader_without_signatures_trusts_nothing() -> None:
    assert TESTS_PASS in "\n".join(cargo("test", "--test", "without_signatures"))


def test_drawn_questions_are_summed_up_once_in_4096_and_at_the_end(built: Built) -> None:
    policy = VECTORS / "lucene.tailc"
    lines = built.run("differential", policy, 7, 10_000)
    assert len(lines) == 3
    assert lines[:2] == built.run("differential", policy, 7, 8_192)
    assert lines[0] not in built.run("differential", policy, 8, 8_192)


def test_a_wrong_answer_is_reported_with_what_was_wanted(built: Built, tmp_path: Path) -> None:
    for folder in ("refused", "levels", "steps", "shares", "plans"):
        (tmp_path / folder).mkdir()
    (tmp_path / "refused" / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    done = built.start("vectors", tmp_path)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


@pytest.mark.parametrize(("name", "whole"), [("smallest", 0), ("plan-smallest", 0), (SIGNED, 1)])
def test_every_damage_is_refused_as_python_refuses_it(built: Built, name: str, whole: int) -> None:
    """All single-bit flips, all truncations, all appended bytes.

    What is cut just before its signature is whole, and no key is trusted.
    """
    path = VECTORS / f"{name}.tailc"
    data = path.read_bytes()
    flips = [bytearray(data) for _ in range(len(data) * 8)]
    for at, flipped in enumerate(flips):
        flipped[at // 8] ^= 1 << at % 8
    cut = [data[:size] for size in range(len(data))]
    longer = [data + bytes([byte]) for byte in range(256)]
    wanted = [python_says(bytes(damaged)) for damaged in (*flips, *cut, *longer)]
    assert wanted.count("opened") == whole
    assert built.run("refusals", "damages", path) == wanted


def classified(built: Built, folder: Path, files: list[bytes]) -> list[str]:
    paths = [folder / f"{number}.tailc" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    return built.run("refusals", "files", lines=[str(path) for path in paths])


def test_what_python_refuses_of_sealed_nonsense_is_refused(built: Built, tmp_path: Path) -> None:
    """Only structure may be refused more strictly: all of it is verified, evidence included."""
    rng = Random(3)
    files = [seal(damaged_payload(rng)) for _ in range(400)]
    said = classified(built, tmp_path, files)
    pairs = set(zip(map(python_says, files), said, strict=True))
    assert ("opened", "opened") in pairs
    assert {ours for python, ours in pairs if python == "opened"} <= {"opened", "bad-structure"}
    assert {ours for python, ours in pairs if python == "bad-meaning"} <= {
        "bad-meaning",
        "bad-structure",
    }
    assert ("bad-structure", "opened") not in pairs


def test_a_policy_that_contradicts_itself_is_refused_alike(built: Built, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(5), 800, tmp_path)]
    said = classified(built, tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if said[at] != wanted[at]]
    assert not differ, [(at, said[at], wanted[at]) for at in differ[:5]]
    assert {"opened", "bad-meaning", "bad-structure"} <= set(said)


@pytest.mark.fuzz
def test_nothing_panics_in_many_drawn_files() -> None:
    """Each run draws others; what panics is printed, made as small as it can be."""
    said = cargo("test", "-F", "signatures", "any_bytes", PROPTEST_CASES="20000")
    assert TESTS_PASS in "\n".join(said)


@pytest.mark.fuzz
def test_a_file_may_be_swapped_for_long() -> None:
    said = cargo("test", "-F", "signatures", "swaps", TAILC_SWAPS_S="20")
    assert TESTS_PASS in "\n".join(said)
