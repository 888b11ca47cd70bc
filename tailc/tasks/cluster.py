"""Run tasks on the workers of a Dask cluster.

Results of a worker that runs other code than this process are discarded, and it gets no more tasks.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dask.config
from distributed import Client, KilledWorker, LocalCluster, as_completed, get_worker

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.tasks.code import code_digest
from tailc.tasks.engine import LostTask, Result, Task

_LOCAL = "local:"
_CONNECT_S = 30
# Least time until the workers are looked up again [s], and as a multiple of the time that the look
# took: 40 ms with 50 workers.
_LOOK_S, _LOOK_TIMES = 1.0, 20
# Tasks that are sent ahead for each slot, so that no worker waits for the next one.
_AHEAD = 2
# Each task whose number is a multiple of this runs on a second worker too, to compare the results.
_REPEATED = 50
# Settings of new workers and of their scheduler. By default each of them samples its stack every
# 10 ms and its event loop every 20 ms, which takes 4 % of two processors.
_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}
# Held by a task: the threads of a worker share its standard output, which commands redirect.
_RUNNING = threading.Lock()


@contextmanager
def connected(cluster: str) -> Iterator[DaskCluster]:
    """Connect to the scheduler at an address or in a scheduler file, or start `local:N` workers.

    Raises TailcError (cannot read) if no scheduler answers.
    """
    if cluster.startswith(_LOCAL):
        workers = _worker_count(cluster)
        with (
            dask.config.set(_SETTINGS),
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                # A worker that loses its scheduler at the end would print a traceback.
                silence_logs=logging.CRITICAL,
            ) as local,
            Client(local) as client,
        ):
            yield DaskCluster(client)
        return
    try:
        client = Client(_address_of(cluster), timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        message = f"no scheduler of a Dask cluster answers at `{cluster}`: {error}"
        hint = "give the address that `dask scheduler` prints, such as tcp://10.0.0.1:8786"
        raise TailcError(Finding(Code.CANNOT_READ, message, None, hint)) from None
    with client:
        yield DaskCluster(client)


def _address_of(cluster: str) -> str:
    """Address of a scheduler, given by itself or by its scheduler file."""
    if not cluster.endswith(".json"):
        return cluster
    document = json.loads(Path(cluster).read_text())
    address = document.get("address") if isinstance(document, dict) else None
    if not isinstance(address, str):
        raise ValueError("it is a file without the `address` of a scheduler")
    return address


def _worker_count(cluster: str) -> int:
    text = cluster.removeprefix(_LOCAL)
    if text.isascii() and text.isdigit() and 0 < int(text) <= 1_000:
        return int(text)
    message = f"`{cluster}` has no number of workers"
    raise TailcError(Finding(Code.USAGE, message, None, "write for example `local:4`"))


@dataclass(frozen=True)
class _Signed:
    """A result with the worker that computed it and the digest of its code."""

    worker: str
    code: str
    result: Any


class DaskCluster:
    """Task engine on the workers of a Dask cluster, except those that run other code."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._refused: set[str] = set()
        self._workers: set[str] = set()
        self._look_again_s = 0.0

    @property
    def slots(self) -> int:
        """Number of workers of the cluster that are usable now, at least 1; each runs one task."""
        return max(1, len(self.usable()))

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """A warning for each worker that runs other code."""
        hint = "install the same version of tailc on all workers"
        return tuple(
            Finding(
                Code.OTHER_CODE,
                f"the worker {worker} runs other code of tailc; its results were discarded",
                None,
                hint,
                Severity.WARNING,
            )
            for worker in sorted(self._refused)
        )

    def run_all(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        on_end: Callable[[int, Result | LostTask], None],
    ) -> list[Result | LostTask]:
        """Run all tasks on the workers of the cluster; see `TaskEngine.run_all`.

        A task whose workers die several times is reported as lost. Raises TailcError if all workers
        run other code, or if the scheduler ends (LOST_TASK).
        """
        run = _ClusterRun(self, work, tasks, on_end)
        try:
            run.until_ended()
        except Exception:
            if self._client.status == "running":
                raise
            message = "the connection to the scheduler of the cluster is lost"
            hint = "start the cluster again, and repeat the command"
            raise TailcError(Finding(Code.LOST_TASK, message, None, hint)) from None
        return [run.results[number] for number in range(len(tasks))]

    def submit(self, work: Callable[[Any], Any], task: Any, apart_from: str | None) -> Any:
        """Send a task to a worker other than `apart_from`, unless no other worker is usable."""
        free = not self._refused and apart_from is None
        workers = None if free else [one for one in self.usable() if one != apart_from]
        # Another worker may take it, since a task for workers that have died would never run.
        return self._client.submit(
            _run, work, task, pure=False, workers=workers, allow_other_workers=not free
        )

    def usable(self) -> list[str]:
        """Addresses of the workers that run the same code, looked up at most once a second.

        Raises TailcError if there are workers and all of them run other code.
        """
        begun = time.monotonic()
        if begun >= self._look_again_s:
            self._workers = set(self._client.scheduler_info(n_workers=-1).get("workers", ()))
            ended = time.monotonic()
            self._look_again_s = ended + max(_LOOK_S, _LOOK_TIMES * (ended - begun))
        workers = self._workers
        if workers and workers <= self._refused:
            raise TailcError([replace(one, severity=Severity.ERROR) for one in self.warnings])
        return sorted(workers - self._refused)

    def result_of(self, future: Any) -> _Signed | LostTask | None:
        """The result of a task on the cluster; None if its worker runs other code."""
        try:
            signed = future.result()
        except KilledWorker:
            return LostTask()
        if signed.code == code_digest():
            return signed
        self._refused.add(signed.worker)
        return None


