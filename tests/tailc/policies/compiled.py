"""The small instance of every kind, compiled once for all tests, which only read it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path

import pytest

from tailc.artifact.envelope import Policy
from tailc.artifact.files import read_policy
from tailc.cli import run
from tests.runtimes.building import built_once
from tests.tailc.policies.cases import Case, write_case


@dataclass(frozen=True)
class Compiled:
    """A kind's instance, and its policy, which lies at the stem."""

    case: Case
    stem: Path
    policy: Policy


def compiled_kind(factory: pytest.TempPathFactory, kind: str) -> Compiled:
    """The instance of the kind named as in specs, by whichever worker needs it first."""
    folder = built_once(factory, f"kind-{kind}", lambda folder: _compile(kind, folder))
    stem = folder / "policy"
    return Compiled(pickle.loads((folder / "case").read_bytes()), stem, read_policy(stem))


def _compile(kind: str, folder: Path) -> None:
    folder.mkdir()
    case = write_case(kind, folder)
    assert run(["compile", str(case.spec), "-o", str(folder / "policy"), "--no-progress"]) == 0
    (folder / "case").write_bytes(pickle.dumps(case))
