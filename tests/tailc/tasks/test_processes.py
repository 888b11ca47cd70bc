"""Tasks in local processes: results in order for any number of them, and no process remains."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tailc.tasks.engine import LostTask
from tailc.tasks.processes import LocalProcesses

ROOT = Path(__file__).parents[3]
LOSES_ITSELF, REFUSES = 4, 5

# Interrupted while both of its processes work on something long. Where a shell starts the tests in
# its background, they ignore interrupts, and so would it.
INTERRUPTED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from tailc.tasks.processes import LocalProcesses
from tests.tailc.tasks.test_processes import announce
try:
    LocalProcesses(2).run_all(announce, ["first", "second"], print)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def square(number: int) -> int:
    """Of small numbers it takes longest, so that they are done last."""
    if number == LOSES_ITSELF:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == REFUSES:
        raise ValueError("five is refused")
    time.sleep(0.05 / (1 + number))
    return number * number


def announce(name: str) -> None:
    """Say who works, and be long about it."""
    os.write(1, f"{name} {os.getpid()}\n".encode())
    time.sleep(600)


def ignored(number: int, _result: object) -> None:
    assert number >= 0


@pytest.mark.parametrize("processes", [1, 2])
def test_results_are_in_the_order_of_the_cases(processes):
    ended: dict[int, object] = {}
    results = LocalProcesses(processes).run_all(square, [0, 1, 2, 3], ended.__setitem__)
    assert results == [0, 1, 4, 9]
    assert ended == dict(enumerate(results))


def test_a_process_that_dies_loses_its_case_alone():
    assert LocalProcesses(2).run_all(square, [1, LOSES_ITSELF, 2, 3], ignored) == [
        1,
        LostTask(),
        4,
        9,
    ]


def test_what_a_case_raises_is_raised_here():
    with pytest.raises(ValueError, match="five is refused"):
        LocalProcesses(2).run_all(square, [REFUSES, 1], ignored)


def test_a_worker_that_starts_after_the_end_does_nothing():
    late = (
        "from multiprocessing import Pipe; from tailc.tasks.processes import _prepare_worker; "
        "reader, writer = Pipe(duplex=False); {}_prepare_worker(reader); print('works', flush=True)"
    )
    for closed, said in (("", "works\n"), ("writer.close(); ", "")):
        command = [sys.executable, "-c", late.format(closed)]
        ended = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, said, "")


def test_an_interrupt_ends_all_processes_without_a_word():
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert started.stdout is not None
    workers = [int(started.stdout.readline().split()[1]) for _ in range(2)]
    # As a terminal does: to all of them.
    os.killpg(started.pid, signal.SIGINT)
    try:
        out, err = started.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        raise
    assert (out, err) == ("interrupted\n", "")
    assert [pid for pid in workers if Path(f"/proc/{pid}").exists()] == []


def test_processes_end_with_one_that_is_killed():
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert {started.stdout.readline().split()[0] for _ in range(2)} == {"first", "second"}
    started.kill()
    # They hold the pipe as long as they live; their work would take ten minutes.
    assert started.communicate(timeout=300)[0] == ""
