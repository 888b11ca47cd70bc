"""Machines on one core: started, measured every 50 ms, and given shares."""

from __future__ import annotations

import contextlib
import mmap
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import enforce
from worker import COUNT, COUNT_BYTES

FOLDER = Path(__file__).parent
TICK_S = 0.05
WINDOW_TICKS = STEP_TICKS = 15
# So many steps pass before anything counts.
WARM_UP_STEPS = 4


class Monitor:
    """The throughput of one machine: how many units it has signalled, in a window and at all."""

    def __init__(self, counter: Path) -> None:
        counter.write_bytes(bytes(COUNT_BYTES))
        with counter.open("r+b") as file:
            self._done = memoryview(mmap.mmap(file.fileno(), COUNT_BYTES)).cast(COUNT)
        self._seen: deque[tuple[float, int]] = deque(maxlen=WINDOW_TICKS + 1)
        self._seen.append((time.perf_counter(), 0))

    def look(self) -> None:
        """Once a tick."""
        self._seen.append((time.perf_counter(), self._done[0]))

    def windowed(self) -> float:
        """Units a second over the last window."""
        (first_s, first), (last_s, last) = self._seen[0], self._seen[-1]
        return (last - first) / (last_s - first_s)


class Host:
    """Running machines by name; `mode` says how their shares are enforced."""

    def __init__(self, pids: Mapping[str, int], monitors: Mapping[str, Monitor], way: enforce.Way):
        self.mode = way.name
        self._pids, self._monitors, self._way = pids, monitors, way
        self._next_s = time.perf_counter()

    def give(self, shares: Mapping[str, float]) -> None:
        """Shares of the core, by name."""
        self._way.give({self._pids[name]: share for name, share in shares.items()})

    def tick(self) -> dict[str, float]:
        """Units a second of each machine at the end of the next tick."""
        self._next_s += TICK_S
        if (left := self._next_s - time.perf_counter()) > 0:
            time.sleep(left)
        for monitor in self._monitors.values():
            monitor.look()
        return {name: monitor.windowed() for name, monitor in self._monitors.items()}


@contextlib.contextmanager
def running(names: Sequence[str]) -> Iterator[Host]:
    """The machines, all on the last core that this process may use."""
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as until_end:
        monitors = {name: Monitor(Path(folder) / name) for name in names}
        started = {name: _started(name, Path(folder) / name, core) for name in names}
        pids = {name: process.pid for name, process in started.items()}
        way = until_end.enter_context(enforce.way(list(pids.values())))
        try:
            yield Host(pids, monitors, way)
        finally:
            for process in started.values():
                process.kill()
                process.wait()


def _started(name: str, counter: Path, core: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(FOLDER / "worker.py"), name, str(counter)]
    process = subprocess.Popen(command)
    os.sched_setaffinity(process.pid, {core})
    return process
