"""Elfen: batch work borrows the other lane of an SMT core (Yang et al., USENIX ATC 2016).

A rung is a request beside batch work, or alone on its core. It costs the batch work that is given
up for it. A request begins beside batch work and is alone once a budget of latency is used up; the
policies differ in who has a budget, and `optimised` looks for those that leave most batch work
under the first SLO. A spec that names none has all but that one tried. The methods `simulation` and
`auto` tune ages by load on replays, from the policy's.
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
