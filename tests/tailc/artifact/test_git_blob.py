"""Policies out of a Git repository, as `git` itself gives them."""

import os
import subprocess
from random import Random

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.artifact.git_blob import blob_of
from tailc.errors import TailcError
from tests.tailc.artifact.random_policies import random_policy

WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@b"))
}


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True, env={**os.environ, **WHO})


@pytest.fixture
def policies(in_folder):
    """An old policy that was committed, and a new one in its place that was not."""
    old, new = random_policy(Random(1)), random_policy(Random(2))
    git("init", "--initial-branch", "trunk")
    (in_folder / "policies").mkdir()
    write_policy(old, "policies/search")
    git("add", ".")
    git("commit", "--message", "old")
    git("tag", "v1")
    write_policy(new, "policies/search")
    return old, new


@pytest.mark.parametrize("path", ["search.tailc", "search.json", "search"])
def test_a_policy_is_read_as_it_was_at_a_revision(policies, path):
    old, new = policies
    assert old != new
    assert read_policy(f"git:v1:policies/{path}") == old
    assert read_policy(f"policies/{path}") == new


def test_a_path_may_count_from_the_working_directory(policies, in_folder, monkeypatch):
    monkeypatch.chdir(in_folder / "policies")
    assert read_policy("git:trunk:./search.tailc") == policies[0]
    assert read_policy("git:trunk:policies/search.tailc") == policies[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("git:v1", "it does not name a file of a revision"),
        ("git:v1:", "it does not name a file of a revision"),
        ("git:--help:policies/search.tailc", "it does not name a file of a revision"),
        ("git:v2:policies/search.tailc", "there is no such revision here"),
        ("git:v1:policies/other", "path 'policies/other.tailc' does not exist in 'v1'"),
        ("git:v1:policies/other.tailc", "path 'policies/other.tailc' does not exist in 'v1'"),
        ("git:v1:policies/other.json", "path 'policies/other.json' does not exist in 'v1'"),
    ],
)
def test_what_git_does_not_have_is_told_with_its_name(policies, name, said):
    with pytest.raises(TailcError) as refused:
        read_policy(name)
    (finding,) = refused.value.findings
    assert finding.code.ident == "TC0701"
    assert f"`{name}" in finding.message
    assert said in finding.message
    assert finding.help is not None


def test_a_folder_and_a_huge_file_are_no_policies(policies):
    with pytest.raises(TailcError, match="cannot be read"):
        read_policy("git:v1:policies")
    with pytest.raises(TailcError, match="larger than 0 MiB"):
        blob_of("git:v1:policies/search.tailc", (".tailc",), most_bytes=10)


def test_without_git_it_says_so(policies, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TailcError, match="git cannot be run: no such file or directory"):
        read_policy("git:v1:policies/search.tailc")


def test_a_file_of_that_name_is_that_file(policies, in_folder):
    write_policy(policies[1], in_folder / "git:v1:x.tailc")
    assert read_policy("git:v1:x.tailc") == policies[1]
