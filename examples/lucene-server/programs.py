"""The Java programs of the example: built with Maven, run, and the server while it is needed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
MAIN = "dev.tailc.examples.lucene.Main"
# The heap is there from the start, so that it does not grow while something is measured.
SERVER_FLAGS = ("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch")

PRINTS = {"stdout": subprocess.PIPE, "text": True}


@dataclass(frozen=True)
class Programs:
    """The programs as Maven has built them in `folder`; the server has so many cores."""

    folder: Path
    cores: int

    @property
    def corpus(self) -> Path:
        """The text that is searched unless another is named."""
        return self.folder / "lucene-server" / "corpus"

    def run(self, command: str, **options: object) -> str:
        """What a program prints; SystemExit where it fails."""
        words = self.words(command, options)
        beside = cores_there()[self.cores :] or cores_there()
        done = subprocess.run([*on(beside), *words], check=False, **PRINTS)
        if done.returncode:
            raise SystemExit(f"`{command}` ended with {done.returncode}")
        return done.stdout.strip()

    def words(self, command: str, options: dict[str, object], *flags: str) -> list[str]:
        """The command line; options that are None are left out."""
        jars = [self.folder / "lucene-server" / place for place in ("*", "lib/*")]
        given = {name: value for name, value in options.items() if value is not None}
        pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in given.items())
        words = ["java", *flags, "-cp", ":".join(map(str, jars)), MAIN, command]
        return [*words, *(word for pair in pairs for word in pair)]


def cores_there() -> list[int]:
    """The cores that may be used, by number; where the system does not tell, all that there are."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def on(cores: Sequence[int]) -> list[str]:
    """What keeps a command on these cores, where the system can; it goes before the command."""
    if shutil.which("taskset") is None:
        return []
    return ["taskset", "-c", ",".join(map(str, cores))]


def build(folder: Path, cores: int) -> Programs:
    """The programs and the text, built into `folder`; SystemExit where the tools are missing."""
    for tool, package in (("java", "default-jdk-headless"), ("mvn", "maven")):
        if shutil.which(tool) is None:
            raise SystemExit(f"no `{tool}`: install Java 17 or later and Maven (`{package}`)")
    # Both projects read the property, each with its own name in it.
    places = f"-DbuildDirectory={folder.resolve()}/${{project.artifactId}}"
    maven = ["mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(FOLDER / "reactor.xml"), places]
    done = subprocess.run([*maven, "-Dmaven.test.skip", "package"], check=False, stdout=sys.stderr)
    if done.returncode:
        raise SystemExit("Maven could not build the server")
    return Programs(folder, cores)


@dataclass(frozen=True)
class Server:
    """A server that listens; until it is told to open its policy, a request has one thread."""

    url: str

    def open_policy(self) -> None:
        """Has it open its policy's file; SystemExit where it refuses."""
        asked = urllib.request.Request(f"{self.url}/policy", method="POST")
        try:
            urllib.request.urlopen(asked).close()
        except urllib.error.HTTPError as refused:
            with refused:
                why = json.load(refused)["error"]
            raise SystemExit(f"the server refuses the policy: {why}") from None


@contextlib.contextmanager
def serving(programs: Programs, index: Path, policy: Path) -> Iterator[Server]:
    """A server of the index, until it is no longer needed."""
    words = programs.words("serve", {"index": index, "policy": policy}, *SERVER_FLAGS)
    its_own = cores_there()[: programs.cores]
    with subprocess.Popen([*on(its_own), *words], **PRINTS) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            if said[:1] != ["port"]:
                raise SystemExit("the server did not start")
            yield Server(f"http://127.0.0.1:{said[1]}")
        finally:
            process.terminate()
