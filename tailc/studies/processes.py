"""Run independent cases in local processes, with the same results for any number of processes.

No process remains after the end, also after an interrupt or SIGKILL.
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

# Time for a process to end its own children before it is killed.
_GRACE_S = 5.0


@dataclass(frozen=True)
class LostProcess:
    """A process that ended without a result, with its exit code (negative for a signal)."""

    exit_code: int


def run_all(
    work: Callable[[Case], Result],
    cases: Sequence[Case],
    processes: int,
    report: Callable[[int], None],
) -> list[Result | LostProcess]:
    """Results of `work` for each case, in order. One process: runs in the calling process.

    The first cases start first; `report` is called with the number done. `work`, cases and results
    must be picklable. An exception of a case is raised here.
    """
    if processes == 1 or len(cases) < 2:
        return list(_here(work, cases, report))
    results: dict[int, Result | LostProcess] = {}
    with _Pool(work, min(processes, len(cases))) as pool:
        waiting = iter(enumerate(cases))
        for number, case in waiting:
            pool.begin(number, case)
            if not pool.is_full:
                continue
            results.update(pool.wait_for_results())
            report(len(results))
        while len(results) < len(cases):
            results.update(pool.wait_for_results())
            report(len(results))
    return [results[number] for number in range(len(cases))]


def _here(
    work: Callable[[Case], Result], cases: Sequence[Case], report: Callable[[int], None]
) -> Iterator[Result]:
    for number, case in enumerate(cases, start=1):
        yield work(case)
        report(number)


@dataclass(eq=False)
class _Worker:
    """A process, this end of its pipe, and the number of its present case, if any."""

    process: Any
    pipe: Connection
    number: int | None = None


class _Pool(Generic[Case, Result]):
    """A limited number of worker processes, each started when a case needs it."""

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
        """Whether every allowed worker is busy."""
        return len(self._busy()) == self._processes

    def begin(self, number: int, case: Case) -> None:
        """Send a case to an idle worker."""
        worker = next((one for one in self._workers if one.number is None), None)
        if worker is None:
            worker = _start_worker(self._work)
            self._workers.append(worker)
        worker.number = number
        worker.pipe.send(case)

    def wait_for_results(self) -> dict[int, Result | LostProcess]:
        """Results of finished cases by number; waits for one at least."""
        busy = self._busy()
        ready = connection.wait([worker.pipe for worker in busy])
        return dict(self._result(worker) for worker in busy if worker.pipe in ready)

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.number is not None]

    def _result(self, worker: _Worker) -> tuple[int, Result | LostProcess]:
        number, worker.number = worker.number, None
        assert number is not None
        try:
            result, error = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            self._workers.remove(worker)
            return number, LostProcess(worker.process.exitcode)
        if error is not None:
            raise error
        return number, result


def _start_worker(work: Callable[[Any], Any]) -> _Worker:
    """Start a worker that ignores interrupts from the terminal; the caller handles them."""
    fresh = multiprocessing.get_context("spawn")
    ours, theirs = fresh.Pipe()
    process = fresh.Process(target=_serve, args=(work, theirs), daemon=True)
    with _interrupts_wait():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Block interrupts; a process started in the meantime never gets one."""
    # Started before, since it would unblock interrupts if started with the first process.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """Answer cases until the pipe is closed or SIGTERM arrives, which unwinds `work`."""
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            pipe.send(_answer(work, pipe.recv()))
        except (EOFError, BrokenPipeError):
            # Nothing is left to release on the way out.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            return


def _end_with_parent() -> NoReturn:
    """End this process, even in the middle of a case, when its parent has ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(0)


def _answer(work: Callable[[Any], Any], case: Any) -> tuple[Any, Exception | None]:
    """The result of a case, or its exception."""
    try:
        return work(case), None
    except Exception as error:
        # The traceback exists only in this process.
        error.add_note(traceback.format_exc())
        return None, error


def _leave(*_: object) -> None:
    raise SystemExit(0)
