"""The Go runtime beyond what every reader is asked: its own tests, its source, its fuzz targets."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.runtimes.go import RUNTIME, go, need_go


def test_what_vectors_do_not_tell_is_as_documented() -> None:
    need_go()
    assert any(line.startswith("ok") for line in go("test", "."))


def test_the_source_is_formatted() -> None:
    need_go()
    sources = [path for path in RUNTIME.rglob("*.go") if "_generated" not in path.name]
    done = subprocess.run(["gofmt", "-l", *sources], check=True, capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.fuzz
def test_reloads_and_look_ups_do_not_race() -> None:
    need_go()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc, which the race detector needs")
    said = go("test", "-race", ".", CGO_ENABLED="1", TAILC_STRESS="10s")
    assert any(line.startswith("ok") for line in said)


@pytest.mark.fuzz
@pytest.mark.parametrize("target", ["FuzzOpen", "FuzzOpenFile"])
def test_no_bytes_break_the_reader(target: str) -> None:
    need_go()
    asked = ["-run", "^$", "-fuzz", f"^{target}$", "-fuzztime", "60s", "-parallel", "2"]
    # Inputs need not be small: most of the time would go into making them so.
    assert "PASS" in go("test", *asked, "-fuzzminimizetime", "10x", ".")


@pytest.mark.fuzz
def test_no_estimate_is_fused_where_the_processor_could(tmp_path: Path) -> None:
    """Go fuses products with sums on arm64 unless a conversion stands between them."""
    need_go()
    program = tmp_path / "conformance"
    go("build", "-o", program, "./tests/conformance", GOARCH="arm64")
    code = go("tool", "objdump", "-s", r"runtimes/go\.", program)
    assert any("FMULD" in line for line in code)
    assert not [line for line in code if re.search(r"\bFN?M(ADD|SUB)", line)]
