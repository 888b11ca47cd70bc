"""Check the tuning settings of a spec against its rates and its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tailc.errors import Code
from tailc.specs.arrivals import conflict_complaints, recorded_complaints
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.specs.common import DemandSpec
from tailc.specs.fields import Complaint
from tailc.specs.simulation_fields import (
    METHOD_AT,
    SIMULATION,
    TunedSearch,
    weight_complaints,
)


def tuned_complaints(
    search: TunedSearch,
    rates_mrps: Sequence[int],
    demand: DemandSpec | ClockedDemandSpec,
) -> Iterator[Complaint]:
    """Report settings of tuning that contradict the spec's rates or its trace."""
    if not rates_mrps:
        message = f"is `{SIMULATION}`, but no `rates` are given at which requests could queue"
        hint = "add `rates: [20/s, 60/s]`"
        yield Complaint(Code.MISSING_KEY, message, hint, METHOD_AT)
        return
    yield from weight_complaints(search.weights, rates_mrps)
    yield from conflict_complaints(search)
    yield from recorded_complaints(search.recorded, demand)
    if search.bursts is not None:
        # The replay takes half a second to import, and most specs do not need it.
        from tailc.experiment.objective_of_spec import burst_complaints

        yield from burst_complaints(search.bursts, rates_mrps)
