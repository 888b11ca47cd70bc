"""Run a solver's worker process, and end all its processes when it or its user has ended.

    python -m tailc_solvers.backends.guard MODULE:FUNCTION ANSWERS MEMORY_BYTES LIFELINE

LIFELINE is the reading end of a pipe whose writing end the calling process holds open: it closes
when that process ends in any way. The guard loads no library, so that none can block it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

# Options of prctl(2), which only Linux has.
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
IS_LINUX = sys.platform == "linux"


def main() -> None:
    """Start the worker process of a solver, wait for it, and exit with its code."""
    answers, lifeline = int(sys.argv[2]), int(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if IS_LINUX:
        # Orphans of the worker become children of the guard.
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
    guard, worker = os.getpid(), os.fork()
    if worker == 0:
        os.close(lifeline)
        _work(guard)
        return
    os.close(sys.stdin.fileno())
    os.close(answers)
    threading.Thread(target=_end_with, args=(lifeline, worker), daemon=True).start()
    code = _code_of(worker)
    _end_the_rest()
    _leave(code)


def _work(guard: int) -> None:
    """Become the worker, which the kernel ends if the guard ends first."""
    if IS_LINUX:
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(0)
    from tailc_solvers.backends import worker

    worker.main()


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl failed")


def _end_with(lifeline: int, worker: int) -> None:
    """Kill the worker once the lifeline is closed."""
    os.read(lifeline, 1)
    with contextlib.suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def _code_of(worker: int) -> int:
    """The worker's exit code, negative for a signal; reaps orphans that end before it."""
    ended, status = os.wait()
    while ended != worker:
        ended, status = os.wait()
    return os.waitstatus_to_exitcode(status)


def _end_the_rest() -> None:
    """Kill all child processes, including those that become children meanwhile."""
    while children := list(_children()):
        for child in children:
            os.kill(child, signal.SIGKILL)
        os.wait()


def _children() -> Iterator[int]:
    """Child processes of this process, as far as the system lists them."""
    for task in Path("/proc/self/task").glob("*/children"):
        yield from map(int, task.read_text().split())


def _leave(code: int) -> NoReturn:
    """Exit with the code, or by the signal."""
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL has no handler to reset
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
