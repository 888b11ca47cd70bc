"""Refuse a search of the method `auto` that would simulate too many requests."""

from __future__ import annotations

from tailc.errors import Code, Finding, TailcError
from tailc.experiment.tuning_objective import TuningObjective
from tailc.pipeline.auto.effort import Effort
from tailc.units import format_percentile

MOST_REQUESTS = 10_000_000_000


def refuse_endless(requests: int, effort: Effort, objective: TuningObjective) -> None:
    """Raise TailcError (METHOD_UNFIT) for a search that would simulate too many requests."""
    if requests <= MOST_REQUESTS:
        return
    rates = len(objective.rates_mrps)
    message = (
        f"a search with effort `{effort.value}` for {format_percentile(objective.percentile_ppm)} "
        f"at {rates} rate{'s' * (rates > 1)} simulates {requests:.1e} requests; the limit is "
        f"{MOST_REQUESTS:.0e}"
    )
    hint = "set a lower `--effort`, a lower percentile or fewer rates, or another `search.method`"
    raise TailcError(Finding(Code.METHOD_UNFIT, message, help=hint, about=("search", "effort")))
