"""The C++ runtime beyond what every reader is asked: its parts, and builds of other kinds."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tailc.artifact.files import write_policy
from tailc.artifact.seal import seal
from tests.runtimes import cpp
from tests.runtimes.conformance import Reader
from tests.runtimes.cpp import build
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.tailc.artifact.published import VECTORS, lucene_policy

SANITIZED = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
RACES = "-O1 -g -fsanitize=thread"
# GCC fuses from -O2 on, and where the expensive part of -O2 is asked for alone; Clang always does.
FUSED = "-O1 -fexpensive-optimizations -march=native -ffp-contract=fast"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return cpp.reader(tmp_path_factory)


@pytest.mark.fuzz
def test_answers_are_the_same_where_operations_are_fused_and_nobody_signs(tmp_path: Path) -> None:
    """Estimates by a compiler that fuses; signed files by a reader that cannot check them."""
    built = build(tmp_path, FUSED, "vectors", signatures="OFF")
    assert built.run("vectors", VECTORS)[-1].endswith(" 0 wrong")


def later_policy(folder: Path) -> Path:
    """The policy `lucene` as generation 2."""
    return write_policy(replace(lucene_policy(), generation=2), folder / "later")[1]


def test_arguments_counters_and_reloads_are_as_documented(built: Reader, tmp_path: Path) -> None:
    assert built.run("api", VECTORS, later_policy(tmp_path)) == ["signatures", "0 not so"]


def test_files_are_followed_and_demands_logged_as_documented(built: Reader, tmp_path: Path) -> None:
    """Answers are whole while a policy changes a thousand times a second."""
    assert built.run("files", VECTORS, tmp_path, 0.5) == ["0 not so"]


def test_a_scheduler_gives_requests_the_threads_of_their_policy(
    built: Reader, tmp_path: Path
) -> None:
    assert built.run("scheduler", VECTORS, tmp_path) == ["0 not so"]


def test_states_of_plans_are_read_and_written_as_by_other_runtimes(
    built: Reader, tmp_path: Path
) -> None:
    assert built.run("states", VECTORS, tmp_path) == ["0 not so"]


def hashed(built: Reader, messages: Sequence[bytes]) -> list[str]:
    """The digests, which are the same by the processor's instructions and without them."""
    said = [line.split() for line in built.run("hashes", lines=[one.hex() for one in messages])]
    assert all(fastest == portable for fastest, portable in said)
    return [fastest for fastest, _ in said]


def test_sha_256_gives_the_published_digests(built: Reader) -> None:
    """FIPS 180-4, examples of one block, of two, of none, and of a million times `a`."""
    messages = (
        b"abc",
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        b"",
        b"a" * 1_000_000,
    )
    assert hashed(built, messages) == [
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    ]


def test_sha_256_of_every_length_up_to_five_blocks(built: Reader) -> None:
    rng = Random(1)
    messages = [rng.randbytes(size) for size in range(5 * 64 + 1)]
    wanted = [hashlib.sha256(message).hexdigest() for message in messages]
    assert hashed(built, messages) == wanted


@pytest.mark.fuzz
def test_sanitizers_find_nothing_in_vectors_and_nonsense(tmp_path: Path) -> None:
    built = build(tmp_path / "built", SANITIZED)
    assert built.run("vectors", VECTORS)[-1].endswith(" 0 wrong")
    assert built.run("api", VECTORS, later_policy(tmp_path)) == ["signatures", "0 not so"]
    (tmp_path / "files").mkdir()
    assert built.run("files", VECTORS, tmp_path / "files", 5) == ["0 not so"]
    for path in VECTORS.glob("*.tailc"):
        assert built.run("differential", path, 1, 10_000)
    assert built.run("refusals", "damages", VECTORS / "smallest.tailc")
    rng = Random(4)
    payloads = [damaged_payload(rng) for _ in range(3_000)]
    (tmp_path / "changed").mkdir()
    payloads += contradictory_payloads(rng, 3_000, tmp_path / "changed")
    (tmp_path / "sealed").mkdir()
    said = built.classified(tmp_path / "sealed", [seal(payload) for payload in payloads])
    assert {"opened", "bad-structure", "bad-meaning"} <= set(said)


@pytest.mark.fuzz
def test_no_bytes_break_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By libFuzzer, for five minutes."""
    if shutil.which("clang++") is None:
        pytest.skip("no clang++, which brings libFuzzer")
    monkeypatch.setenv("CXX", "clang++")
    built = build(tmp_path / "built", SANITIZED, "fuzz")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in VECTORS.glob("*.tailc"):
        shutil.copy(path, corpus)
    done = built.start("fuzz", "-max_total_time=300", "-max_len=65536", corpus)
    assert (done.returncode, "Done " in done.stderr) == (0, True), done.stderr[-4000:]


@pytest.mark.fuzz
def test_look_ups_steps_reloads_and_logs_do_not_race(tmp_path: Path) -> None:
    built = build(tmp_path / "built", RACES)
    assert built.run("api", VECTORS, later_policy(tmp_path)) == ["signatures", "0 not so"]
    (tmp_path / "files").mkdir()
    assert built.run("files", VECTORS, tmp_path / "files", 20) == ["0 not so"]
