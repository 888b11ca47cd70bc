"""The interface of a server on which tables are replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from tailc.models.execution_model import Subject
from tailc.models.workload import Workload

Form_contra = TypeVar("Form_contra", contravariant=True)


class TableServer(Protocol[Form_contra]):
    """Interface: a server on which tables are replayed.

    load: the requests that the tables were computed from. subject_of: makes the policy that a
    replay of a table runs. settling: number of requests that are not measured, until the controller
    of a table has settled.
    """

    @property
    def load(self) -> Workload: ...
    @property
    def cores(self) -> int: ...
    @property
    def subject_of(self) -> Callable[[Form_contra], Subject]: ...
    @property
    def settling(self) -> int: ...
