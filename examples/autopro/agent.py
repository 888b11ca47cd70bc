"""Let `tailc-agent` share two cores of this machine, and end it by SIGKILL.

    python examples/autopro/agent.py [--agent PROGRAM] [--seconds S]

Each machine is a control group with one worker for each core. The agent reads their counters and
sets their limits; the table has the mean error of each throughput at the steps after a warm-up,
from the agent's journal. Afterwards all limits must be as before. It needs root.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from worker import COUNT_BYTES

from tailc import read_artifact

FOLDER = Path(__file__).parent
V2, V1 = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/cpu")
CORES = 2
WARM_UP_S = 6.0
LEAST_S = 10.0
PERCENT = 100
KNOBS = ("cpu.max", "cpu.weight", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares")


def main() -> None:
    """Run, print the table, and check that nothing is left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--agent", default="tailc-agent")
    parser.add_argument("--seconds", type=float, default=45.0)
    arguments = parser.parse_args()
    if arguments.seconds < LEAST_S:
        parser.error(f"--seconds must be at least {LEAST_S}, of which {WARM_UP_S} are the warm-up")
    policy = FOLDER / "expected.tailc"
    shares = read_artifact(str(policy)).shares
    assert shares is not None
    names = [machine.name for machine in shares.machines]
    with tempfile.TemporaryDirectory() as folder, _groups(names) as groups:
        with _workers(groups, Path(folder)):
            before, load = _limits(groups), os.getloadavg()[0]
            journal = Path(folder) / "journal.csv"
            command = [arguments.agent, "run", str(policy), "--cores", str(CORES)]
            command += ["--journal", str(journal), "--state", str(Path(folder) / "undo")]
            for name, group in groups.items():
                command.append(f"--cgroup={name}=/{group.name}")
            for machine in shares.served_machines:
                command.append(f"--throughput={machine.name}=words:{Path(folder) / machine.name}")
            agent = subprocess.Popen(command)
            with contextlib.suppress(subprocess.TimeoutExpired):
                sys.exit(f"the agent ended with exit code {agent.wait(arguments.seconds)}")
            agent.kill()
            agent.wait()
            time.sleep(0.5)
            is_undone = _limits(groups) == before
        targets = {one.name: (one.target_milli or 0) / 1_000 for one in shares.served_machines}
        _print(journal, targets, load)
    print("after SIGKILL, all limits are as before" if is_undone else "limits are left behind")
    sys.exit(not is_undone)


@contextlib.contextmanager
def _groups(names: list[str]) -> Iterator[dict[str, Path]]:
    base = V2 if (V2 / "cgroup.controllers").exists() else V1
    groups = {name: base / f"tailc-demo-{name}" for name in names}
    try:
        for group in groups.values():
            try:
                group.mkdir(exist_ok=True)
            except OSError as why:
                sys.exit(f"no control group of our own: {why}; run it as root")
        if not any((group / knob).exists() for group in groups.values() for knob in KNOBS):
            sys.exit(f"{base} has no limits of processor time")
        yield groups
    finally:
        for group in groups.values():
            with contextlib.suppress(FileNotFoundError):
                group.rmdir()


@contextlib.contextmanager
def _workers(groups: dict[str, Path], folder: Path) -> Iterator[None]:
    started = []
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    for name, group in groups.items():
        counter = folder / name
        counter.write_bytes(bytes(COUNT_BYTES * len(cores)))
        for number, core in enumerate(cores):
            command = [sys.executable, str(FOLDER / "worker.py"), name, str(counter), str(number)]
            started.append(subprocess.Popen(command))
            os.sched_setaffinity(started[-1].pid, {core})
            (group / "cgroup.procs").write_text(str(started[-1].pid), encoding="ascii")
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
        time.sleep(0.2)


def _limits(groups: dict[str, Path]) -> list[str]:
    files = [group / knob for group in groups.values() for knob in KNOBS]
    return [file.read_text(encoding="ascii") for file in files if file.exists()]


def _print(journal: Path, targets: dict[str, float], load: float) -> None:
    rows = list(csv.DictReader(journal.read_text(encoding="ascii").splitlines()))
    rows = [row for row in rows if float(row["time_ms"]) >= WARM_UP_S * 1_000]
    print(f"load average before: {load:.2f}")
    print("| machine | target | throughput | mean error | mean share |")
    print("|---|---:|---:|---:|---:|")
    for name, target in targets.items():
        own = [row for row in rows if row["machine"] == name]
        throughput = [float(row["throughput"]) for row in own]
        error = sum(abs(one / target - 1) for one in throughput) / len(own)
        share = sum(float(row["share"]) for row in own) / len(own)
        mean = sum(throughput) / len(own)
        print(
            f"| {name} | {target:.0f}/s | {mean:.0f}/s | {error * PERCENT:.1f} % "
            f"| {share * PERCENT:.1f} % |"
        )


if __name__ == "__main__":
    main()
