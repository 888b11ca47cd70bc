"""The web server of an example: whom its policy lets start, and on how many threads."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from tailc_runtime import NOW, ON_EXIT, WAIT

from tests.examples.scripts import script

# So long that it only ends a hang.
HANG_S = 300

server = script(Path(__file__).parents[2] / "examples" / "web" / "server.py")


def table(start, climb_us=0, quantum_us=1_000):
    """A policy of one or two threads, the second from an age on; `start` tells by load."""
    return SimpleNamespace(
        rungs=("1 thread", "2 threads"),
        quantum_us=quantum_us,
        lookup=lambda load, _waited_us, executed_us: (*start(load), int(executed_us >= climb_us)),
    )


@pytest.fixture
def started():
    """The names of those that the line let in, in order."""
    return []


def visits(line, names, started, leave):
    """Requests that arrive one after another, each in a thread, and stay until `leave`."""

    def visit(name):
        with line.stay():
            started.append(name)
            leave.wait(HANG_S)

    threads = []
    for number, name in enumerate(names):
        threads.append(threading.Thread(target=visit, args=(name,)))
        threads[-1].start()
        until(lambda number=number: line.in_system == number + 1)
    return threads


def until(holds):
    deadline = time.monotonic() + HANG_S
    while not holds():
        assert time.monotonic() < deadline, f"it did not come to that in {HANG_S} s"
        time.sleep(0.001)


def test_an_exit_lets_the_first_that_waits_start(started):
    line = server.Line(table(lambda load: (NOW, 0) if load == 1 else (ON_EXIT, 0)))
    leave = threading.Event()
    threads = visits(line, "abc", started, leave)
    until(lambda: started == ["a"])
    leave.set()
    for thread in threads:
        thread.join()
    assert (started, line.in_system) == (["a", "b", "c"], 0)


def test_a_wait_ends_by_itself(started):
    waits = {1: (NOW, 0), 2: (WAIT, 20_000)}
    is_over = threading.Event()
    line = server.Line(table(lambda load: (NOW, 0) if is_over.is_set() else waits[load]))
    leave = threading.Event()
    threads = visits(line, "ab", started, leave)
    until(lambda: started == ["a"])
    is_over.set()
    until(lambda: started == ["a", "b"])
    leave.set()
    for thread in threads:
        thread.join()


def test_whoever_is_alone_with_others_that_wait_starts(started):
    line = server.Line(table(lambda _load: (ON_EXIT, 0)))
    with line.stay():
        started.append("a")
    assert started == ["a"]


@pytest.mark.parametrize(("climb_us", "threads"), [(0, "2 threads"), (10**9, "1 thread")])
def test_a_request_runs_on_the_threads_of_its_age(climb_us, threads):
    policy = table(lambda _load: (NOW, 0), climb_us)
    with server.Server(0, policy) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        with urlopen(f"http://127.0.0.1:{served.server_port}/8") as answer:
            assert answer.read().decode() == f"8 parts on {threads}\n"
        served.shutdown()
