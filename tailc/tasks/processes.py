"""Run tasks in processes of this machine.

No process remains after the end, also after an interrupt or a SIGKILL of this process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Generic, NoReturn

from tailc.errors import Finding
from tailc.tasks.engine import LostTask, Result, Task
from tailc.threads import thread_count

# Time for a task to end its own children before its process is killed.
_GRACE_S = 5.0


@dataclass(frozen=True)
class LocalProcesses:
    """An engine that runs tasks in at most `limit` processes; None: one for each processor."""

    limit: int | None = None

    @property
    def slots(self) -> int:
        """The number of processes that run tasks at the same time."""
        return thread_count(self.limit)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Warnings: none, because these processes run the same code."""
        return ()

    def run_all(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        on_end: Callable[[int, Result | LostTask], None],
    ) -> list[Result | LostTask]:
        """Run all tasks in processes of this machine; see `TaskEngine.run_all`.

        With a limit of one process, or with a single task, they run in the calling process.
        """
        processes = min(self.slots, len(tasks))
        if processes <= 1:
            return list(_run_here(work, tasks, on_end))
        run = _Run(work, tasks, on_end)
        while len(run.results) < len(tasks):
            for suspect in run.until_broken(processes):
                run.alone(suspect)
        return [run.results[number] for number in range(len(tasks))]


def _run_here(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    on_end: Callable[[int, Result | LostTask], None],
) -> Iterator[Result]:
    for number, task in enumerate(tasks):
        result = work(task)
        on_end(number, result)
        yield result


class _Run(Generic[Task, Result]):
    """Tasks that run in processes, those that wait, and the results by number."""

    def __init__(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        on_end: Callable[[int, Result | LostTask], None],
    ) -> None:
        self.results: dict[int, Result | LostTask] = {}
        self._work = work
        self._tasks = tasks
        self._waiting = deque(range(len(tasks)))
        self._on_end = on_end

    def until_broken(self, processes: int) -> list[int]:
        """Run the waiting tasks until all have ended or a process has died.

        Returns the tasks that ran when a process died, one of which killed it.
        """
        running: dict[Future[Result], int] = {}
        with suppress(BrokenProcessPool), _executor(processes) as pool:
            while self._waiting or running:
                while self._waiting and len(running) < processes:
                    future = self._submit(pool, self._waiting[0])
                    running[future] = self._waiting.popleft()
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    self._end(running[future], future.result())
                    del running[future]
        return sorted(running.values())

    def alone(self, number: int) -> None:
        """Run a task in its own process; the task is lost if that process dies."""
        with _executor(1) as pool:
            try:
                result = self._submit(pool, number).result()
            except BrokenProcessPool:
                result = LostTask()
        self._end(number, result)

    def _submit(self, pool: ProcessPoolExecutor, number: int) -> Future[Result]:
        with _interrupts_blocked():
            return pool.submit(_run, self._work, self._tasks[number])

    def _end(self, number: int, result: Result | LostTask) -> None:
        self.results[number] = result
        self._on_end(number, result)


@contextmanager
def _executor(processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose workers end with the block, or with this process."""
    fresh = multiprocessing.get_context("spawn")
    reader, writer = fresh.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, fresh, _prepare_worker, (reader,))
    try:
        yield pool
    except BaseException:
        writer.close()  # ends workers in the middle of their tasks
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        writer.close()
        reader.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block interrupts; a worker that starts meanwhile ignores them, and this process handles them.

    A terminal sends an interrupt to all processes.
    """
    # Started before, since it would unblock interrupts if it started with the first worker.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_worker(parent: Connection) -> None:
    """End this worker by SIGTERM, which unwinds its task, when the other end of `parent` closes.

    A worker that starts after that ends at once: of the queue of tasks it might read the rest of a
    message of which a worker that was ended had read the beginning.
    """
    if parent.poll(0):
        os._exit(0)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> NoReturn:
    parent.poll(None)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_S)
    os._exit(0)


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)


def _run(work: Callable[[Any], Any], task: Any) -> Any:
    """The result of a task; a worker whose task SIGTERM has unwound ends here."""
    try:
        return work(task)
    except SystemExit:
        os._exit(0)
