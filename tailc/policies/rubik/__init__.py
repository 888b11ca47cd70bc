"""Rubik: the lowest frequency that meets a tail, at every event (Kasture et al., MICRO 2015).

A core serves its requests one after another. At every arrival and completion it takes the lowest
frequency at which each of its requests ends in time, by quantiles of the remaining compute cycles
and memory time (Bartolini, dissertation, 2015, chapter 3). The objective is the frequency, and so
the power; the constraint is a percentile of latency. Feedback of the measured tail scales the
latency bound. The method `auto` compares this policy with fixed frequencies and with a table that
is tuned on replays.
"""

from tailc.policies import LATENCIES, Kind, SoftLine, TunableTables
from tailc.policies.rubik.complete import complete
from tailc.policies.rubik.control import control
from tailc.policies.rubik.emit import emit
from tailc.policies.rubik.reduce import best_of_all, candidates, reduce, tuning_objective
from tailc.policies.rubik.spec import RubikSpec

KIND = Kind(
    name="rubik",
    spec_model=RubikSpec,
    candidates=candidates,
    reduce=reduce,
    emit=emit,
    complete=complete,
    control=control,
    tuning=TunableTables(tuning_objective, best_of_all),
    soft_lines=(
        SoftLine(("server", "range", "to")),
        LATENCIES,
    ),
    speeds_by_degree=False,
)
