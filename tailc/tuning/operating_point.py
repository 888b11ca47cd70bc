"""Operating points at which tables are replayed."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.experiment.tuning_objective import TailConstraint, TuningObjective
from tailc.models.arrivals import Arrivals
from tailc.models.workload import Workload


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """A workload, its arrival process, and constraints on other percentiles.

    settling: as `Scenario` has it.
    """

    load: Workload
    arrivals: Arrivals
    objectives: tuple[TailConstraint, ...] = ()
    settling: int = 0


def operating_points(
    load: Workload, aim: TuningObjective, settling: int = 0
) -> list[OperatingPoint]:
    """The same requests at each rate of `aim`.

    settling: number of earlier arrivals at constant rates that are not measured.
    """
    return [
        OperatingPoint(
            load, arrivals, aim.objectives, settling if arrivals.has_constant_rate else 0
        )
        for arrivals in aim.arrivals
    ]
