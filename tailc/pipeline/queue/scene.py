"""What tables are tried on: requests, and how they arrive."""

from __future__ import annotations

from dataclasses import dataclass

from tailc.replay.arrivals import Arrivals
from tailc.replay.queue_aim import QueueAim
from tailc.replay.workload import Workload


@dataclass(frozen=True, eq=False)
class Scene:
    """Requests, and how they arrive."""

    load: Workload
    arrivals: Arrivals


def scenes_of(load: Workload, aim: QueueAim) -> list[Scene]:
    """The same requests at each of the aim's rates."""
    return [Scene(load, arrivals) for arrivals in aim.arrivals]
