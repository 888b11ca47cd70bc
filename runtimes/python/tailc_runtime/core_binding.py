"""Threads on the processors of their requests' cores, which Linux permits."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence

from tailc_runtime.raw import RungSetting
from tailc_runtime.schedule import Request, ScheduleError
from tailc_runtime.table import PolicyTable

Processors = Mapping[str, Sequence[int]]
"""Numbers of processors by core type."""


class CoreBinding:
    """The processors for the cores of policies.

    Raises ScheduleError if threads cannot be bound to them. Without processors, no policy whose
    rungs are cores is accepted.
    """

    def __init__(self, processors: Processors) -> None:
        self._processors = {name: list(numbers) for name, numbers in processors.items()}
        self._all = {number for numbers in self._processors.values() for number in numbers}
        permitted = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
        if missing := self._all - permitted:
            raise ScheduleError(f"no thread can be bound to processor {min(missing)}")

    def check(self, tables: Iterable[PolicyTable]) -> None:
        """Raise ScheduleError for a policy that needs other processors."""
        for table in tables:
            if self._all and not table.core_unit:
                raise ScheduleError("the rungs of the policy are not cores")
            for setting, unit in zip(table.settings, table.core_unit, strict=False):
                self._check_type(setting, table.core_count[unit])

    def _check_type(self, setting: RungSetting, count: int) -> None:
        if not self._all:
            raise ScheduleError("the rule `core-per-request` needs a server that places requests")
        core_type = setting.core_type
        if core_type is None:
            raise ScheduleError(
                f"rung `{setting.name}` has no core type, so its processors are unknown"
            )
        if len(self._processors.get(core_type, ())) < count:
            raise ScheduleError(f"the policy needs {count} processors of core type `{core_type}`")

    def bind(self, request: Request, threads: Iterable[int]) -> None:
        """Bind threads, by their native ids, to the core of a request, if it has one.

        Threads stay where they are if the system no longer permits the processor.
        """
        if request.core is None or request.rung is None:
            return
        core_type = request.table.settings[request.rung].core_type
        assert core_type is not None
        for thread in threads:
            _bind(thread, (self._processors[core_type][request.core],))

    def release(self) -> None:
        """This thread may run on any of the processors while it waits for its next request."""
        if self._all:
            _bind(threading.get_native_id(), self._all)


def _bind(thread: int, processors: Collection[int]) -> None:
    # Processors can go offline, or out of the set of this process, after they were checked.
    with contextlib.suppress(OSError):
        os.sched_setaffinity(thread, processors)
