"""A copy of the kernel's files of a machine, made by hand, on which the agent can act.

    python runtimes/agent/fake_machine.py LAYOUT FOLDER [GROUP...]

`tailc-agent --root FOLDER` then reads and writes these files instead of those of this machine. The
layouts follow the documentation of Linux (admin-guide/cgroup-v1 and cgroup-v2, cputopology,
cpu-freq, intel_pstate, amd-pstate); each has only the files that the agent uses.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CPU = "sys/devices/system/cpu"
CGROUP = "sys/fs/cgroup"
GROUPS = ("encoder", "hasher", "nightly")


@dataclass(frozen=True)
class Clock:
    """A cpufreq driver on some CPUs: limits of the hardware [kHz], and what the driver offers.

    `per_policy` CPUs share one clock. `table` are the steps of drivers that have a table.
    """

    driver: str
    least_khz: int
    most_khz: int
    governors: tuple[str, ...]
    table: tuple[int, ...] = ()
    per_policy: int = 1
    has_epp: bool = False

    def files(self, cpus: Sequence[int]) -> Iterator[tuple[str, str]]:
        for first in range(0, len(cpus), self.per_policy):
            shared = cpus[first : first + self.per_policy]
            yield from self._policy(f"{CPU}/cpufreq/policy{shared[0]}", shared)

    def _policy(self, folder: str, cpus: Sequence[int]) -> Iterator[tuple[str, str]]:
        governor = self.governors[0]
        yield f"{folder}/scaling_driver", self.driver
        yield f"{folder}/affected_cpus", " ".join(map(str, cpus))
        yield f"{folder}/cpuinfo_min_freq", str(self.least_khz)
        yield f"{folder}/cpuinfo_max_freq", str(self.most_khz)
        yield f"{folder}/cpuinfo_transition_latency", "20000"
        yield f"{folder}/scaling_min_freq", str(self.least_khz)
        yield f"{folder}/scaling_max_freq", str(self.most_khz)
        yield f"{folder}/scaling_cur_freq", str(self.least_khz)
        yield f"{folder}/scaling_governor", governor
        yield f"{folder}/scaling_available_governors", " ".join(self.governors)
        speed = str(self.least_khz) if governor == "userspace" else "<unsupported>"
        yield f"{folder}/scaling_setspeed", speed
        if self.table:
            listed = " ".join(map(str, sorted(self.table, reverse=True)))
            yield f"{folder}/scaling_available_frequencies", listed
        if self.has_epp:
            yield f"{folder}/energy_performance_preference", "balance_performance"


@dataclass(frozen=True)
class Cores:
    """Equal cores: how many, threads of each, their capacity of 1024, and their clock."""

    count: int
    threads: int = 1
    capacity: int = 1024
    clock: Clock | None = None


@dataclass(frozen=True)
class Layout:
    """`cgroup` is `v1`, `v2` or `hybrid` (version 2 without controllers next to version 1)."""

    about: str
    cgroup: str
    cores: tuple[Cores, ...]
    sockets: int = 1
    first_threads_first: bool = True

    def files(self, groups: Sequence[str]) -> Iterator[tuple[str, str]]:
        siblings = [pair for cores in self._cpus() for pair in cores]
        last = max(cpu for pair in siblings for cpu in pair)
        yield f"{CPU}/online", f"0-{last}"
        yield f"{CPU}/smt/active", str(int(any(len(pair) > 1 for pair in siblings)))
        for core, pair in enumerate(siblings):
            yield from self._topology(core, pair, len(siblings) // self.sockets)
        for cores, pairs in zip(self.cores, self._cpus(), strict=True):
            cpus = sorted(cpu for pair in pairs for cpu in pair)
            for cpu in cpus:
                yield f"{CPU}/cpu{cpu}/cpu_capacity", str(cores.capacity)
            if cores.clock is not None:
                yield from cores.clock.files(cpus)
        for group in ("", *groups):
            yield from CGROUP_FILES[self.cgroup](group)

    def _cpus(self) -> list[list[tuple[int, ...]]]:
        """By kind of core, the CPUs of each core."""
        total = sum(cores.count for cores in self.cores)
        found, core, cpu = [], 0, 0
        for cores in self.cores:
            pairs = []
            for _ in range(cores.count):
                if self.first_threads_first:
                    pair = tuple(core + total * thread for thread in range(cores.threads))
                else:
                    pair = tuple(range(cpu, cpu + cores.threads))
                pairs.append(pair)
                core, cpu = core + 1, cpu + cores.threads
            found.append(pairs)
        return found

    def _topology(
        self, core: int, pair: tuple[int, ...], per_socket: int
    ) -> Iterator[tuple[str, str]]:
        for cpu in pair:
            folder = f"{CPU}/cpu{cpu}/topology"
            yield f"{folder}/thread_siblings_list", ",".join(map(str, pair))
            yield f"{folder}/core_id", str(core % per_socket)
            yield f"{folder}/physical_package_id", str(core // per_socket)


def _v2(group: str) -> Iterator[tuple[str, str]]:
    folder = _joined(CGROUP, group)
    yield f"{folder}/cgroup.controllers", "cpuset cpu io memory pids"
    yield f"{folder}/cgroup.procs", ""
    if group:
        yield f"{folder}/cpu.max", "max 100000"
        yield f"{folder}/cpu.weight", "100"
        yield f"{folder}/cpu.idle", "0"
        yield f"{folder}/cpuset.cpus", ""
        yield f"{folder}/cgroup.freeze", "0"


def _v1(group: str) -> Iterator[tuple[str, str]]:
    folder = _joined(f"{CGROUP}/cpu,cpuacct", group)
    yield f"{folder}/cgroup.procs", ""
    yield f"{folder}/cpu.cfs_period_us", "100000"
    yield f"{folder}/cpu.cfs_quota_us", "-1"
    yield f"{folder}/cpu.shares", "1024"
    yield f"{folder}/cpu.idle", "0"
    if group:
        yield f"{_joined(f'{CGROUP}/cpuset', group)}/cpuset.cpus", ""
    freezer = _joined(f"{CGROUP}/freezer", group)
    yield f"{freezer}/cgroup.procs", ""
    if group:
        yield f"{freezer}/freezer.state", "THAWED"


def _hybrid(group: str) -> Iterator[tuple[str, str]]:
    yield from _v1(group)
    folder = _joined(f"{CGROUP}/unified", group)
    yield f"{folder}/cgroup.controllers", ""
    yield f"{folder}/cgroup.procs", ""
    if group:
        yield f"{folder}/cgroup.freeze", "0"


def _joined(folder: str, group: str) -> str:
    return f"{folder}/{group}" if group else folder


CGROUP_FILES = {"v2": _v2, "v1": _v1, "hybrid": _hybrid}

ACPI = Clock(
    "acpi-cpufreq",
    800_000,
    3_400_000,
    ("ondemand", "userspace", "performance", "powersave"),
    table=tuple(range(800_000, 3_400_001, 200_000)),
)
HWP = Clock("intel_pstate", 800_000, 3_400_000, ("powersave", "performance"), has_epp=True)
HWP_P = Clock("intel_pstate", 800_000, 5_100_000, ("powersave", "performance"), has_epp=True)
HWP_E = Clock("intel_pstate", 800_000, 3_900_000, ("powersave", "performance"), has_epp=True)
AMD = Clock("amd-pstate-epp", 400_000, 4_400_000, ("powersave", "performance"), has_epp=True)
PASSIVE = Clock(
    "intel_cpufreq", 800_000, 3_400_000, ("schedutil", "userspace", "performance", "powersave")
)
DT_BIG = Clock(
    "cpufreq-dt",
    600_000,
    2_400_000,
    ("schedutil", "userspace", "performance"),
    table=tuple(range(600_000, 2_400_001, 200_000)),
    per_policy=4,
)
DT_LITTLE = Clock(
    "cpufreq-dt",
    600_000,
    1_800_000,
    ("schedutil", "userspace", "performance"),
    table=tuple(range(600_000, 1_800_001, 200_000)),
    per_policy=4,
)

LAYOUTS = {
    "v2-acpi": Layout("one socket, no SMT, cgroup v2", "v2", (Cores(4, clock=ACPI),)),
    "v1-acpi-smt": Layout("SMT pairs (0, 4), cgroup v1", "v1", (Cores(4, 2, clock=ACPI),)),
    "virtual-hybrid": Layout(
        "a virtual machine: one SMT pair (0, 1), no cpufreq, cgroup v1 with v2 for freezing",
        "hybrid",
        (Cores(1, 2),),
        first_threads_first=False,
    ),
    "virtual-v2": Layout("a virtual machine without SMT and cpufreq", "v2", (Cores(2),)),
    "two-sockets-hwp": Layout(
        "two sockets, SMT, intel_pstate in active mode with HWP",
        "v2",
        (Cores(8, 2, clock=HWP),),
        sockets=2,
    ),
    "p-and-e-cores": Layout(
        "two fast cores with SMT pairs (0, 1) and four slow ones without, HWP",
        "v2",
        (Cores(2, 2, clock=HWP_P), Cores(4, 1, 512, HWP_E)),
        first_threads_first=False,
    ),
    "amd-epp": Layout("SMT, amd-pstate in active mode", "v2", (Cores(4, 2, clock=AMD),)),
    "intel-passive": Layout(
        "intel_pstate in passive mode, cgroup v1 with v2 for freezing",
        "hybrid",
        (Cores(4, clock=PASSIVE),),
    ),
    "big-little": Layout(
        "ARM with four small and four large cores, each four with one clock",
        "v2",
        (Cores(4, 1, 446, DT_LITTLE), Cores(4, 1, 1024, DT_BIG)),
    ),
}


def make(layout: str, folder: Path, groups: Sequence[str] = GROUPS) -> None:
    """Write the files of a layout below `folder`."""
    for path, text in LAYOUTS[layout].files(groups):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n", encoding="ascii")


def main() -> None:
    """Make the layout of the command line, or list all."""
    if len(sys.argv) < 3 or sys.argv[1] not in LAYOUTS:
        listed = "\n".join(f"  {name:16} {layout.about}" for name, layout in LAYOUTS.items())
        sys.exit(f"usage: fake_machine.py LAYOUT FOLDER [GROUP...]\n{listed}")
    make(sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or GROUPS)


if __name__ == "__main__":
    main()
