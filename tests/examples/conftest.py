"""A repository that releases policies."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.docs.running import folder_of_commands
from tests.examples.releases import ROWS, SPEC_OF_SERVICE, TOOLS, committed, git


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The folder above `work`, the working folder, and its bare `remote`."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tailc").symlink_to(folder_of_commands() / "tailc")
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "gh": TOOLS,
        "python": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n',
    }.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "a")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@b")
    git("init", "--quiet", "--bare", "remote")
    git("clone", "--quiet", "remote", "work")
    monkeypatch.chdir(tmp_path / "work")
    Path("policies").mkdir()
    Path("policies/toy.csv").write_text("demand_ms\n50\n150\n")
    Path("policies/heldout.csv").write_text("demand_ms\n" + ROWS)
    Path(".gitignore").write_text("out\n")
    committed(SPEC_OF_SERVICE)
    return tmp_path
