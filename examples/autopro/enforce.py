"""Ways to give each of some processes a share of one core.

`way()` takes the first that this machine permits: CPU quotas of cgroup v2, those of cgroup v1, and
else a duty cycle of SIGSTOP and SIGCONT. All keep the same period.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

PERIOD_US = 50_000
US_PER_S = 1e6
# The least quota that the kernel takes.
LEAST_QUOTA_US = 1_000
# Beside other work on the machine: as if there were none, as far as weights can say so.
WEIGHT_V1, WEIGHT_V2 = 262_144, 10_000
V2, V1 = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/cpu")


class Way(Protocol):
    """How shares are enforced."""

    name: str

    def give(self, shares: Mapping[int, float]) -> None:
        """From now on each process, by its id, has that share of the core."""
        ...


class Quotas:
    """A cgroup for each process, with a quota for each period."""

    def __init__(self, name: str, root: Path, pids: list[int]) -> None:
        self.name = name
        self._is_v2 = name == "cgroup v2 quotas"
        self._folders = {pid: root / f"tailc-autopro-{pid}" for pid in pids}
        for pid, folder in self._folders.items():
            folder.mkdir()
            if self._is_v2:
                _write(folder / "cpu.weight", WEIGHT_V2)
            else:
                _write(folder / "cpu.shares", WEIGHT_V1)
                _write(folder / "cpu.cfs_period_us", PERIOD_US)
            _write(folder / "cgroup.procs", pid)

    def give(self, shares: Mapping[int, float]) -> None:
        for pid, share in shares.items():
            quota_us = max(int(share * PERIOD_US), LEAST_QUOTA_US)
            if self._is_v2:
                _write(self._folders[pid] / "cpu.max", f"{quota_us} {PERIOD_US}")
            else:
                _write(self._folders[pid] / "cpu.cfs_quota_us", quota_us)

    def remove(self) -> None:
        """After the processes have ended."""
        for folder in self._folders.values():
            folder.rmdir()


class DutyCycle:
    """One process at a time runs, each for its share of every period."""

    name = "duty cycle"

    def __init__(self, pids: list[int]) -> None:
        self._shares = dict.fromkeys(pids, 0.0)
        self._stops = threading.Event()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def give(self, shares: Mapping[int, float]) -> None:
        self._shares = dict(shares)

    def remove(self) -> None:
        """After the processes have ended."""
        self._stops.set()
        self._thread.join()

    def _run(self) -> None:
        begin = time.perf_counter()
        while not self._stops.is_set():
            until = begin
            for pid, share in self._shares.items():
                until += share * PERIOD_US / US_PER_S
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
                    _sleep_until(until)
                    os.kill(pid, signal.SIGSTOP)
            begin += PERIOD_US / US_PER_S
            _sleep_until(begin)


@contextlib.contextmanager
def way(pids: list[int]) -> Iterator[Way]:
    """The best way there is; the processes must have ended when the context does."""
    found = _quotas(pids) or DutyCycle(pids)
    try:
        yield found
    finally:
        found.remove()


def _quotas(pids: list[int]) -> Quotas | None:
    ways = {"cgroup v2 quotas": (V2, "cpu.max"), "cgroup v1 quotas": (V1, "cpu.cfs_quota_us")}
    for name, (root, knob) in ways.items():
        probe = root / f"tailc-autopro-probe-{os.getpid()}"
        try:
            probe.mkdir()
        except OSError:
            continue
        has_quota = (probe / knob).exists()
        probe.rmdir()
        if has_quota:
            return Quotas(name, root, pids)
    return None


def _write(file: Path, value: object) -> None:
    file.write_text(f"{value}", encoding="ascii")


def _sleep_until(at: float) -> None:
    if (left := at - time.perf_counter()) > 0:
        time.sleep(left)
