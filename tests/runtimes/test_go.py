"""The Go runtime: built as others build it, then against the vectors and against damage."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from tailc_runtime import PolicyError
from tailc_runtime.opening import policy_from

from tailc.artifact.seal import seal
from tests.runtimes.building import built_once
from tests.runtimes.damage import contradictory_payloads, damaged_payload
from tests.tailc.artifact.published import ROOT, VECTORS

RUNTIME = ROOT / "runtimes" / "go"
# That of go.mod.
LEAST_VERSION = (1, 21)


def go(*arguments: object, **variables: str) -> list[str]:
    """The lines that a command of go prints; it must succeed."""
    # One package at a time: other tests run beside.
    flags = f"-p=1 {os.environ.get('GOFLAGS', '')}"
    done = subprocess.run(
        ["go", *map(str, arguments)],
        cwd=RUNTIME,
        env={**os.environ, "GOFLAGS": flags, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout.splitlines()


@dataclass(frozen=True)
class Built:
    program: Path

    def run(self, *arguments: object, lines: list[str] | None = None) -> list[str]:
        """The lines that the program prints, given `lines`; it must succeed."""
        done = subprocess.run(
            [self.program, *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines or ()),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.splitlines()


def need_go() -> None:
    """Skip without a go that is new enough, which those who must run everything have."""
    found = go("env", "GOVERSION")[0] if shutil.which("go") else "none"
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:2])
    if numbers < LEAST_VERSION:
        refuse = pytest.fail if "CI" in os.environ else pytest.skip
        refuse(f"go is {found}")


def runtime(factory: pytest.TempPathFactory) -> Built:
    need_go()

    def build(folder: Path) -> None:
        go("build", "-o", folder / "conformance", "./tests/conformance")

    return Built(built_once(factory, "go", build) / "conformance")


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
    assert int(count) > 9_000
    assert right == "0 wrong"


def test_drawn_questions_have_the_same_answers_however_many_are_asked(built: Built) -> None:
    policy = VECTORS / "plan.tailc"
    lines = built.run("differential", policy, 1, 5_000)
    assert [len(line) for line in lines] == [16, 16]
    assert built.run("differential", policy, 1, 4_096) == lines[:1]
    assert built.run("differential", policy, 2, 4_096) != lines[:1]


def test_what_vectors_do_not_tell_is_as_documented(built: Built) -> None:
    assert any(line.startswith("ok") for line in go("test", "."))


def test_the_source_is_formatted(built: Built) -> None:
    sources = [path for path in RUNTIME.rglob("*.go") if "_generated" not in path.name]
    done = subprocess.run(["gofmt", "-l", *sources], check=True, capture_output=True, text=True)
    assert done.stdout == ""


def test_a_wrong_answer_is_reported_with_what_was_wanted(built: Built, tmp_path: Path) -> None:
    (tmp_path / "refused").mkdir()
    (tmp_path / "refused" / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    arguments = [built.program, "vectors", tmp_path]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


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
    """Only structure may be refused more strictly: all that is acted on is verified first."""
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
def test_reloads_and_look_ups_do_not_race() -> None:
    need_go()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc, which the race detector needs")
    said = go("test", "-race", ".", CGO_ENABLED="1", TAILC_STRESS="10s")
    assert any(line.startswith("ok") for line in said)


@pytest.mark.fuzz
@pytest.mark.parametrize("target", ["FuzzOpen", "FuzzOpenFile"])
def test_no_bytes_break_the_reader(target: str) -> None:
    need_go()
    asked = ["-run", "^$", "-fuzz", f"^{target}$", "-fuzztime", "60s", "-parallel", "2"]
    # Inputs need not be small: most of the time would go into making them so.
    assert "PASS" in go("test", *asked, "-fuzzminimizetime", "10x", ".")


@pytest.mark.fuzz
def test_no_estimate_is_fused_where_the_processor_could(tmp_path: Path) -> None:
    """Go fuses products with sums on arm64 unless a conversion stands between them."""
    need_go()
    program = tmp_path / "conformance"
    go("build", "-o", program, "./tests/conformance", GOARCH="arm64")
    code = go("tool", "objdump", "-s", r"^tailc\.", program)
    assert any("FMULD" in line for line in code)
    assert not [line for line in code if re.search(r"\bFN?M(ADD|SUB)", line)]
