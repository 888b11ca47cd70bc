"""What the figures were measured on: processor, cores, and the versions that matter.

python -m bench.machine
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from tailc.threads import thread_count

PACKAGES = ("numpy", "numba", "llvmlite", "simpy", "ciw")


def main() -> None:
    print(f"- processor: {processor()}, {thread_count(None)} cores for this process")
    print(f"- load before the run: {os.getloadavg()[0]:.1f}")
    print(f"- Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    print(f"- {', '.join(f'{name} {version(name)}' for name in PACKAGES)}")
    print(f"- C++ compiler: {compiler()}\n", flush=True)


def processor() -> str:
    """The model's name, where the system tells."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def compiler() -> str:
    if shutil.which("g++") is None:
        return "none"
    said = subprocess.run(["g++", "--version"], check=True, capture_output=True, text=True)
    return said.stdout.splitlines()[0]


if __name__ == "__main__":
    main()
