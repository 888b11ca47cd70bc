"""What tables are tried on: requests, how they arrive, and what must hold for them."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.experiment.tuning_objective import Objective, TuningObjective
from tailc.models.arrivals import Arrivals
from tailc.models.workload import Workload


@dataclass(frozen=True, eq=False)
class Scene:
    """Requests, how they arrive, and what must hold besides what is made small."""

    load: Workload
    arrivals: Arrivals
    objectives: tuple[Objective, ...] = ()


def scenes_of(load: Workload, aim: TuningObjective) -> list[Scene]:
    """The same requests at each of the aim's rates."""
    return [Scene(load, arrivals, aim.objectives) for arrivals in aim.arrivals]
