"""How the library for C is built, as others install it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.runtimes import cpp
from tests.runtimes.building import built_once
from tests.runtimes.conformance import Reader, succeeded
from tests.runtimes.rust import BUILD, need_cargo
from tests.tailc.artifact.published import ROOT

RUNTIME = ROOT / "runtimes" / "c"
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-pedantic", "-Werror")
# Of the static library.
LINKED = ("-lpthread", "-ldl", "-lm")


def prefix(factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed library."""
    need_cargo()
    return built_once(factory, "c", _install)


def _install(folder: Path) -> None:
    make = ["make", "-C", str(RUNTIME), "install", f"PREFIX={folder}", "PROFILE=dev"]
    succeeded(make, ROOT, {**os.environ, **BUILD})


def reader(factory: pytest.TempPathFactory) -> Reader:
    """The runtime as its conformance program, which includes only the header."""
    if why := cpp.missing():
        assert not os.environ.get("CI"), why
        pytest.skip(why)
    installed = prefix(factory)
    program = built_once(factory, "c-conformance", lambda folder: _compile(installed, folder))
    return Reader(lambda name: [str(program / "conformance"), name])


def _compile(installed: Path, folder: Path) -> None:
    folder.mkdir()
    source = RUNTIME / "tests" / "conformance.cpp"
    command = ["g++", "-std=c++17", *STRICT, "-Wno-cast-function-type", source]
    command += [f"-I{installed}/include", installed / "lib" / "libtailc.a", *LINKED]
    succeeded([*map(str, command), "-o", str(folder / "conformance")], ROOT, dict(os.environ))
