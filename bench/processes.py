"""Independent cases over local processes; results do not depend on how many there are."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Case = TypeVar("Case")
Result = TypeVar("Result")


def of_all(
    work: Callable[[Case], Result], cases: Sequence[Case], processes: int
) -> dict[Case, Result]:
    """What `work` says of each case, each in a process of its own kind; one process: in this one.

    The first cases begin first, so the longest are best put first. `work` and the cases travel to
    other processes: they must pickle. An error of any case is raised.
    """
    if processes == 1:
        return {case: work(case) for case in cases}
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(cases)), mp_context=fresh) as pool:
        return dict(zip(cases, pool.map(work, cases), strict=True))
