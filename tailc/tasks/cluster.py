"""Run tasks on the workers of a Dask cluster.

Results of a worker that runs other code than this process are discarded, and it gets no more tasks.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, as_completed, get_worker

from tailc.errors import Code, Finding, Severity, TailcError
from tailc.tasks.code import code_digest
from tailc.tasks.engine import LostTask, Result, Task

_LOCAL = "local:"
_CONNECT_S = 30
# Tasks that are sent ahead for each slot, so that no worker waits for the next one.
_AHEAD = 2


@contextmanager
def connected(cluster: str) -> Iterator[DaskCluster]:
    """Connect to the scheduler at an address or in a scheduler file, or start `local:N` workers.

    Raises TailcError (cannot read) if no scheduler answers.
    """
    if cluster.startswith(_LOCAL):
        workers = _worker_count(cluster)
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
            ) as local,
            Client(local) as client,
        ):
            yield DaskCluster(client)
        return
    try:
        client = Client(_address_of(cluster), timeout=_CONNECT_S)
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"no scheduler of a Dask cluster answers at `{cluster}`: {error}"
        hint = "give the address that `dask scheduler` prints, such as tcp://10.0.0.1:8786"
        raise TailcError(Finding(Code.CANNOT_READ, message, None, hint)) from None
    with client:
        yield DaskCluster(client)


def _address_of(cluster: str) -> str:
    """Address of a scheduler, given by itself or by its scheduler file."""
    if not cluster.endswith(".json"):
        return cluster
    return str(json.loads(Path(cluster).read_text())["address"])


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
    """The workers of a cluster, except those that run other code."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._refused: set[str] = set()

    @property
    def slots(self) -> int:
        """The number of threads of all usable workers that are there now, at least 1."""
        threads: dict[str, int] = self._client.nthreads()  # type: ignore[assignment]
        return max(1, sum(threads[worker] for worker in self._usable()))

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
        """See `TaskEngine`; a task whose workers die several times is lost.

        Raises TailcError if all workers run other code.
        """
        results: dict[int, Result | LostTask] = {}
        numbers: dict[Any, int] = {}
        waiting = deque(range(len(tasks)))
        ended = as_completed()
        while waiting or numbers:
            while waiting and len(numbers) < _AHEAD * self.slots:
                future = self._submit(work, tasks[waiting[0]])
                numbers[future] = waiting.popleft()
                ended.add(future)
            future = next(ended)
            number = numbers.pop(future)
            result = self._result_of(future)
            if isinstance(result, _OtherCode):
                waiting.appendleft(number)
                continue
            results[number] = result
            on_end(number, result)
        return [results[number] for number in range(len(tasks))]

    def _submit(self, work: Callable[[Any], Any], task: Any) -> Any:
        workers = self._usable() if self._refused else None
        return self._client.submit(_run, work, task, pure=False, workers=workers)

    def _usable(self) -> list[str]:
        workers = set(self._client.scheduler_info(n_workers=-1)["workers"])
        if workers and workers <= self._refused:
            raise TailcError([replace(one, severity=Severity.ERROR) for one in self.warnings])
        return sorted(workers - self._refused)

    def _result_of(self, future: Any) -> Any:
        """The result of a task, or what became of it."""
        try:
            signed = future.result()
        except KilledWorker:
            return LostTask()
        if signed.code == code_digest():
            return signed.result
        self._refused.add(signed.worker)
        return _OtherCode()


@dataclass(frozen=True)
class _OtherCode:
    """A result of a worker that runs other code."""


def _run(work: Callable[[Any], Any], task: Any) -> _Signed:
    return _Signed(get_worker().address, code_digest(), work(task))
