"""The records of a release: bill of materials, provenance and signature."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from release.__main__ import main
from release.packages import VERSION
from release.records import dependencies, sha256_of
from tailc.cli import run
from tests.tailc.artifact.published import ROOT


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release of the package for Go, and its public key."""
    folder = tmp_path_factory.mktemp("signed")
    assert run(["keygen", str(folder / "release"), "-q"]) == 0
    built = folder / "dist"
    assert main([str(built), "--key", str(folder / "release.key"), "go"]) == 0
    return built, folder / "release.pub"


def record(folder: Path, ending: str) -> dict[str, Any]:
    return json.loads((folder / f"tailc-{VERSION}.{ending}.json").read_text())


def test_the_bill_of_materials_has_the_files_and_what_they_need(
    signed: tuple[Path, Path],
) -> None:
    bill = record(signed[0], "cdx")
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    (file,) = [one for one in bill["components"] if one["type"] == "file"]
    path = signed[0] / file["name"]
    assert file["hashes"] == [{"alg": "SHA-256", "content": sha256_of(path)}]
    purls = [one["purl"] for one in bill["components"] if one["type"] == "library"]
    assert purls == sorted(set(purls)) == sorted({purl for _, purl in dependencies()})


def test_each_ecosystem_has_its_dependencies() -> None:
    purls = {purl for _, purl in dependencies()}
    assert {"pkg:pypi/click", "pkg:cargo/arc-swap"} <= purls
    flatbuffers = {purl.split("@")[0] for purl in purls if "flatbuffers" in purl}
    assert {"pkg:pypi/flatbuffers", "pkg:cargo/flatbuffers"} < flatbuffers
    assert {purl.split("/")[0] for purl in flatbuffers} == {
        "pkg:pypi", "pkg:cargo", "pkg:golang", "pkg:maven",
    }  # fmt: skip


def test_the_provenance_has_the_commit_and_all_files(signed: tuple[Path, Path]) -> None:
    statement = record(signed[0], "intoto")
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    subjects = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    assert subjects == {
        path.name: sha256_of(path)
        for path in signed[0].glob("tailc*")
        if not path.name.endswith(".intoto.json")
    }
    definition = statement["predicate"]["buildDefinition"]
    words = ["git", "rev-parse", "HEAD"]
    head = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    (source,) = definition["resolvedDependencies"]
    assert source["digest"] == {"gitCommit": head.strip()}
    assert definition["externalParameters"]["packages"] == ["go"]


def verified(folder: Path, public: Path) -> bool:
    words = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin"]
    words += ["-in", folder / "SHA256SUMS", "-sigfile", folder / "SHA256SUMS.sig"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def test_openssl_verifies_the_checksums_and_refuses_others(
    signed: tuple[Path, Path], tmp_path: Path
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    folder, public = signed
    assert verified(folder, public)
    copy = shutil.copytree(folder, tmp_path / "copy")
    sums = copy / "SHA256SUMS"
    sums.write_text(sums.read_text().replace("0", "1", 1))
    assert not verified(copy, public)


def test_the_records_have_the_same_bytes_twice(signed: tuple[Path, Path], tmp_path: Path) -> None:
    assert main([str(tmp_path), "go"]) == 0
    assert (tmp_path / "SHA256SUMS").read_bytes() == (signed[0] / "SHA256SUMS").read_bytes()
    assert not (tmp_path / "SHA256SUMS.sig").exists()


def test_a_file_that_is_no_key_is_refused_before_the_build(tmp_path: Path) -> None:
    (tmp_path / "no.key").write_text("no key")
    with pytest.raises(SystemExit, match="is no private key"):
        main([str(tmp_path / "dist"), "--key", str(tmp_path / "no.key"), "go"])
    assert not (tmp_path / "dist").exists()
