"""The packages of a release have what their registries ask for, and the same bytes every time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from xml.etree import ElementTree

import pytest

from release.__main__ import main
from release.packages import GO_MODULE, PACKAGES, RUNTIMES, VERSION
from tests.runtimes import cpp
from tests.runtimes.conformance import succeeded
from tests.tailc.artifact.published import ROOT

# Of these, no other tool than Python and git is needed.
QUICK = ("python", "cpp", "go")
POM = {"": "http://maven.apache.org/POM/4.0.0"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    assert main([str(folder), *QUICK]) == 0
    return folder


def test_the_same_sources_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    for name in ("cpp", "go"):
        PACKAGES[name](tmp_path)
    paths = list(tmp_path.iterdir())
    assert len(paths) == 2
    for path in paths:
        assert path.read_bytes() == (built / path.name).read_bytes()


@pytest.mark.fuzz
def test_all_packages_have_the_same_bytes_twice(tmp_path: Path) -> None:
    sums = []
    for name in ("first", "second"):
        assert main([str(tmp_path / name)]) == 0
        sums.append((tmp_path / name / "SHA256SUMS").read_text())
    assert sums[0] == sums[1]
    # Two distributions of each of the Python packages, three jars and a pom, six others, records.
    assert len(sums[0].splitlines()) == 16


def test_checksums_are_those_of_all_files(built: Path) -> None:
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=built, check=True
    )
    lines = (built / "SHA256SUMS").read_text().splitlines()
    assert {line.split()[1] for line in lines} == {path.name for path in built.glob("tailc*")}


def test_an_unknown_package_is_a_usage_error(tmp_path: Path) -> None:
    assert main([str(tmp_path / "out"), "cobol"]) == 64
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_files_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert main([str(tmp_path), "go"]) == 64
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert "has `notes.txt`, which is no file of a release" in capsys.readouterr().err


def test_a_tool_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="runtimes/js needs `npm`, which is not installed"):
        main([str(tmp_path / "out"), "javascript"])


def test_files_of_an_earlier_build_are_removed(tmp_path: Path) -> None:
    for name in ("tailc-go-0.0.1.zip", "SHA256SUMS"):
        (tmp_path / name).write_text("old")
    assert main([str(tmp_path), "go"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    records = {f"tailc-{VERSION}.{ending}.json" for ending in ("cdx", "intoto")}
    assert names == {f"tailc-go-{VERSION}.zip", "SHA256SUMS"} | records


def test_wheels_have_their_licence_and_types(built: Path) -> None:
    (path,) = built.glob("tailc_runtime*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        (metadata,) = [name for name in names if name.endswith("METADATA")]
        told = message_from_bytes(wheel.read(metadata))
    assert "tailc_runtime/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert told["License-Expression"] == "Apache-2.0"
    assert (ROOT / "tailc" / "py.typed").is_file()


def test_every_runtime_has_the_licence_and_one_version() -> None:
    licence = (ROOT / "LICENSE").read_bytes()
    for name in ("c", "cpp", "go", "java", "js", "python", "rust"):
        assert (RUNTIMES / name / "LICENSE").read_bytes() == licence, name
    crate = tomllib.loads((RUNTIMES / "rust" / "Cargo.toml").read_text())["package"]
    library = tomllib.loads((RUNTIMES / "c" / "Cargo.toml").read_text())["package"]
    assert f"\nVersion: {VERSION}\n" in (RUNTIMES / "c" / "tailc.pc").read_text()
    module = json.loads((RUNTIMES / "js" / "package.json").read_text())
    python = tomllib.loads((RUNTIMES / "python" / "pyproject.toml").read_text())["project"]
    cmake = re.search(r"VERSION (\d\S+) LANG", (RUNTIMES / "cpp" / "CMakeLists.txt").read_text())
    assert cmake
    pom = ElementTree.parse(RUNTIMES / "java" / "pom.xml").getroot()
    versions = {tool["version"] for tool in (crate, library, module, python)} | {cmake[1]}
    assert versions | {pom.findtext("version", namespaces=POM)} == {VERSION}


def test_the_module_for_go_is_that_of_a_proxy(built: Path) -> None:
    with zipfile.ZipFile(built / f"tailc-go-{VERSION}.zip") as archive:
        names = archive.namelist()
        top = f"{GO_MODULE}@v{VERSION}/"
        assert all(name.startswith(top) for name in names)
        assert archive.read(f"{top}go.mod").startswith(f"module {GO_MODULE}\n".encode())
    assert {f"{top}LICENSE", f"{top}go.sum", f"{top}tailc.go"} <= set(names)


def test_the_crate_can_be_published() -> None:
    manifest = tomllib.loads((RUNTIMES / "rust" / "Cargo.toml").read_text())
    package = manifest["package"]
    assert {"description", "license", "repository", "readme", "keywords"} <= package.keys()
    assert package.get("publish", True)
    for name, needed in manifest["dependencies"].items():
        version = needed if isinstance(needed, str) else needed["version"]
        assert not version.startswith("="), f"{name} is pinned, so that servers cannot update it"


def test_the_pom_has_what_maven_central_asks_for() -> None:
    pom = ElementTree.parse(RUNTIMES / "java" / "pom.xml").getroot()
    for name in ("name", "description", "url", "licenses/license", "developers/developer", "scm"):
        assert pom.find(name, POM) is not None, name
    text = (RUNTIMES / "java" / "pom.xml").read_text()
    assert "<Automatic-Module-Name>dev.tailc.runtime</Automatic-Module-Name>" in text


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for C++, unpacked and installed into a prefix."""
    if shutil.which("cmake") is None or cpp.missing():
        pytest.skip("no cmake, or no C++ compiler")
    folder = tmp_path_factory.mktemp("cpp")
    with tarfile.open(built / f"tailc-cpp-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    cmake("-S", folder / f"tailc-cpp-{VERSION}", "-B", folder / "build", with_headers())
    cmake("--install", folder / "build", "--prefix", folder / "prefix")
    return folder / "prefix"


def test_cmake_finds_the_installed_package_and_builds_with_it(
    installed: Path, tmp_path: Path
) -> None:
    write_project(tmp_path, VERSION)
    cmake("-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={installed}", with_headers())
    cmake("--build", tmp_path / "b")
    (line,) = succeeded([str(tmp_path / "b" / "server")], tmp_path, dict(os.environ))
    assert line == "hash-mismatch"


def test_cmake_refuses_another_version_of_the_package(installed: Path, tmp_path: Path) -> None:
    write_project(tmp_path, "0.2")
    words = ["-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={installed}"]
    done = subprocess.run(
        ["cmake", *map(str, words), with_headers()], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "tailc" in done.stderr
    assert VERSION in done.stderr


def write_project(folder: Path, version: str) -> None:
    """A program of somebody else; warnings in the headers are errors."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\n"
        "project(server CXX)\n"
        f"find_package(tailc {version} REQUIRED)\n"
        "add_executable(server server.cpp)\n"
        "target_link_libraries(server PRIVATE tailc::runtime)\n"
        "target_compile_options(server PRIVATE\n"
        "  -Wall -Wextra -Wconversion -Wsign-conversion -Werror)\n"
    )
    (folder / "server.cpp").write_text(
        "#include <flatbuffers/base.h>\n"
        "#include <iostream>\n"
        "#include <tailc/error.hpp>\n"
        'int main() { std::cout << tailc::name_of(tailc::Refusal::hash_mismatch) << "\\n"; }\n'
    )


def with_headers() -> str:
    return f"-DFLATBUFFERS_INCLUDE_DIR={cpp.FLATBUFFERS}"


def cmake(*words: object) -> None:
    succeeded(["cmake", *map(str, words)], ROOT, dict(os.environ))
