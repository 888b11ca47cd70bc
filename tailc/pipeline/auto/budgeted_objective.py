"""The tuning objective of the best candidate, with the budget that an effort allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tailc.errors import Code, TailcError
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.effort import Effort
from tailc.pipeline.auto.size import refuse_endless
from tailc.tuning.search import least_budget
from tailc.tuning.tuned_table import check_rates
from tailc.tuning.tuning_problem import TuningProblem
from tailc.tuning.tuning_sample import Form


def aim_within(
    effort: Effort,
    aim: TuningObjective,
    towards: Callable[[TuningObjective], TuningProblem[Form]],
) -> TuningObjective | None:
    """Limit an objective of tuning to the budget of an effort; None if nothing can be tuned.

    Nothing can be tuned if the table has no free values, or a rate is too high. towards: makes the
    tuning problem of an objective. Raises TailcError for a rate that is too high if arrivals are
    stated, because without a search there is no table for them; and for a search that would
    simulate too many requests.
    """
    times = effort.budget.tuned
    if not times:
        return None
    try:
        problem = towards(aim)
        check_rates(aim, problem.load, problem)
    except TailcError as error:
        is_unfit = all(one.code is Code.METHOD_UNFIT for one in error.findings)
        if not is_unfit or aim.pattern is not None or aim.recorded is not None:
            raise
        # The default method skips the search; an explicit method reports why it is not possible.
        return None
    requests = times * least_budget(aim, problem.starts)
    refuse_endless(requests, effort, aim)
    return replace(aim, most_requests=requests)
