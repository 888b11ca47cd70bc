"""The packages of a release: each function writes one into a folder."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

from release.archives import write_tar, write_tar_of, write_zip

ROOT = Path(__file__).resolve().parents[1]
RUNTIMES = ROOT / "runtimes"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
GO_MODULE = "github.com/tailc/tailc/runtimes/go"
_CPP_PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include")


def write_compiler(folder: Path) -> None:
    """The wheel and the source distribution of `tailc`."""
    _hatch(ROOT, folder)


def write_manuals(folder: Path) -> None:
    """The manual pages of the commands, for `man`."""
    from release.manuals import manual_pages

    write_tar_of(folder / f"tailc-man-{VERSION}.tar.gz", "man1", manual_pages(VERSION))


def write_python(folder: Path) -> None:
    """The wheel and the source distribution of the runtime for Python."""
    _hatch(RUNTIMES / "python", folder)


def write_cpp(folder: Path) -> None:
    """The headers for C++, and what CMake needs to install them."""
    top = f"tailc-cpp-{VERSION}"
    write_tar(folder / f"{top}.tar.gz", RUNTIMES / "cpp", top, _CPP_PARTS)


def write_c(folder: Path) -> None:
    """The library for C on this platform, its header, and what pkg-config needs."""
    top = f"tailc-c-{VERSION}-{sys.platform}-{platform.machine()}"
    with tempfile.TemporaryDirectory() as built:
        prefix = Path(built) / "prefix"
        # Paths of this machine are not in the library.
        flags = [f"--remap-path-prefix={path}=." for path in (built, ROOT, Path.home())]
        _run(
            ["make", "--silent", "install", f"PREFIX={prefix}"],
            RUNTIMES / "c",
            CARGO_TARGET_DIR=built,
            CARGO_PROFILE_RELEASE_LTO="true",
            CARGO_PROFILE_RELEASE_CODEGEN_UNITS="1",
            CARGO_PROFILE_RELEASE_STRIP="debuginfo",
            RUSTFLAGS=" ".join(flags),
        )
        files = [RUNTIMES / "c" / "LICENSE", RUNTIMES / "c" / "README.md"]
        contents = [(path.name, path.read_bytes()) for path in files]
        installed = sorted(path for path in prefix.rglob("*") if path.is_file())
        contents += [(str(path.relative_to(prefix)), path.read_bytes()) for path in installed]
        write_tar_of(folder / f"{top}.tar.gz", top, contents)


def write_go(folder: Path) -> None:
    """The module for Go as a module proxy serves it."""
    write_zip(folder / f"tailc-go-{VERSION}.zip", RUNTIMES / "go", f"{GO_MODULE}@v{VERSION}")


def write_javascript(folder: Path) -> None:
    """The npm package."""
    _run(["npm", "pack", "--silent", "--pack-destination", folder], RUNTIMES / "js")


def write_rust(folder: Path) -> None:
    """The crate."""
    with tempfile.TemporaryDirectory() as built:
        command = ["cargo", "package", "--quiet", "--no-verify", "--allow-dirty", "--target-dir"]
        _run([*command, built], RUNTIMES / "rust")
        _copy(Path(built) / "package", "*.crate", folder)


def write_java(folder: Path) -> None:
    """The jars of classes, sources and documentation, with their `pom.xml`."""
    with tempfile.TemporaryDirectory() as built:
        options = ["-q", "-B", "-Prelease", "-Dmaven.test.skip", f"-DbuildDirectory={built}"]
        _run(["mvn", *options, "package"], RUNTIMES / "java")
        _copy(Path(built), "*.jar", folder)
    shutil.copy(RUNTIMES / "java" / "pom.xml", folder / f"tailc-runtime-{VERSION}.pom")


# Packages by the word that selects them.
PACKAGES: dict[str, Callable[[Path], None]] = {
    "compiler": write_compiler,
    "manuals": write_manuals,
    "python": write_python,
    "cpp": write_cpp,
    "c": write_c,
    "go": write_go,
    "javascript": write_javascript,
    "rust": write_rust,
    "java": write_java,
}


def _hatch(project: Path, folder: Path) -> None:
    targets = ("-t", "wheel", "-t", "sdist")
    _run([sys.executable, "-m", "hatchling", "build", *targets, "-d", folder], project)


def _run(command: list[str | Path], folder: Path, **variables: str) -> None:
    """Run a command in a folder; its output is shown only if it fails."""
    if shutil.which(command[0]) is None:
        package = folder.relative_to(ROOT)
        sys.exit(f"release: {package} needs `{command[0]}`, which is not installed")
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1580601600", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"release: {command[0]} failed in {folder}:\n{done.stdout}")


def _copy(source: Path, pattern: str, folder: Path) -> None:
    for path in source.glob(pattern):
        shutil.copy(path, folder)
