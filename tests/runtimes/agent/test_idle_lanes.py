"""Batch work that cannot be stopped: it goes to the CPU of the request, with SCHED_IDLE."""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import LoadAxis
from tests.runtimes.agent.program import contents, fake_machine, printed, run, until, would_write
from tests.runtimes.agent.test_elfen import lanes
from tests.runtimes.agent.test_undo import V2, removed, started
from tests.tailc.artifact.published import VECTORS

INPUTS = "time_us,core,started_us\n1000,0,\n2000,0,1500\n9000,0,1500\n10000,0,\n"


def words_for(folder: Path, root: Path) -> list[object]:
    ladder = lanes(1, (3, 5), LoadAxis.IN_SYSTEM)
    policy = replace(read_policy(VECTORS / "lanes.json"), forms=(ladder,))
    _, flat = write_policy(policy, folder / "policy")
    return ["run", flat, "--root", root, "--batch", "0=/batch0"]


def recorded(folder: Path) -> Path:
    (folder / "inputs.csv").write_text(INPUTS)
    return folder / "inputs.csv"


@pytest.mark.parametrize(
    ("layout", "weight", "sibling"),
    [("v1-acpi-smt", "cpu.shares", "4"), ("amd-epp", "cpu.weight", "4"),
     ("virtual-hybrid", "cpu.shares", "1")],
)  # fmt: skip
def test_batch_work_goes_to_the_cpu_of_a_request_that_is_to_be_alone(
    layout: str, weight: str, sibling: str, tmp_path: Path
) -> None:
    root = tmp_path / "machine"
    fake_machine.make(layout, root, ["batch0"])
    before = contents(root)
    words = [*words_for(tmp_path, root), "--inputs", recorded(tmp_path), "--leave", "idle"]
    writes = [(Path(path).name, value) for path, value in would_write(printed(*words, "--dry-run"))]
    old = next(value for path, value in before.items() if path.endswith(f"batch0/{weight}"))
    assert writes == [
        # The kernel forgets the weight of a group that becomes idle, so it is restored, too.
        (weight, old.strip()),
        ("cpu.idle", "1"),
        *(("cpuset.cpus", cpus) for cpus in (sibling, "0", sibling)),
    ]
    printed(*words)
    assert contents(root) == before


def test_a_group_that_cannot_be_frozen_moves(tmp_path: Path) -> None:
    root = tmp_path / "machine"
    fake_machine.make("v1-acpi-smt", root, ["batch0"])
    shutil.rmtree(root / "sys/fs/cgroup/freezer")
    words = [*words_for(tmp_path, root), "--inputs", recorded(tmp_path), "--dry-run"]
    done = run(*words)
    assert done.stderr.startswith("warning: `/batch0` cannot be frozen, so it moves")
    assert done.stdout.splitlines() == printed(*words, "--leave", "idle")
    done = run(*words, "--leave", "freeze")
    assert (done.returncode, "cannot be frozen" in done.stderr) == (69, True)
    shutil.rmtree(root / "sys/fs/cgroup/cpuset")
    for leave in ([], ["--leave", "idle"]):
        done = run(*words, *leave)
        assert done.returncode == 69
        wanted = "has no `cpu.idle`, or no `cpuset.cpus`" if leave else "cannot be frozen"
        assert wanted in done.stderr
    done = run(*words, "--leave", "stop")
    assert (done.returncode, "it is `freeze` or `idle`" in done.stderr) == (64, True)


@contextmanager
def real_groups() -> Iterator[dict[str, Path]]:
    """The folders of a control group of this machine, by controller, and a process in it."""
    is_v2 = (V2 / "cgroup.controllers").exists()
    name = f"tailc-test-{os.getpid()}"
    folders = {one: V2 / ("" if is_v2 else one) / name for one in ("cpu", "cpuset")}
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            try:
                for folder in folders.values():
                    folder.mkdir(exist_ok=True)
                if not is_v2:
                    parent = folders["cpuset"].parent
                    for knob in ("cpuset.cpus", "cpuset.mems"):
                        (folders["cpuset"] / knob).write_text((parent / knob).read_text())
                for folder in folders.values():
                    (folder / "cgroup.procs").write_text(str(process.pid))
            except OSError as why:
                pytest.skip(f"no control group of our own: {why}")
            if not (folders["cpu"] / "cpu.idle").exists():
                pytest.skip("control groups without `cpu.idle`")
            yield folders
        finally:
            process.kill()
            process.wait()
            for folder in folders.values():
                until(lambda folder=folder: removed(folder), f"{folder} is removed")


def cpus_in(folder: Path) -> set[int]:
    (process,) = (folder / "cgroup.procs").read_text().split()
    return os.sched_getaffinity(int(process))


def test_a_group_of_this_machine_moves_and_is_restored(tmp_path: Path) -> None:
    """The CPUs of this machine count as two threads of one core."""
    if not {0, 1} <= os.sched_getaffinity(0):
        pytest.skip("CPU 0 or CPU 1 is not ours")
    with real_groups() as folders:
        root, board = tmp_path / "machine", tmp_path / "board"
        fake_machine.make("virtual-hybrid", root, [])
        shutil.rmtree(root / "sys/fs/cgroup")
        (root / "sys/fs/cgroup").symlink_to(V2)
        group, allowed = folders["cpu"], cpus_in(folders["cpu"])
        weight = group / ("cpu.weight" if (group / "cpu.weight").exists() else "cpu.shares")
        weight.write_text("512")
        words = [*words_for(tmp_path, root)[:-1], f"0=/{group.name}", "--leave", "idle"]
        with started(*words, "--board", board) as agent:
            until(lambda: cpus_in(group) == {1}, "batch work is on the other thread")
            assert (group / "cpu.idle").read_text() == "1\n"
            with board.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
                memoryview(mapped).cast("Q")[8] = time.monotonic_ns()
                until(lambda: cpus_in(group) == {0}, "batch work is on the CPU of the request")
                agent.send_signal(signal.SIGKILL)
            agent.wait()
            until(lambda: weight.read_text() == "512\n", "all is restored")
        assert (group / "cpu.idle").read_text() == "0\n"
        assert cpus_in(group) == allowed
