"""Records of a release: bill of materials, provenance, and the signature of the checksums."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from release.packages import ROOT, RUNTIMES, VERSION

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
REPOSITORY = "https://github.com/tailc/tailc"
_POM = {"": "http://maven.apache.org/POM/4.0.0"}


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sbom(folder: Path) -> None:
    """The files and the direct dependencies of the packages, as CycloneDX."""
    files = [
        {
            "type": "file",
            "bom-ref": path.name,
            "name": path.name,
            "hashes": [{"alg": "SHA-256", "content": sha256_of(path)}],
        }
        for path in sorted(folder.glob("tailc*"))
    ]
    needed = sorted({purl: name for name, purl in dependencies()}.items())
    libraries = [
        {"type": "library", "bom-ref": purl, "name": name, "purl": purl} for purl, name in needed
    ]
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "tailc",
                "name": "tailc",
                "version": VERSION,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [*files, *libraries],
    }
    # The same content has the same number.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    document["serialNumber"] = f"urn:uuid:{serial}"
    _write(folder / f"tailc-{VERSION}.cdx.json", document)


def dependencies() -> Iterator[tuple[str, str]]:
    """Name and package URL of each direct dependency; those without one version have none."""
    for project in (ROOT, RUNTIMES / "python"):
        manifest = tomllib.loads((project / "pyproject.toml").read_text())["project"]
        for requirement in manifest["dependencies"]:
            name, version = re.match(r"([\w.-]+)(?:==([\w.]+))?", requirement).groups()  # type: ignore[union-attr]
            yield name, f"pkg:pypi/{name.lower()}" + (f"@{version}" if version else "")
    crate = tomllib.loads((RUNTIMES / "rust" / "Cargo.toml").read_text())
    for name in crate["dependencies"]:
        yield name, f"pkg:cargo/{name}"
    for name, version in re.findall(
        r"^(?:require )?\s*([\w./-]+\.[\w./-]+) (v[\w.+-]+)$",
        (RUNTIMES / "go" / "go.mod").read_text(),
        re.MULTILINE,
    ):
        yield name, f"pkg:golang/{name}@{version}"
    pom = ElementTree.parse(RUNTIMES / "java" / "pom.xml").getroot()
    for needed in pom.findall("dependencies/dependency", _POM):
        parts = {part.tag.partition("}")[2]: part.text for part in needed}
        if parts.get("scope") != "test":
            name = f"{parts['groupId']}/{parts['artifactId']}"
            yield name, f"pkg:maven/{name}@{parts['version']}"


def write_provenance(folder: Path, packages: Sequence[str]) -> None:
    """What the files are built from, as an in-toto statement with SLSA provenance."""
    subjects = [
        {"name": path.name, "digest": {"sha256": sha256_of(path)}}
        for path in sorted(folder.glob("tailc*"))
    ]
    changed = bool(_git("status", "--porcelain", "--untracked-files=no"))
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{REPOSITORY}/blob/main/docs/releasing.md",
                "externalParameters": {"packages": list(packages), "has_local_changes": changed},
                "resolvedDependencies": [
                    {
                        "uri": f"git+{REPOSITORY}",
                        "digest": {"gitCommit": _git("rev-parse", "HEAD")},
                    }
                ],
            },
            "runDetails": {"builder": {"id": f"{REPOSITORY}/tree/main/release"}},
        },
    }
    _write(folder / f"tailc-{VERSION}.intoto.json", statement)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")


def read_key(key: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file; exits if there is none."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        private = load_pem_private_key(key.read_bytes(), password=None)
    except (OSError, TypeError, ValueError) as error:
        sys.exit(f"release: {key} is no private key that can be read without a passphrase: {error}")
    if not isinstance(private, Ed25519PrivateKey):
        sys.exit(f"release: {key} is no Ed25519 key: make one with `tailc keygen`")
    return private


def write_signature(folder: Path, private: Ed25519PrivateKey) -> None:
    """The Ed25519 signature of the checksums, as `openssl pkeyutl -verify -rawin` reads it."""
    (folder / SIGNATURE).write_bytes(private.sign((folder / SUMS).read_bytes()))
