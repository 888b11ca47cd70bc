"""What a replay says is the same to the byte, whatever threads and hashes do."""

import os
import subprocess
import sys

import pytest

from tests.tailc.toy import with_lines, write_toy

RUN = "import sys; from tailc.cli import run; sys.exit(run(sys.argv[1:]))"
QUICK = ("--requests", "400", "--replicates", "49", "--no-progress", "--output-format", "json")
# Requests of another service, so that drift is told too.
COMMANDS = {
    "diff": ("diff", "old", "new", "--trace", "other.csv", "--rate", "5/s"),
    "size": ("size", "old", "new", "--trace", "other.csv"),
    "simulate": ("simulate", "toy.yaml", "--trace", "other.csv", "--baselines", "seq,rc-2"),
    "verify": ("verify", "new", "--trace", "other.csv", "--baselines", "seq"),
}


def printed(folder, words, hash_seed="0"):
    return subprocess.run(
        [sys.executable, "-c", RUN, *words],
        cwd=folder,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        check=False,
        capture_output=True,
    ).stdout


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """Two policies, the spec of the second, and requests of another service."""
    folder = tmp_path_factory.mktemp("determinism")
    rows = "".join(f"{i},{10 + i * i % 97}\n" for i in range(300))
    other = "".join(f"{i},{30 + i * i % 89}\n" for i in range(400))
    (folder / "other.csv").write_text("request,demand_ms\n" + other)
    for stem, threads in (("old", 6), ("new", 4)):
        target = ("target_parallelism: 6", f"target_parallelism: {threads}")
        write_toy(folder, with_lines(target), "request,demand_ms\n" + rows)
        printed(folder, ("compile", "toy.yaml", "-o", stem))
        assert (folder / f"{stem}.tailc").exists()
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_threads_and_hash_seed_do_not_show_in_what_a_replay_says(command, services):
    words = (*COMMANDS[command], *QUICK)
    reference = printed(services, (*words, "--threads", "2"))
    assert b'"TC0652"' in reference
    assert printed(services, (*words, "--threads", "1"), hash_seed="12345") == reference
