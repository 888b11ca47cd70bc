"""Reuse the last plan's schedules as a start for the next plan, some epochs later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tailc_solvers.green.parallel.schedules import Column

JobAndShape = tuple[int, int]


def carry_schedules(
    columns: Iterable[Column], renumbered: Mapping[JobAndShape, JobAndShape], passed: int
) -> list[Column]:
    """Shorten schedules of the last plan to the epochs still to come, with the jobs' new numbers.

    columns: schedules of the last plan. renumbered: new job and shape of each old job and shape;
    schedules of others are left out. passed: number of epochs since the last plan; schedules that
    ended in them are left out. The result has no duplicates. `solve_columns` checks whether each
    schedule still suits its job.
    """
    found: dict[Column, None] = {}
    for column in columns:
        new = renumbered.get((column.job, column.shape))
        start = column.start - passed
        left = column.servers[max(0, -start) :]
        if new is not None and left:
            found[Column(*new, max(0, start), left)] = None
    return list(found)
