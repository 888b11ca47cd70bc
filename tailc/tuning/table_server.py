"""What replays of tables need to know of the server and its requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from tailc.models.execution_model import Subject
from tailc.models.workload import Workload

Form_contra = TypeVar("Form_contra", contravariant=True)


class TableServer(Protocol[Form_contra]):
    """A server that tables are replayed on.

    load: the requests that they were made from. subject_of: what is replayed of a table. settling:
    how many requests are not measured, until what steers a table has settled.
    """

    @property
    def load(self) -> Workload: ...
    @property
    def cores(self) -> int: ...
    @property
    def subject_of(self) -> Callable[[Form_contra], Subject]: ...
    @property
    def settling(self) -> int: ...
