"""How the Java runtime is built."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.runtimes.building import built_once
from tests.runtimes.conformance import Reader, succeeded
from tests.tailc.artifact.published import ROOT

RUNTIME = ROOT / "runtimes" / "java"
# Programs are over before the second compiler would pay.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def maven(folder: Path, *arguments: str) -> None:
    """Builds into `folder`; skips where there is no Maven, but not in CI."""
    if any(shutil.which(tool) is None for tool in ("mvn", "javac")):
        assert not os.environ.get("CI"), "no Maven, or no compiler of Java"
        pytest.skip("no Maven, or no compiler of Java")
    environment = {**os.environ, "MAVEN_OPTS": " ".join(QUICK)}
    succeeded(["mvn", "-q", "-B", f"-DbuildDirectory={folder}", *arguments], RUNTIME, environment)


def reader(factory: pytest.TempPathFactory) -> Reader:
    """The runtime, built once; its own tests pass: what vectors do not tell, by JUnit."""
    folder = built_once(factory, "java", lambda folder: maven(folder, "test"))
    parts = (folder / part for part in ("classes", "test-classes", "lib/*"))
    words = ["java", *QUICK, "-cp", os.pathsep.join(map(str, parts))]
    return Reader(lambda name: [*words, f"dev.tailc.runtime.{name.capitalize()}"])
