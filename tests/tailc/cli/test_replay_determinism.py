"""What a replay says is the same to the byte, whatever threads and hashes do."""

import json
import os
import subprocess
import sys

import pytest

from tailc.cli import run
from tests.tailc.toy import with_lines, write_toy

# One process for all commands: most of the time of one goes into its start.
RUN = """
import json, sys
from tailc.cli import run
from tailc.cli.light_numba import make_numba_light
make_numba_light()
for words in json.loads(sys.argv[1]):
    run(words)
    print("\\f", flush=True)
"""
QUICK = ("--requests", "400", "--replicates", "49", "--no-progress", "--output-format", "json")
# Requests of another service, so that drift is told too.
COMMANDS = {
    "diff": ("diff", "old", "new", "--trace", "other.csv", "--rate", "5/s"),
    "size": ("size", "old", "new", "--trace", "other.csv"),
    "simulate": ("simulate", "toy.yaml", "--trace", "other.csv", "--baselines", "seq,rc-2"),
    "verify": ("verify", "new", "--trace", "other.csv", "--baselines", "seq"),
}


def printed(folder, threads, hash_seed):
    """What each command prints, in a process of its own for all of them."""
    commands = [[*words, *QUICK, "--threads", threads] for words in COMMANDS.values()]
    told = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)],
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        check=True,
        capture_output=True,
    ).stdout
    return dict(zip(COMMANDS, told.split(b"\f\n")[:-1], strict=True))


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """Two policies, the spec of the second, and requests of another service."""
    folder = tmp_path_factory.mktemp("determinism")
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(300))
    other = "".join(f"{i},{30 + i * i % 89}\n" for i in range(400))
    (folder / "other.csv").write_text("request,demand_ms\n" + other)
    for stem, threads in (("old", 6), ("new", 4)):
        target = ("target_parallelism: 6", f"target_parallelism: {threads}")
        spec = write_toy(folder, with_lines(target), "request,demand_ms\n" + rows)
        assert run(["compile", spec, "-o", str(folder / stem), "--no-progress"]) == 0
    return folder


@pytest.fixture(scope="module")
def reference(services):
    return printed(services, threads="2", hash_seed="0")


@pytest.fixture(scope="module")
def again(services):
    return printed(services, threads="1", hash_seed="12345")


@pytest.mark.parametrize("command", COMMANDS)
def test_threads_and_hash_seed_do_not_show_in_what_a_replay_says(command, reference, again):
    assert b'"TC0652"' in reference[command]
    assert again[command] == reference[command]
