"""Lock files: a compile of other inputs, or with another result, writes nothing."""

from __future__ import annotations

import json

import pytest

from tailc.errors import ExitCode
from tests.tailc.toy import SPEC, write_toy


@pytest.fixture
def locked(in_folder, tailc):
    """The worked example and its lock file."""
    write_toy(in_folder)
    assert tailc("compile", "toy.yaml", "-o", "first", "--write-lock", "tailc.lock").code == 0
    return in_folder / "tailc.lock"


def compiled(tailc, *words):
    return tailc("compile", "toy.yaml", "-o", "again", "--locked", "tailc.lock", *words)


def test_the_same_inputs_give_the_same_policy(locked, in_folder, tailc):
    assert compiled(tailc).code == 0
    assert (in_folder / "again.tailc").read_bytes() == (in_folder / "first.tailc").read_bytes()
    assert set(json.loads(locked.read_text())["files"]) == {"toy.csv"}


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("toy.csv", "request,demand_ms\n1,50\n2,151\n", "file `toy.csv`: has other content"),
        ("toy.yaml", SPEC.replace("10/s", "9/s"), "spec `rates[0]`: `9/s`, was `10/s`"),
        ("toy.yaml", SPEC + "x-owner: me\n", "spec `x-owner`: `me` is new"),
    ],
)
def test_another_input_is_named_and_nothing_is_written(locked, in_folder, tailc, file, text, words):
    (in_folder / file).write_text(text)
    ended = compiled(tailc)
    assert ended.code == ExitCode.INTEGRITY
    assert "error[TC0608]" in ended.err
    assert words in ended.err
    assert not (in_folder / "again.tailc").exists()


def test_another_option_is_named(locked, in_folder, tailc):
    ended = compiled(tailc, "--max-evaluations", "5")
    assert ended.code == ExitCode.INTEGRITY
    assert "option `max_evaluations`" in ended.err


def test_another_version_of_a_package_is_named(locked, tailc):
    document = json.loads(locked.read_text())
    document["versions"]["numpy"] = "1.0"
    locked.write_text(json.dumps(document))
    assert "version of `numpy`" in compiled(tailc).err


def test_another_result_is_refused_before_it_is_written(locked, in_folder, tailc):
    document = json.loads(locked.read_text())
    document["policy_digest"] = "0" * 64
    locked.write_text(json.dumps(document))
    ended = compiled(tailc)
    assert ended.code == ExitCode.INTEGRITY
    assert "give another policy" in ended.err
    assert not (in_folder / "again.tailc").exists()


@pytest.mark.parametrize("text", ["{}", "[" * 5_000 + "]" * 5_000])
def test_a_file_that_is_no_lock_is_refused(locked, tailc, text):
    locked.write_text(text)
    assert "`tailc.lock` is no lock file" in compiled(tailc).err
    locked.unlink()
    assert compiled(tailc).code == ExitCode.CANNOT_READ


@pytest.mark.parametrize("file", ["new.json", "new.tailc", "toy.csv", "new.html"])
def test_a_lock_is_no_other_file_of_the_command(in_folder, tailc, file):
    write_toy(in_folder)
    before = (in_folder / "toy.csv").read_text()
    words = ("-o", "new", "--report", "new.html", "--force", "--write-lock", file)
    assert tailc("compile", "toy.yaml", *words).code == ExitCode.USAGE
    assert (in_folder / "toy.csv").read_text() == before
    assert not (in_folder / "new.tailc").exists()


@pytest.mark.parametrize("option", ["--locked", "--write-lock"])
def test_a_policy_that_is_up_to_date_is_not_taken_as_checked(locked, tailc, option):
    ended = tailc("compile", "toy.yaml", "-o", "first", "--incremental", option, "tailc.lock")
    assert ended.code == ExitCode.USAGE
    assert f"`{option}`" in ended.err


def test_a_lock_replaces_only_a_lock(locked, in_folder, tailc):
    again = tailc("compile", "toy.yaml", "--dry-run", "--write-lock", "tailc.lock")
    assert again.code == 0
    for file in ("toy.yaml", "toy.csv"):
        ended = tailc("compile", "toy.yaml", "--dry-run", "--write-lock", file)
        assert ended.code == ExitCode.CANNOT_WRITE
        assert "is no lock file" in ended.err
    assert (in_folder / "toy.yaml").read_text() == SPEC


def test_a_dry_run_saves_a_plan_that_a_compile_executes(in_folder, tailc):
    write_toy(in_folder)
    planned = tailc("compile", "toy.yaml", "-o", "out", "--dry-run", "--write-lock", "plan.json")
    assert planned.code == 0
    assert not (in_folder / "out.tailc").exists()
    digest = json.loads((in_folder / "plan.json").read_text())["policy_digest"]
    done = tailc("compile", "toy.yaml", "-o", "out", "--locked", "plan.json")
    assert done.code == 0
    assert json.loads((in_folder / "out.json").read_text())["policy_digest"] == digest


def test_a_plan_is_refused_if_an_input_has_changed_since(in_folder, tailc):
    write_toy(in_folder)
    tailc("compile", "toy.yaml", "-o", "out", "--dry-run", "--write-lock", "plan.json")
    (in_folder / "toy.yaml").write_text(SPEC.replace("10/s", "9/s"))
    ended = tailc("compile", "toy.yaml", "-o", "out", "--locked", "plan.json")
    assert ended.code == ExitCode.INTEGRITY
    assert not (in_folder / "out.tailc").exists()
