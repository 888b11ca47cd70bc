"""The hooks for pre-commit and the recipe of a container, as far as they are commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.tailc.toy import with_lines

ROOT = Path(__file__).parents[3]
HOOKS = {
    hook["id"]: hook
    for hook in YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text())
}


@pytest.fixture
def spec(in_folder):
    """A file that both hooks are called with."""
    path = in_folder / "policies" / "search.yaml"
    path.parent.mkdir()
    (path.parent / "toy.csv").write_text("demand_ms\n50\n150\n")
    path.write_text(with_lines())
    assert all(re.search(hook["files"], "policies/search.yaml") for hook in HOOKS.values())
    return path


def called(tailc, hook: str):
    program, *words = shlex.split(HOOKS[hook]["entry"])
    assert program == "tailc"
    return tailc(*words, "policies/search.yaml")


def test_the_check_passes_a_right_spec_and_stops_a_wrong_one(spec, tailc):
    assert called(tailc, "tailc-check").code == 0
    spec.write_text(with_lines(("quantum: 5ms", "quantum: 5")))
    assert called(tailc, "tailc-check").code == 65


def test_the_formatter_changes_a_spec_once(spec, tailc):
    spec.write_text(with_lines().replace("name: ", "name:   "))
    assert called(tailc, "tailc-fmt").code == 0
    formatted = spec.read_text()
    assert "name:   " not in formatted
    assert called(tailc, "tailc-fmt").code == 0
    assert spec.read_text() == formatted


@pytest.mark.parametrize("path", ["deploy/policies.yaml", "policies/search.json", "x.yaml"])
def test_other_files_are_left_alone(path):
    assert not any(re.search(hook["files"], path) for hook in HOOKS.values())


def test_the_container_runs_as_a_user_and_installs_what_the_project_says():
    lines = (ROOT / "Containerfile").read_text().splitlines()
    last_stage = lines[max(n for n, line in enumerate(lines) if line.startswith("FROM ")) :]
    assert "USER tailc" in last_stage
    assert last_stage.index("USER tailc") < last_stage.index('ENTRYPOINT ["tailc"]')
    (installed,) = [line for line in lines if "pip install" in line]
    assert installed.endswith("'/src[sign]'")
