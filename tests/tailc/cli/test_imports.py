"""What each command may import: start-up time is a promise, and imports are most of it."""

import json
import subprocess
import sys
from dataclasses import replace

import click
import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.cli import COMMANDS, group, run
from tests.tailc.toy import write_toy

HEAVY = {
    "control",
    "cryptography",
    "duckdb",
    "google.protobuf",
    "flatbuffers",
    "matplotlib",
    "numba",
    "numpy",
    "opentelemetry",
    "pyarrow",
    "pydantic",
    "rfc8785",
    "rich",
    "ruamel",
    "scipy.optimize",
    "scipy.stats",
}
ARTIFACT = {"flatbuffers", "numpy", "rfc8785"}
SPEC = {"numpy", "pydantic", "ruamel"}
SOLVE = ARTIFACT | SPEC | {"numba", "pyarrow"}

REPORT_IMPORTS = """
import json, sys
from tailc.cli import run
code = run(json.loads(sys.argv[1]))
assert code == 0, code
print("\\n" + json.dumps(sorted(sys.modules)))
"""


def imported(folder, *arguments):
    """Modules in a fresh process after a command line has run."""
    call = [sys.executable, "-c", REPORT_IMPORTS, json.dumps(list(arguments))]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("imports")
    assert run(["compile", write_toy(folder), "-o", str(folder / "toy")]) == 0
    policy = read_policy(str(folder / "toy.tailc"))
    replayed = replace(policy, evidence=replace(policy.evidence, method="auto", proof="replayed"))
    write_policy(replayed, str(folder / "replayed"))
    return folder


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["compile", "--help"], set()),
        (["verify", "--help"], set()),
        (["schema"], SPEC),
        (["check", "toy.yaml"], SPEC),
        (["lookup", "toy.tailc", "--in-system", "3"], ARTIFACT),
        (["why", "toy.tailc", "--in-system", "3"], ARTIFACT),
        (["inspect", "toy.tailc"], ARTIFACT),
        (["inspect", "replayed.tailc"], ARTIFACT),
        (["report", "toy.tailc", "-o", "toy.html"], ARTIFACT),
        (["diff", "toy.tailc", "toy.json"], ARTIFACT),
        (["compile", "toy.yaml", "-o", "again"], SOLVE),
    ],
)
def test_a_command_imports_no_more_than_it_runs(folder, arguments, allowed):
    assert imported(folder, *arguments) & HEAVY <= allowed


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_help_of_each_does(name):
    with click.Context(group) as context:
        command = group.get_command(context, name)
    assert command.get_short_help_str(limit=80) == COMMANDS[name]


def test_the_list_of_commands_imports_none(folder):
    assert not [name for name in imported(folder, "--help") if name.endswith("_command")]
