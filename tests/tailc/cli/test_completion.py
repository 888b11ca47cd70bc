"""Words that shells complete."""

from __future__ import annotations

import shutil

import pytest
from click.shell_completion import ShellComplete

from tailc.artifact.files import read_policy
from tailc.cli import group
from tests.tailc.artifact.published import VECTORS


@pytest.fixture
def folder(in_folder):
    for name in ("classes", "plan"):
        shutil.copy(VECTORS / f"{name}.tailc", in_folder)
    for name in ("web.yaml", "api.yml", "demand.csv"):
        (in_folder / name).write_text("")
    (in_folder / "more").mkdir()
    (in_folder / "more" / "db.yaml").write_text("")
    return in_folder


def completed(words: str, begun: str = "") -> list[str]:
    shell = ShellComplete(group, {}, "tailc", "_TAILC_COMPLETE")
    return [item.value for item in shell.get_completions(words.split(), begun)]


def test_a_spec_is_completed_by_specs_and_folders(folder):
    assert completed("check") == ["api.yml", "more/", "web.yaml"]
    assert completed("compile", "w") == ["web.yaml"]
    assert completed("check web.yaml", "more/") == ["more/db.yaml"]


def test_a_policy_is_completed_by_policies(folder):
    assert completed("inspect") == ["classes.tailc", "more/", "plan.tailc"]
    assert completed("diff plan.tailc", "c") == ["classes.tailc"]


def test_any_file_is_completed_if_no_name_matches(folder):
    shell = ShellComplete(group, {}, "tailc", "_TAILC_COMPLETE")
    (item,) = shell.get_completions(["check"], "dem")
    assert (item.value, item.type) == ("dem", "file")


def test_names_are_those_of_the_policy(folder):
    classes = {one.request_class for one in read_policy("classes.tailc").ladders}
    assert completed("lookup classes.tailc --class") == sorted(filter(None, classes))
    plan = read_policy("plan.tailc").plan
    assert plan is not None
    assert completed("lookup plan.tailc --job") == sorted({job.name for job in plan.jobs})
    assert completed("lookup plan.tailc --pool") == sorted({pool.name for pool in plan.pools})


@pytest.mark.parametrize("words", ["lookup gone.tailc --class", "lookup demand.csv --job"])
def test_no_name_is_completed_without_a_policy(folder, words):
    assert completed(words) == []


def test_options_and_commands_are_completed_still(folder):
    assert "compile" in completed("", "comp")
    assert "--in-system" in completed("lookup classes.tailc", "--in")
