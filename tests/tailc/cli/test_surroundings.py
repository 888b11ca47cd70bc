"""Repetition, the clock and the load of the machine change no byte; no command needs a network."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tailc.artifact.files import read_policy, write_policy
from tests.tailc.artifact.published import lucene_policy, small_policy
from tests.tailc.cli.test_canaries import COMMANDS, codes_of, write_inputs
from tests.tailc.toy import with_lines, write_toy

DUAL = with_lines(("search: {method: grid, step: 50ms}", "search: {method: dual}"))
WITHOUT_RATES = DUAL.replace("rates: [10/s]\n", "")


def spec_of(folder: Path, text: str = WITHOUT_RATES) -> str:
    """A spec of 300 requests, written there."""
    demand = np.random.default_rng(3).gamma(1.6, 60.0, 300).round(3) + 1
    rows = "".join(f"{number},{ms}\n" for number, ms in enumerate(demand))
    return write_toy(folder, text, f"request,demand_ms\n{rows}")


def compiled(tailc, spec: str, stem: str) -> tuple[bytes, ...]:
    ended = tailc("compile", spec, "-o", stem, "--allow-misses", "--no-progress")
    assert ended.code == 0, ended.err
    return tuple(Path(f"{stem}{suffix}").read_bytes() for suffix in (".json", ".tailc"))


class SteppingClock:
    """A clock that runs ten times as fast, and steps by up to an hour in either direction."""

    def __init__(self, read: Callable[[], float], steps: bool) -> None:
        self._read, self._first, self._steps = read, read(), steps
        self._random = random.Random(1)

    def seconds(self) -> float:
        step_s = self._random.uniform(-3_600, 3_600) if self._steps else 0
        return self._first + 10 * (self._read() - self._first) + step_s

    def nanoseconds(self) -> int:
        return int(self.seconds() * 1e9)


@pytest.fixture
def stepping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the clock of the day steps: the others never go back."""
    for name in ("time", "monotonic", "perf_counter"):
        clock = SteppingClock(getattr(time, name), steps=name == "time")
        monkeypatch.setattr(time, name, clock.seconds)
        monkeypatch.setattr(time, f"{name}_ns", clock.nanoseconds)


@pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.fuzz)])
def test_a_compile_gives_the_same_bytes_each_time(times: int, in_folder: Path, tailc) -> None:
    spec = spec_of(in_folder)
    assert len({compiled(tailc, spec, f"stem{number}") for number in range(times)}) == 1


@pytest.mark.parametrize("text", [WITHOUT_RATES, pytest.param(DUAL, marks=pytest.mark.fuzz)])
def test_the_clock_does_not_matter(
    text: str, in_folder: Path, tailc, request: pytest.FixtureRequest
) -> None:
    spec = spec_of(in_folder, text)
    right = compiled(tailc, spec, "right")
    request.getfixturevalue("stepping")
    assert compiled(tailc, spec, "stepped") == right


def test_two_writers_and_a_reader_need_no_clock(in_folder: Path, stepping: None) -> None:
    """What is newest by the times of files may be the older one."""
    old, new = lucene_policy(), small_policy()
    for number in range(10):
        write_policy((old, new)[number % 2], "p")
        os.utime("p.tailc", (2_000_000_000 - number, 2_000_000_000 - number))
        assert read_policy("p") == (old, new)[number % 2]
    assert sorted(path.name for path in in_folder.iterdir()) == ["p.json", "p.tailc"]


@pytest.mark.fuzz
def test_a_compile_that_has_a_tenth_of_a_processor_gives_the_same_bytes(
    in_folder: Path, tailc
) -> None:
    spec = spec_of(in_folder, DUAL)
    right = compiled(tailc, spec, "right")
    command = "import sys; from tailc.cli import run; sys.exit(run(sys.argv[1:]))"
    words = ["compile", spec, "-o", "slow", "--allow-misses", "--no-progress"]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(20)]
    try:
        child = subprocess.Popen([sys.executable, "-c", command, *words])
        while child.poll() is None:
            child.send_signal(signal.SIGSTOP)
            time.sleep(0.09)
            child.send_signal(signal.SIGCONT)
            time.sleep(0.01)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert child.returncode == 0
    slow = tuple(Path(f"slow{suffix}").read_bytes() for suffix in (".json", ".tailc"))
    assert slow == right


RUN_ALL = """
import sys
from tailc.cli import run
print([int(run(words.split())) for words in sys.argv[1:]])
"""


@pytest.mark.fuzz
def test_commands_work_without_a_network(in_folder: Path) -> None:
    """In a namespace of its own, without an interface; `conftest.py` watches all other tests."""
    write_inputs(in_folder, random.Random(1), ["a", "b", *map(str, range(500))])
    command = ["unshare", "--map-root-user", "--net", sys.executable, "-c", RUN_ALL, *COMMANDS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    codes = json.loads(done.stdout.splitlines()[-1])
    assert all(code in codes_of(words) for code, words in zip(codes, COMMANDS, strict=True)), codes
