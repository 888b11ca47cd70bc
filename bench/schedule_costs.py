"""What a request costs a schedule, by language: start, climb and exit beyond the bare look-ups.

    python -m bench.schedule_costs

Prints nanoseconds of a request that starts at once, climbs at its first tick and exits, of the
three look-ups that it makes, their difference, and how many allocations it makes (bytes in Java).
Both are measured in turns in one run. The aims are 300 ns in C++ and Rust, and 1 us in Go and Java.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.cpp_lookup import FLAGS
from bench.java_lookup import RUNTIME as JAVA
from bench.timing import ROOT, end, show, wanted
from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import AT_ONCE, Climb, Row

HEADER = ("language", "request, ns", "look-ups, ns", "beyond, ns", "goal / beyond", "allocations")
VECTORS = ROOT / "schemas" / "vectors" / "v1"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        policy = climbing(Path(folder))
        found = [
            measured(language, goal_ns, build(Path(folder)), policy)
            for language, tool, goal_ns, build in LANGUAGES
            if shutil.which(tool)
        ]
    show(HEADER, found)
    end()


def climbing(folder: Path) -> Path:
    """The published policy with one row: start at once, and climb at the first tick."""
    policy = read_policy(VECTORS / "lucene.tailc")
    ladder = policy.ladders[0]
    row = Row(0, None, AT_ONCE, (Climb(0, 0), Climb(ladder.quantum_us, 1)))
    one = replace(policy, forms=(replace(ladder, rows=(row,)),))
    return write_policy(one, folder / "climbing")[1]


def measured(language: str, goal_ns: float, command: list[str], policy: Path) -> list[str]:
    said = subprocess.run([*command, policy], check=True, capture_output=True, text=True).stdout
    request_ns, lookups_ns, allocations = map(float, said.split())
    beyond_ns = request_ns - lookups_ns
    times = (f"{ns:.0f}" for ns in (request_ns, lookups_ns, beyond_ns))
    return [language, *times, wanted(goal_ns / beyond_ns, 1.0), f"{allocations:.2f}"]


def cpp(folder: Path) -> list[str]:
    program = folder / "schedule-cpp"
    source = ROOT / "bench" / "cpp" / "schedule.cpp"
    subprocess.run(["g++", *FLAGS, str(source), "-o", str(program)], check=True)
    return [str(program)]


def go(folder: Path) -> list[str]:
    modules = [ROOT / "bench" / "go", ROOT / "runtimes" / "go"]
    workspace = {**os.environ, "GOWORK": str(folder / "go.work")}
    subprocess.run(["go", "work", "init", *modules], cwd=folder, check=True)
    build = ["go", "build", "-o", str(folder / "schedule-go"), "lookup/schedule"]
    subprocess.run(build, cwd=folder, env=workspace, check=True)
    return [str(folder / "schedule-go")]


def java(folder: Path) -> list[str]:
    maven = ["mvn", "-q", "-B", f"-DbuildDirectory={folder}/java", "compile"]
    subprocess.run(maven, cwd=JAVA, check=True)
    path = os.pathsep.join(str(folder / "java" / part) for part in ("classes", "lib/*"))
    source = ROOT / "bench" / "java" / "ScheduleCost.java"
    classes = folder / "java" / "classes"
    subprocess.run(["javac", "-cp", path, "-d", classes, source], check=True)
    return ["java", "-cp", path, "ScheduleCost"]


def rust(_folder: Path) -> list[str]:
    target = ROOT / "build" / "rust"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_BUILD_JOBS": "1"}
    command = ["cargo", "build", "--quiet", "--release", "--bin", "schedule"]
    subprocess.run(command, cwd=ROOT / "bench" / "rust", env=environment, check=True)
    return [str(target / "release" / "schedule")]


Build = Callable[[Path], list[str]]
# Language, tool, goal [ns], and how its program is built.
LANGUAGES: tuple[tuple[str, str, float, Build], ...] = (
    ("C++", "g++", 300, cpp),
    ("Rust", "cargo", 300, rust),
    ("Go", "go", 1_000, go),
    ("Java", "mvn", 1_000, java),
)


if __name__ == "__main__":
    main()
