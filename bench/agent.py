"""What the host agent needs: the size of its program, its memory, and its part of a core.

    python -m bench.agent

Each kind runs for ten seconds at its default tick, on a copy of a machine in memory. Counters go
on; for the kinds with requests, both cores start and end one every 10 ms. The last row is a loop
that only sleeps for 4 ms: what wake-ups cost here. The aim is at most 10 MB, 20 MB, and 1 % of a
core.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench.timing import ROOT, end, show
from tailc.artifact.files import read_policy, write_policy
from tailc.forms.ladder.table import Ladder, Lane
from tailc.forms.tail_table import TailTable

AGENT = ROOT / "runtimes" / "agent"
VECTORS = ROOT / "schemas" / "vectors" / "v1"
SECONDS = 10.0
STEP_S, SLEEP_S = 0.01, 0.004
HEADER = ("kind", "tick", "program, MB", "memory, MB", "of a core")


def main() -> None:
    program = built()
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.exists() else None) as folder:
        kinds = ("autopro", "rubik", "elfen")
        rows = [measured(program, Path(folder), kind) for kind in kinds]
        rows.append(measured(program, Path(folder) / "counted", "elfen", is_counted=True))
    show(HEADER, [*rows, ("only sleeps", "4 ms", "", "", f"{sleeping():.2%}")])
    end()


def built() -> Path:
    """The agent with optimisation."""
    target = ROOT / "build" / "rust"
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target), "CARGO_BUILD_JOBS": "1"}
    command = ["cargo", "build", "--quiet", "--release"]
    subprocess.run(command, cwd=AGENT, env=environment, check=True)
    return target / "release" / "tailc-agent"


def measured(
    program: Path, folder: Path, kind: str, *, is_counted: bool = False
) -> tuple[str, ...]:
    folder.mkdir(exist_ok=True)
    root, board = folder / kind, folder / f"{kind}-board"
    groups = {
        "autopro": ["encoder", "hasher", "nightly"],
        "rubik": ["batch0", "batch1"],
        "elfen": ["batch0", "batch1"],
    }[kind]
    subprocess.run(
        [sys.executable, AGENT / "fake_machine.py", "v1-acpi-smt", root, *groups], check=True
    )
    counter = folder / "counter"
    counter.write_bytes(bytes(8))
    words = [str(program), "run", str(policy_of(kind, folder)), "--root", str(root)]
    if kind == "autopro":
        words += [f"--cgroup={group}=/{group}" for group in groups]
        words += [f"--throughput={name}=words:{counter}" for name in groups[:2]]
    else:
        words += ["--board", str(board)]
    if kind == "elfen":
        words += [f"--batch={at}=/{group}" for at, group in enumerate(groups)]
    if is_counted:
        write_counters(root / "counters")
        words += ["--count", "cpus"]
    agent = subprocess.Popen(words)
    try:
        time.sleep(0.5)
        before, begun = cpu_s(agent.pid), time.perf_counter()
        serve(counter if kind == "autopro" else board)
        used = (cpu_s(agent.pid) - before) / (time.perf_counter() - begun)
        held = peak_mb(agent.pid)
    finally:
        agent.terminate()
        agent.wait()
    tick = "50 ms" if kind == "autopro" else "4 ms"
    size = f"{program.stat().st_size / 1e6:.2f}"
    return (f"{kind}, counted" if is_counted else kind, tick, size, f"{held:.1f}", f"{used:.2%}")


def write_counters(folder: Path) -> None:
    """Of the copy, for two CPUs."""
    folder.mkdir()
    for cpu in range(2):
        (folder / str(cpu)).write_text("1000000 2000000 300000\n")


def policy_of(kind: str, folder: Path) -> Path:
    """For two cores of a server, or the three machines of the example."""
    if kind == "autopro":
        return ROOT / "examples" / "autopro" / "expected.tailc"
    policy = read_policy(VECTORS / ("tails.json" if kind == "rubik" else "lanes.json"))
    form = two_cores(policy.tail_table) if policy.tail_table else two_lanes(policy.ladders[0])
    return write_policy(replace(policy, forms=(form,)), folder / f"{kind}-policy")[1]


def two_cores(table: TailTable) -> TailTable:
    return replace(table, cores=2)


def two_lanes(ladder: Ladder) -> Ladder:
    shared, alone = ladder.rungs
    rungs = (replace(shared, lane=Lane.SHARED), replace(alone, lane=Lane.ALONE))
    units = (replace(ladder.cost_units[0], capacity_ppm=2_000_000), *ladder.cost_units[1:])
    return replace(ladder, rungs=rungs, cost_units=units)


def serve(path: Path) -> None:
    """Count, or begin and end requests, for the time of the measurement."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        words = memoryview(mapped).cast("Q")
        until = time.perf_counter() + SECONDS
        lines = [8 + core * words[2] for core in range(2)] if len(words) > 1 else []
        is_busy = False
        while time.perf_counter() < until:
            is_busy = not is_busy
            if not lines:
                words[0] += 3
            for line in lines:
                words[line] = time.monotonic_ns() if is_busy else 0
            time.sleep(STEP_S)
        words.release()


def sleeping() -> float:
    """The part of a core of a process that only wakes up at each tick."""
    loop = f"import time\nwhile True: time.sleep({SLEEP_S})"
    sleeper = subprocess.Popen([sys.executable, "-c", loop])
    try:
        time.sleep(0.5)
        before, begun = cpu_s(sleeper.pid), time.perf_counter()
        time.sleep(SECONDS)
        return (cpu_s(sleeper.pid) - before) / (time.perf_counter() - begun)
    finally:
        sleeper.kill()
        sleeper.wait()


def cpu_s(pid: int) -> float:
    """Processor time of a process, from its schedule statistics [ns]."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in threads) / 1e9


def peak_mb(pid: int) -> float:
    """The agent and its watchdog."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(resident_kb(int(each)) for each in (pid, *children)) / 1_000


def resident_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
