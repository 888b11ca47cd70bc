"""Reuse the last plan's schedules as a start for the next plan, some epochs later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tailc_solvers.green.parallel.schedules import Column

JobAndShape = tuple[int, int]


def carry_schedules(
    columns: Iterable[Column], renumbered: Mapping[JobAndShape, JobAndShape], passed: int
) -> list[Column]:
    """Cut schedules to the epochs after `passed`, with the job numbers of the new problem.

    In order, without duplicates. Schedules of jobs and shapes that are not in `renumbered`, and
    those that have ended, are left out. `solve_columns` checks whether each still suits its job.
    """
    found: dict[Column, None] = {}
    for column in columns:
        new = renumbered.get((column.job, column.shape))
        start = column.start - passed
        left = column.servers[max(0, -start) :]
        if new is not None and left:
            found[Column(*new, max(0, start), left)] = None
    return list(found)
