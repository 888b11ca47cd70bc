"""Independent cases over local processes: the results are the same for any number of them.

Whatever way it ends, by an interrupt or by SIGKILL, no process is left behind.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Generic, NoReturn, TypeVar

Case = TypeVar("Case")
Result = TypeVar("Result")

# A process that is told to end has so long to end what it has started itself.
_GRACE_S = 5.0


@dataclass(frozen=True)
class Lost:
    """A process ended before it had a result: its exit code, below 0 for a signal."""

    exit_code: int


def of_all(
    work: Callable[[Case], Result],
    cases: Sequence[Case],
    processes: int,
    told: Callable[[int], None],
) -> list[Result | Lost]:
    """What `work` says of each case, in the order of the cases; one process: in this one.

    The first cases begin first; `told` hears how many are done. `work`, cases and results travel
    between processes: they must pickle. What a case raises is raised here.
    """
    if processes == 1 or len(cases) < 2:
        return list(_here(work, cases, told))
    found: dict[int, Result | Lost] = {}
    with _Pool(work, min(processes, len(cases))) as pool:
        waiting = iter(enumerate(cases))
        for number, case in waiting:
            pool.begin(number, case)
            if not pool.is_full:
                continue
            found.update(pool.ended())
            told(len(found))
        while len(found) < len(cases):
            found.update(pool.ended())
            told(len(found))
    return [found[number] for number in range(len(cases))]


def _here(
    work: Callable[[Case], Result], cases: Sequence[Case], told: Callable[[int], None]
) -> Iterator[Result]:
    for number, case in enumerate(cases, start=1):
        yield work(case)
        told(number)


@dataclass(eq=False)
class _Worker:
    """A process, this end of its pipe, and the number of the case that it has, if any."""

    process: Any
    pipe: Connection
    number: int | None = None


class _Pool(Generic[Case, Result]):
    """So many workers at most, each started when there is a case for it."""

    def __init__(self, work: Callable[[Case], Result], processes: int) -> None:
        self._work = work
        self._processes = processes
        self._workers: list[_Worker] = []

    def __enter__(self) -> _Pool[Case, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        deadline = time.monotonic() + _GRACE_S
        for worker in self._workers:
            worker.pipe.close()
            if kind is not None:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()

    @property
    def is_full(self) -> bool:
        """Whether all that there may be are busy."""
        return len(self._busy()) == self._processes

    def begin(self, number: int, case: Case) -> None:
        """Give the case to a worker that has none."""
        worker = next((one for one in self._workers if one.number is None), None)
        if worker is None:
            worker = _started(self._work)
            self._workers.append(worker)
        worker.number = number
        worker.pipe.send(case)

    def ended(self) -> dict[int, Result | Lost]:
        """By number, the results of those that are done; waits for one at least."""
        busy = self._busy()
        ready = connection.wait([worker.pipe for worker in busy])
        return dict(self._result(worker) for worker in busy if worker.pipe in ready)

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.number is not None]

    def _result(self, worker: _Worker) -> tuple[int, Result | Lost]:
        number, worker.number = worker.number, None
        assert number is not None
        try:
            result, error = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            self._workers.remove(worker)
            return number, Lost(worker.process.exitcode)
        if error is not None:
            raise error
        return number, result


def _started(work: Callable[[Any], Any]) -> _Worker:
    """A new worker; what a terminal sends to all of its processes is for this one alone."""
    fresh = multiprocessing.get_context("spawn")
    ours, theirs = fresh.Pipe()
    process = fresh.Process(target=_serve, args=(work, theirs), daemon=True)
    with _interrupts_wait():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Hold interrupts back; a process that is started meanwhile never gets one."""
    # Started with the first process otherwise, it lets interrupts through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """Answer cases until the pipe is closed, or told to end: then what `work` holds is let go."""
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            pipe.send(_answer(work, pipe.recv()))
        except (EOFError, BrokenPipeError):
            # On its way out nothing is left to let go.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            return


def _end_with_parent() -> NoReturn:
    """End this process, in the middle of a case too, when the one that started it has ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(0)


def _answer(work: Callable[[Any], Any], case: Any) -> tuple[Any, Exception | None]:
    """What the work says, or what it raises."""
    try:
        return work(case), None
    except Exception as error:
        # Only here it is known where it came from.
        error.add_note(traceback.format_exc())
        return None, error


def _leave(*_: object) -> None:
    raise SystemExit(0)
