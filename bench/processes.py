"""Independent cases over local processes; results do not depend on the number of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tailc.tasks.engine import LostTask
from tailc.tasks.processes import LocalProcesses

Case = TypeVar("Case")
Result = TypeVar("Result")


def of_all(
    work: Callable[[Case], Result], cases: Sequence[Case], processes: int
) -> dict[Case, Result]:
    """Results of `work` by case. The first cases start first, so put the longest first.

    `work`, cases and results must be picklable. Raises the error of any case, and RuntimeError if
    every process that ran a case was killed.
    """
    results = LocalProcesses(processes).run_all(work, cases, lambda _number, _result: None)
    by_case: dict[Case, Result] = {}
    for case, result in zip(cases, results, strict=True):
        if isinstance(result, LostTask):
            raise RuntimeError(f"every process that ran {case} was killed")
        by_case[case] = result
    return by_case
