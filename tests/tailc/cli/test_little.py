"""Commands work with little memory and without a home, a locale and a temporary folder."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tailc.errors import ExitCode
from tests.tailc.artifact.published import ROOT
from tests.tailc.cli.test_canaries import COMMANDS, codes_of, write_inputs

RUN = """
import sys
from tailc.cli import main
sys.argv = ["tailc", *sys.argv[1:]]
main()
"""
# As the first process of a container whose temporary folders cannot be written.
NAMESPACES = ["--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
CONTAINER = ["unshare", *NAMESPACES, "sh", "-c"]
READ_ONLY = "mount -t tmpfs -o ro none /tmp && mount -t tmpfs -o ro none /var/tmp && "
CGROUPS = Path("/sys/fs/cgroup/memory")
LIMIT = 512 << 20


@pytest.fixture
def prepared() -> Iterator[Path]:
    """Below the sources, since the commands cannot see /tmp."""
    folder = ROOT / "build" / "little"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    write_inputs(folder, random.Random(1), ["a", "b", *map(str, range(500))])
    yield folder
    shutil.rmtree(folder)


def ended(words: str, folder: Path, limit: str) -> subprocess.CompletedProcess[str]:
    """A command on one processor, after the shell has set a limit."""
    script = f'{READ_ONLY} {limit} exec taskset 1 "$@"'
    call = [*CONTAINER, script, "sh", sys.executable, "-c", RUN, *words.split()]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        call, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, (words, done.stderr)
    return done


@pytest.fixture
def cgroup() -> Iterator[Path]:
    """A group of processes that have 512 MiB together."""
    group = CGROUPS / "tailc-test"
    if not os.access(CGROUPS, os.W_OK) or os.geteuid() != 0:
        pytest.skip("no cgroup can be made here")
    group.mkdir()
    (group / "memory.limit_in_bytes").write_text(str(LIMIT))
    yield group
    group.rmdir()


@pytest.mark.fuzz
def test_every_command_works_within_512_mib(prepared: Path, cgroup: Path) -> None:
    for words in COMMANDS:
        done = ended(words, prepared, f"echo 0 > {cgroup}/tasks &&")
        assert done.returncode in codes_of(words), (words, done.stderr)
    assert (cgroup / "memory.failcnt").read_text() == "0\n"
    assert int((cgroup / "memory.max_usage_in_bytes").read_text()) > LIMIT >> 2


@pytest.mark.fuzz
@pytest.mark.parametrize("mib", [512, 1_024, 2_048])
def test_every_command_says_that_its_address_space_is_too_small(mib: int, prepared: Path) -> None:
    """It counts libraries and memory that is reserved and not used."""
    for words in COMMANDS:
        done = ended(words, prepared, f"ulimit -v {mib << 10} &&")
        works = done.returncode in codes_of(words)
        says_so = done.returncode == ExitCode.MISSING_PART and "memory" in done.stderr
        has_no_policy = done.returncode == ExitCode.CANNOT_READ and "`toy` cannot" in done.stderr
        assert works or (mib < 2_048 and (says_so or has_no_policy)), (words, done)


def test_a_command_that_gets_no_memory_says_so(tailc, monkeypatch: pytest.MonkeyPatch) -> None:
    def explained(_code: str) -> None:
        raise MemoryError

    monkeypatch.setattr("tailc.report.explanations.find_rule", explained)
    done = tailc("explain", "TC0101")
    assert done.code == ExitCode.MISSING_PART
    assert "TC0709" in done.err
    assert "too little memory" in done.err
