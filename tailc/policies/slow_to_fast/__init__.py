"""Slow-to-fast: start on slow cores, move long requests to faster cores (Haque et al., MICRO 2017).

A rung is a type of core, or a frequency of a core that has several; a request has a core to itself.
The cost of a rung is its power. Objective `energy` minimises the mean energy of a request under the
first SLO at low load, and a controller scales the ages of the climbs down as the load grows; `tail`
starts on the fastest free core, and `efficiency` moves a request from a slow core only if another
request needs that core. The methods `auto` and `simulation` start with the ages for the objective,
and tune them by load on replays; they need no controller.
"""

from tailc.policies import LATENCIES, TARGET, Kind, TunableTables
from tailc.policies.slow_to_fast.complete import complete
from tailc.policies.slow_to_fast.emit import emit
from tailc.policies.slow_to_fast.reduce import (
    ambiguity,
    best_of_all,
    candidates,
    control,
    reduce,
    tuning_objective,
)
from tailc.policies.slow_to_fast.spec import SlowToFastSpec

KIND = Kind(
    name="slow-to-fast",
    spec_model=SlowToFastSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    control=control,
    tuning=TunableTables(tuning_objective, best_of_all),
    robust=ambiguity,
    soft_lines=(
        TARGET,
        LATENCIES,
    ),
    speeds_by_degree=False,
)
