"""An engine that runs independent tasks, and the result of a task that it lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tailc.errors import Code, Finding, TailcError

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class LostTask:
    """A task without a result, because every process that ran it died."""


class TaskEngine(Protocol):
    """Interface: runs independent tasks in parallel, on processes or on a cluster."""

    @property
    def slots(self) -> int:
        """The number of tasks that run at the same time."""
        ...

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Warnings about the runs so far."""
        ...

    def run_all(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        on_end: Callable[[int, Result | LostTask], None],
    ) -> list[Result | LostTask]:
        """Run `work` for each task; return the results in order. The first tasks start first.

        `on_end` is called in this process with the number and the result of each task when it ends.
        `work`, tasks and results must be picklable. A task is read from the sequence when it
        starts. An exception of a task is raised here, and the other tasks end.
        """
        ...


def results_of(
    engine: TaskEngine,
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    progress: Callable[[int, int], None] | None,
) -> list[Result]:
    """Run `work` for each task, and return the results in order.

    `progress` is called with the numbers of ended and of all tasks. Raises TailcError for a lost
    task.
    """
    ended: set[int] = set()

    def on_end(number: int, _result: Result | LostTask) -> None:
        ended.add(number)
        if progress is not None:
            progress(len(ended), len(tasks))

    results = engine.run_all(work, tasks, on_end)
    present = [one for one in results if not isinstance(one, LostTask)]
    if len(present) < len(results):
        message = "every process that ran one of the replays was killed"
        hint = "the memory of the workers may be too small: use larger ones"
        raise TailcError(Finding(Code.LOST_TASK, message, help=hint))
    return present
