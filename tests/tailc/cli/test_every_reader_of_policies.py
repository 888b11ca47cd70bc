"""Every command of the tree that reads a policy refuses one that no trusted key has signed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from tailc.artifact.files import write_policy
from tailc.cli import BELOW, COMMANDS
from tests.tailc.artifact.published import VECTORS, small_policy

KEY, OTHER_KEY = (str(VECTORS / "signed" / f"test-key-{number}.pem") for number in (1, 2))
# Arguments that name a policy, and options that name one or the keys to trust.
POLICY_ARGUMENTS = {"artifact", "artifacts", "old", "new"}
POLICY_OPTIONS = {"previous", "over", "trust"}
# What each command needs besides, so that it reads the policy `p`.
WORDS = {
    "advance": "advance p --to 2026-01-01T00:00Z -o out.json",
    "compile": "compile gone.yaml --previous p",
    "diff": "diff p p",
    "embed": "embed p --lang c -o out.h",
    "export": "export servers p -o out.csv",
    "inspect": "inspect p",
    "lookup": "lookup p --in-system 3",
    "migrate": "migrate p",
    "replan": "replan p --spec gone.yaml --state gone.json -o out",
    "report": "report p --trace gone.csv -o out.html",
    "rollback": "rollback p --over p -o out",
    "size": "size p --trace gone.csv",
    "test": "test tests.yaml",
    "verify": "verify p --trace gone.csv",
    "why": "why p --in-system 3 --trace gone.csv",
}
TESTS = (
    "apiVersion: tailc/v1\nkind: policy-tests\npolicy: p\ntests:\n"
    "  - {name: idle, lookup: {in-system: 1}, expect: {start: now}}\n"
)
# It signs policies; `fleet diff` compares folders, whose policies each command of a service reads.
OTHERS = {"sign", "fleet diff"}
TESTS = """\
apiVersion: tailc/v1
kind: policy-tests
policy: p
tests:
  - {name: idle, lookup: {in-system: 0}, expect: {start: now}}
"""


@pytest.fixture
def with_tests(in_folder: Path) -> Path:
    """The working directory, with a file of tests of `p`."""
    (in_folder / "tests.yaml").write_text(TESTS)
    return in_folder


@pytest.fixture(autouse=True)
def tests_of_policy(in_folder):
    (in_folder / "tests.yaml").write_text(TESTS)


TESTS = """\
apiVersion: tailc/v1
kind: policy-tests
policy: p
tests:
  - {name: idle, lookup: {in-system: 1}, expect: {start: now}}
"""


@pytest.fixture(autouse=True)
def _file_of_tests(in_folder) -> None:
    (in_folder / "tests.yaml").write_text(TESTS)


def commands() -> Iterator[tuple[str, click.Command]]:
    files = {name: name.replace("-", "_") for name in COMMANDS}
    files |= {" ".join(words): file for words, file in BELOW.items()}
    for name, file in files.items():
        yield name, import_module(f"tailc.cli.{file}_command").command


def reads_a_policy(command: click.Command) -> bool:
    arguments = {one.name for one in command.params if isinstance(one, click.Argument)}
    options = {one.name for one in command.params if isinstance(one, click.Option)}
    return bool(arguments & POLICY_ARGUMENTS or options & POLICY_OPTIONS)


def reading_commands() -> list[str]:
    return [name for name, command in commands() if reads_a_policy(command)]


def test_the_list_has_every_command_that_reads_a_policy() -> None:
    assert {*reading_commands()} - OTHERS == {*WORDS}


@pytest.mark.parametrize("name", WORDS)
def test_a_policy_without_a_signature_is_refused(name: str, with_tests, tailc) -> None:
    write_policy(small_policy(), with_tests / "p")
    before = sorted(path.name for path in with_tests.iterdir())
    ended = tailc(*WORDS[name].split(), "--trust", KEY)
    assert (ended.code, "error[TC0405]" in ended.err) == (5, True), ended
    assert sorted(path.name for path in with_tests.iterdir()) == before


@pytest.mark.parametrize("name", WORDS)
def test_a_policy_of_another_key_is_refused(name: str, with_tests, tailc, monkeypatch) -> None:
    shutil.copy(VECTORS / "signed" / "good.tailc", with_tests / "p.tailc")
    monkeypatch.setenv("TAILC_TRUST", OTHER_KEY)
    ended = tailc(*WORDS[name].split())
    assert (ended.code, "error[TC0406]" in ended.err) == (5, True), ended
