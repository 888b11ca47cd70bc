"""The example's machines signal their work, shares are enforced, and records can be read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "autopro"
# So long that it only ends a hang.
HANG_S = 300

enforce = script(FOLDER / "enforce.py")


def test_the_readme_shows_the_table_of_the_record(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    experiment = script(FOLDER / "experiment.py")
    found = json.loads((FOLDER / "measured.json").read_text())
    assert experiment.table(found) in (FOLDER / "README.md").read_text()


def test_on_the_replay_the_controller_keeps_the_targets(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    experiment = script(FOLDER / "experiment.py")
    import tailc

    shares = tailc.compile_policy(str(FOLDER / "service.yaml")).policy.shares
    runs, mode = experiment.replayed(shares)
    assert mode == "replay"
    for name, told in runs["AutoPro"].items():
        assert told["error"] < runs["equal shares"][name]["error"]
        assert told["throughput"] == pytest.approx(told["target"], rel=0.05)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_worker_signals_every_unit(tmp_path):
    counter = tmp_path / "hasher"
    counter.write_bytes(bytes(8))
    process = subprocess.Popen([sys.executable, str(FOLDER / "worker.py"), "hasher", str(counter)])
    try:
        until = time.monotonic() + HANG_S
        while counter.read_bytes() == bytes(8):
            assert time.monotonic() < until, "the worker signalled nothing"
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


def test_a_duty_cycle_gives_processes_their_parts_of_a_period(monkeypatch):
    """By the clock alone; no process has these numbers, and none is signalled."""
    first, second = (1 << 30) + 1, (1 << 30) + 2
    told = []
    monkeypatch.setattr(enforce.os, "kill", lambda pid, number: told.append((pid, number)))
    monkeypatch.setattr(enforce, "_sleep_until", lambda at_s: told.append(round(at_s * 1e6)))
    monkeypatch.setattr(enforce.time, "perf_counter", lambda: 0.0)
    monkeypatch.setattr(enforce.threading, "Thread", mock.Mock())
    cycle = enforce.DutyCycle([first, second])
    cycle.give({first: 0.25, second: 0.5})
    cycle._stops = mock.Mock(is_set=mock.Mock(side_effect=[False, False, True]))
    told.clear()
    cycle._run()
    wanted = []
    for at_us in (0, 50_000):
        wanted += [(first, signal.SIGCONT), at_us + 12_500, (first, signal.SIGSTOP)]
        wanted += [(second, signal.SIGCONT), at_us + 37_500, (second, signal.SIGSTOP)]
        wanted.append(at_us + 50_000)
    assert told == wanted


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_duty_cycle_stops_a_process_and_lets_it_go_on():
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        cycle = enforce.DutyCycle([process.pid])
        _await_state(process.pid, "T")
        cycle.give({process.pid: 0.5})
        for state in "RTRT":
            _await_state(process.pid, state)
    finally:
        process.kill()
        process.wait()
        cycle.remove()


def _await_state(pid: int, state: str) -> None:
    until = time.monotonic() + HANG_S
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != state:
        assert time.monotonic() < until, f"it was never `{state}`"
        time.sleep(0.001)
