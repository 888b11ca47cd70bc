"""What schemas/generate.py writes is checked in, and is what it would write today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tailc.artifact.published import ROOT


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated")
    subprocess.run([sys.executable, ROOT / "schemas" / "generate.py", root], check=True)
    return root


def test_every_generated_file_is_current(regenerated: Path) -> None:
    paths = [path for path in regenerated.rglob("*") if path.is_file()]
    assert len(paths) > 30
    stale = [
        path.relative_to(regenerated)
        for path in paths
        if path.read_bytes() != (ROOT / path.relative_to(regenerated)).read_bytes()
    ]
    assert not stale, "run `python schemas/generate.py` and read the difference"


def test_no_vector_is_left_over(regenerated: Path) -> None:
    folder = Path("schemas/vectors/v1")
    kept = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
    assert kept == {
        path.relative_to(regenerated)
        for path in (regenerated / folder).rglob("*")
        if path.is_file()
    }
