"""Schedules of the last plan as a start for the next, some epochs later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tailc_solvers.green.parallel.schedules import Column

JobAndShape = tuple[int, int]


def carried(
    columns: Iterable[Column], renumbered: Mapping[JobAndShape, JobAndShape], passed: int
) -> list[Column]:
    """What is left of each schedule after `passed` epochs, under the numbers of the new problem.

    Each is given once, in order. Those of jobs and shapes that are not in `renumbered`, and those
    that are over, are left out. Whether one still suits its job is for `solve_columns` to see.
    """
    found: dict[Column, None] = {}
    for column in columns:
        new = renumbered.get((column.job, column.shape))
        start = column.start - passed
        left = column.servers[max(0, -start) :]
        if new is not None and left:
            found[Column(*new, max(0, start), left)] = None
    return list(found)
