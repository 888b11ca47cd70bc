"""Joint ladders: as a request ages it gets more threads or a faster clock, whichever is cheaper.

A rung is a number of threads at a frequency. Its cost is the power of these threads, and only rungs
on the lower hull of power over speed are used. For every number of requests in the system the table
minimises the tail (objective `tail`), or the energy of a request under the first SLO (`energy`),
under a limit on the mean power of all requests. The methods `auto` and `simulation` start with that
table and tune it on replays. The kind combines few-to-many (Haque et al., ASPLOS 2015) and
slow-to-fast with frequencies (Haque et al., MICRO 2017), whose ladders are special cases.
"""

from tailc.policies import LATENCIES, TARGET, Kind, SoftLine, TunableTables
from tailc.policies.joint_ladder.emit import emit
from tailc.policies.joint_ladder.reduce import (
    ambiguity,
    best_of_all,
    candidates,
    reduce,
    tuning_objective,
)
from tailc.policies.joint_ladder.spec import JointSpec

KIND = Kind(
    name="joint-ladder",
    spec_model=JointSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    tuning=TunableTables(tuning_objective, best_of_all),
    robust=ambiguity,
    soft_lines=(
        SoftLine(("search", "max_in_system"), is_raised=False, furthest=10_000),
        SoftLine(("server", "max_threads")),
        SoftLine(("server", "target_power")),
        SoftLine(("server", "peak_power")),
        TARGET,
        LATENCIES,
    ),
    speeds_by_degree=False,
)
