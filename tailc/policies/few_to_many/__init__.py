"""Few-to-many: add threads to a request as it ages (Haque et al., ASPLOS 2015).

A rung is a number of threads, which is also its cost. For every number of requests in the system
the table minimises the tail latency under a limit on the average total parallelism (objective
`tail`), or the thread-time under that limit and the SLO (objective `threads`). The method
`simulation` starts with that table and tunes it on replays.
"""

from tailc.policies import LATENCIES, Kind, SoftLine, TunableTables
from tailc.policies.few_to_many.emit import emit
from tailc.policies.few_to_many.reduce import (
    ambiguity,
    best_of_all,
    candidates,
    overload_aim,
    reduce,
    tuning_objective,
)
from tailc.policies.few_to_many.spec import FewToManySpec

KIND = Kind(
    name="few-to-many",
    spec_model=FewToManySpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    tuning=TunableTables(tuning_objective, best_of_all),
    overload=overload_aim,
    robust=ambiguity,
    soft_lines=(
        SoftLine(("search", "max_in_system"), is_raised=False, furthest=10_000),
        SoftLine(("server", "max_degree")),
        SoftLine(("server", "target_parallelism")),
        LATENCIES,
    ),
)
