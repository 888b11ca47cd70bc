"""Elfen: batch work uses the other lane of an SMT core (Yang et al., USENIX ATC 2016).

A lane is a hardware thread. A rung is a request on a core shared with batch work, or alone on its
core; its cost is the batch work that is given up for the request. A request starts shared, and runs
alone when a budget of latency is used up. The paper's policies differ in which requests have a
budget; `optimised` searches the budgets with the most batch work under the first SLO. For a spec
without a policy, all policies except `optimised` are tried. The methods `simulation` and `auto`
tune ages by load on replays, starting from those of the policy.
"""

from tailc.policies import LATENCIES, TARGET, Kind, TunableTables
from tailc.policies.elfen.complete import complete
from tailc.policies.elfen.reduce import (
    best_tuned,
    candidates,
    emit,
    reduce,
    tuning_objective,
)
from tailc.policies.elfen.spec import ElfenSpec

KIND = Kind(
    name="elfen",
    spec_model=ElfenSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    tuning=TunableTables(tuning_objective, best_tuned),
    soft_lines=(
        TARGET,
        LATENCIES,
    ),
    speeds_by_degree=False,
)
