"""The Java runtime: built as others build it, then against the vectors and against damage."""

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

RUNTIME = ROOT / "runtimes" / "java"
SOURCES = RUNTIME / "src" / "main" / "java" / "dev" / "tailc" / "runtime"
# Programs are over before the second compiler would pay.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
SCALARS = {"long": "8", "ushort": "2"}


@dataclass(frozen=True)
class Built:
    folder: Path

    def start(
        self, program: str, *arguments: object, lines: list[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        parts = (self.folder / part for part in ("classes", "test-classes", "lib/*"))
        path = os.pathsep.join(map(str, parts))
        return subprocess.run(
            ["java", *QUICK, "-cp", path, f"dev.tailc.runtime.{program}", *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines or ()),
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, program: str, *arguments: object, lines: list[str] | None = None) -> list[str]:
        """The lines that a program prints, given `lines`; it must succeed."""
        done = self.start(program, *arguments, lines=lines)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout.splitlines()


def maven(folder: Path, *arguments: str) -> None:
    """Builds into `folder`; skips where there is no Maven, but not in CI."""
    if any(shutil.which(tool) is None for tool in ("mvn", "javac")):
        assert not os.environ.get("CI"), "no Maven, or no compiler of Java"
        pytest.skip("no Maven, or no compiler of Java")
    command = ["mvn", "-q", "-B", f"-DbuildDirectory={folder}", *arguments]
    environment = {**os.environ, "MAVEN_OPTS": " ".join(QUICK)}
    done = subprocess.run(
        command, cwd=RUNTIME, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def runtime(factory: pytest.TempPathFactory) -> Built:
    """Its own tests pass: what vectors do not tell, by JUnit."""
    return Built(built_once(factory, "java", lambda folder: maven(folder, "test")))


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
    answers, *others = built.run("Vectors", VECTORS)
    assert not others
    count, right = answers.split(" answers, ")
    assert int(count) > 9_500
    assert right == "0 wrong"


def test_a_wrong_answer_is_reported_with_what_was_wanted(built: Built, tmp_path: Path) -> None:
    for folder in ("refused", "signed", "levels", "steps", "shares", "plans"):
        (tmp_path / folder).mkdir()
    for folder in ("refused", "signed"):
        (tmp_path / folder / "expected.csv").write_text("file,error\n")
    shutil.copy(VECTORS / "lucene.tailc", tmp_path)
    header = "request_class,load,waited_us,executed_us,start,wait_us,rung"
    (tmp_path / "lucene.csv").write_text(f"{header}\n,7,0,75000,now,0,2\n")
    done = built.start("Vectors", tmp_path)
    assert done.returncode == 1
    assert "is `now 0 3`, wanted `now 0 2`" in done.stdout


def test_drawn_questions_have_the_same_answers_however_many_are_asked(built: Built) -> None:
    policy = VECTORS / "plan.tailc"
    lines = built.run("Differential", policy, 1, 5_000)
    assert [len(line) for line in lines] == [16, 16]
    assert built.run("Differential", policy, 1, 4_096) == lines[:1]
    assert built.run("Differential", policy, 2, 4_096) != lines[:1]


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
    assert built.run("Refusals", "damages", path) == wanted


def classified(built: Built, folder: Path, files: list[bytes]) -> list[str]:
    paths = [folder / f"{number}.tailc" for number in range(len(files))]
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    return built.run("Refusals", "files", lines=[str(path) for path in paths])


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


def test_the_layout_that_is_verified_is_that_of_the_schema() -> None:
    """`Layout.java` says of every table what lies in each field, by id."""
    schema = (ROOT / "schemas" / "policy.fbs").read_text()
    sizes = {**SCALARS, "Form": "Form", "string": "text", "Row": "32", "Climb": "16"}
    sizes |= dict.fromkeys(re.findall(r"enum (\w+) : ubyte", schema), "1")
    text = (SOURCES / "Layout.java").read_text().replace('"\n        + "', "")
    said = re.findall(r'^    "(\w+ .+)",$', text, re.MULTILINE)
    assert sorted(said) == sorted(tables_of(schema, sizes))


def tables_of(schema: str, sizes: dict[str, str]) -> list[str]:
    found = []
    for table, body in re.findall(r"^table (\w+) \{\n(.*?)^\}", schema, re.MULTILINE | re.DOTALL):
        fields = {}
        for kind, of, number, required in re.findall(
            r"^  \w+: (\[?)(\w+)\]?(?: = null)? \(id: (\d+)(, required)?\);", body, re.MULTILINE
        ):
            brackets = "[{}]" if kind else "{}"
            bang = "!" if required else ""
            fields[int(number)] = brackets.format(sizes.get(of, of)) + bang
            if of == "Form":
                fields[int(number) - 1] = "1"
        found.append(" ".join([table, *(fields[id_] for id_ in range(len(fields)))]))
    return found


@pytest.mark.fuzz
def test_nonsense_is_refused_or_safe_to_ask(built: Built) -> None:
    """Nothing but a refusal stops an opening, and what is opened answers."""
    opened, *refused = built.run("Nonsense", VECTORS, 1, 300_000)
    assert int(opened.removeprefix("opened ")) > 10_000
    words = {line.split()[0] for line in refused}
    assert {"bad-structure", "bad-meaning", "unknown-rule", "unknown-form"} <= words
    assert words.isdisjoint({"truncated", "hash-mismatch"})


@pytest.mark.fuzz
def test_many_contradictions_are_refused_alike(built: Built, tmp_path: Path) -> None:
    (tmp_path / "sealed").mkdir()
    files = [seal(payload) for payload in contradictory_payloads(Random(6), 6_000, tmp_path)]
    said = classified(built, tmp_path / "sealed", files)
    wanted = [python_says(data) for data in files]
    differ = [at for at in range(len(files)) if said[at] != wanted[at]]
    assert not differ, [(at, said[at], wanted[at]) for at in differ[:5]]
