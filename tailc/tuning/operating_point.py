"""Operating points: the conditions, such as arrival rates, under which tables are replayed."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.experiment.tuning_objective import TailConstraint, TuningObjective
from tailc.models.arrivals import Arrivals
from tailc.models.workload import Workload


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """Conditions of a replay: a workload, its arrival process, constraints on percentiles.

    settling: number of earlier arrivals that are not measured.
    """

    load: Workload
    arrivals: Arrivals
    objectives: tuple[TailConstraint, ...] = ()
    settling: int = 0


def operating_points(
    load: Workload, aim: TuningObjective, settling: int = 0
) -> list[OperatingPoint]:
    """Make an operating point for each rate of `aim`, with the same requests.

    settling: number of earlier arrivals at constant rates that are not measured.
    """
    return [
        OperatingPoint(
            load, arrivals, aim.objectives, settling if arrivals.has_constant_rate else 0
        )
        for arrivals in aim.arrivals
    ]
