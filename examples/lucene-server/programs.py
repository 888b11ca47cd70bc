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

# What sends requests is compiled soon, by the first compiler alone: so it costs the same always.
CLIENT_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
CLIENTS = ("profile", "load")
# Before all other work: the server, and before that what sends requests, for it does little.
SERVER_RANK, CLIENT_RANK = 1, 2

PRINTS = {"stdout": subprocess.PIPE, "text": True}


@dataclass(frozen=True)
class Programs:
    """The programs that Maven built in `folder`, and the number of cores of the server."""

    folder: Path
    cores: int

    @property
    def corpus(self) -> Path:
        """The text that is searched unless another is named."""
        return self.folder / "lucene-server" / "corpus"

    def run(self, command: str, **options: object) -> str:
        """What a program prints; SystemExit where it fails."""
        is_client = command in CLIENTS
        words = self.words(command, options, *(CLIENT_FLAGS if is_client else ()))
        cpus = cores_there()[self.cores :] or cores_there()
        rank = first(CLIENT_RANK) if is_client else []
        done = subprocess.run([*rank, *pin_to(cpus), *words], check=False, **PRINTS)
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


def pin_to(cores: Sequence[int]) -> list[str]:
    """What keeps a command on these cores, where the system can; it goes before the command."""
    if shutil.which("taskset") is None:
        return []
    return ["taskset", "-c", ",".join(map(str, cores))]


def first(rank: int) -> list[str]:
    """What has a command run before all other work, where that is permitted; it goes before it.

    Such threads also take the first core that is free. Others may wait for the one on which they
    were last, even while other work has the cores that are left.
    """
    command = ["chrt", "-r", str(rank)]
    if shutil.which("chrt") is None:
        return []
    tried = subprocess.run([*command, "true"], stderr=subprocess.DEVNULL, check=False)
    return [] if tried.returncode else command


def build(folder: Path, cores: int) -> Programs:
    """The programs and the text, built into `folder`; SystemExit where the tools are missing."""
    for tool, package in (("java", "default-jdk-headless"), ("mvn", "maven")):
        if shutil.which(tool) is None:
            raise SystemExit(f"no `{tool}`: install Java 17 or later and Maven (`{package}`)")
    maven = ["mvn", "-q", "-B", "-Dstyle.color=never", "-f", FOLDER / "reactor.xml", places(folder)]
    done = subprocess.run([*maven, "-Dmaven.test.skip", "package"], check=False, stdout=sys.stderr)
    if done.returncode:
        raise SystemExit("Maven could not build the server")
    return Programs(folder, cores)


def places(folder: Path) -> str:
    """What tells Maven to build into `folder`: both projects read it, each with its own name."""
    return f"-DbuildDirectory={folder.resolve()}/${{project.artifactId}}"


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    url: str
    # What it opens.
    policy: Path

    def open_policy(self, policy: Path) -> None:
        """Puts a policy where it looks for one, and tells it so; SystemExit where it refuses."""
        shutil.copyfile(policy, self.policy)
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
    command = [*first(SERVER_RANK), *pin_to(its_own), *words]
    with subprocess.Popen(command, **PRINTS) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            if said[:1] != ["port"]:
                raise SystemExit("the server did not start")
            yield Server(f"http://127.0.0.1:{said[1]}", policy)
        finally:
            process.terminate()