class _ClusterRun:
    """Tasks that run on a cluster, those that wait, and the results by number."""

    def __init__(
        self,
        cluster: DaskCluster,
        work: Callable[[Any], Any],
        tasks: Sequence[Any],
        on_end: Callable[[int, Any], None],
    ) -> None:
        self.results: dict[int, Any] = {}
        self._cluster = cluster
        self._work = work
        self._tasks = tasks
        self._on_end = on_end
        self._waiting = deque(range(len(tasks)))
        self._numbers: dict[Any, int] = {}
        self._repeated: dict[int, _Signed] = {}
        self._ended = as_completed()

    def until_ended(self) -> None:
        """Run all tasks; some run twice, on two workers."""
        while self._waiting or self._numbers:
            while self._waiting and len(self._numbers) < _AHEAD * self._cluster.slots:
                self._submit(self._waiting.popleft(), None)
            future = next(self._ended)
            self._end(self._numbers.pop(future), self._cluster.result_of(future))

    def _submit(self, number: int, apart_from: str | None) -> None:
        future = self._cluster.submit(self._work, self._tasks[number], apart_from)
        self._numbers[future] = number
        self._ended.add(future)

    def _end(self, number: int, outcome: _Signed | LostTask | None) -> None:
        if number in self._repeated:
            _compare(self._repeated.pop(number), outcome)
        elif outcome is None:
            self._waiting.appendleft(number)
        elif isinstance(outcome, LostTask):
            self._store(number, outcome)
        else:
            self._store(number, outcome.result)
            if number % _REPEATED == 0 and self._cluster.usable() != [outcome.worker]:
                self._repeated[number] = outcome
                self._submit(number, outcome.worker)

    def _store(self, number: int, result: Any) -> None:
        self.results[number] = result
        self._on_end(number, result)


def _compare(first: _Signed, second: _Signed | LostTask | None) -> None:
    """Raise TailcError if two workers have different results of the same task."""
    if not isinstance(second, _Signed) or first.result == second.result:
        return
    message = f"the workers {first.worker} and {second.worker} have different results of one task"
    hint = "check both machines, and compile all again: one of them computes wrongly"
    raise TailcError(Finding(Code.RESULTS_DIFFER, message, None, hint))


def _run(work: Callable[[Any], Any], task: Any) -> _Signed:
    with _RUNNING:
        return _Signed(get_worker().address, code_digest(), work(task))
