"""The example's machines signal their work, shares are enforced, and records can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.examples.scripts import script

FOLDER = Path(__file__).parents[2] / "examples" / "autopro"

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
        until = time.monotonic() + 20
        while counter.read_bytes() == bytes(8):
            assert time.monotonic() < until, "the worker signalled nothing in 20 s"
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


def test_a_duty_cycle_gives_a_process_its_part_of_the_time(tmp_path):
    """A quarter of a busy loop's time; other work on the machine can only take from it."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        cycle = enforce.DutyCycle([process.pid])
        cycle.give({process.pid: 0.25})
        time.sleep(0.5)
        used, begun = _cpu_s(process.pid), time.perf_counter()
        time.sleep(2)
        share = (_cpu_s(process.pid) - used) / (time.perf_counter() - begun)
        assert share < 0.45
    finally:
        process.kill()
        process.wait()
        cycle.remove()


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
