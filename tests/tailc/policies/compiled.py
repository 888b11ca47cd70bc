"""The small instance of every kind, compiled once for all tests, which only read it."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.cli import run
from tailc.policies import KINDS
from tests.runtimes.building import built_once
from tests.tailc.policies.cases import Case, write_case

# Another process, which says after which folder it has loaded pandas.
_COMPILES = """
import sys
from pathlib import Path
from tailc.cli import run
from tailc.cli.light_numba import make_numba_light
make_numba_light()
for folder in map(Path, sys.argv[1:]):
    words = "-o", str(folder / "policy"), "--no-progress", "--threads", "1"
    code = run(["compile", str(folder / "service.yaml"), *words])
    assert code == 0, (folder, code)
    if "pandas" in sys.modules:
        (folder / "pandas").touch()
"""


@dataclass(frozen=True)
class Compiled:
    """A kind's instance, and its policy, which lies at the stem.

    told: the document that the compile printed.
    """

    case: Case
    stem: Path
    policy: Policy
    told: str


def compiled_kind(factory: pytest.TempPathFactory, kind: str) -> Compiled:
    """The instance of the kind named as in specs, by whichever worker needs it first."""
    folder = built_once(factory, f"kind-{kind}", lambda folder: _compile(kind, folder))
    stem = folder / "policy"
    case = pickle.loads((folder / "case").read_bytes())
    return Compiled(case, stem, read_policy(stem), (folder / "told.json").read_text())


def _compile(kind: str, folder: Path) -> None:
    folder.mkdir()
    case = write_case(kind, folder)
    words = (
        "-o",
        str(folder / "policy"),
        "--no-progress",
        "--threads",
        "2",
        "--output-format",
        "json",
    )
    with contextlib.redirect_stdout(io.StringIO()) as told:
        assert run(["compile", str(case.spec), *words]) == 0
    (folder / "told.json").write_text(told.getvalue())
    (folder / "case").write_bytes(pickle.dumps(case))


def compiled_apart(factory: pytest.TempPathFactory) -> Path:
    """A folder for each kind's instance, compiled by another process on one thread, to `policy`."""
    return built_once(factory, "kinds-apart", _compile_apart)


def _compile_apart(place: Path) -> None:
    folders = [place / kind for kind in sorted(KINDS)]
    for folder in folders:
        folder.mkdir(parents=True)
        assert write_case(folder.name, folder).spec.name == "service.yaml"
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", _COMPILES, *folders], check=True, env=environment)
