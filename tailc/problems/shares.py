"""Which machines shall do how much on one host, before their models are known."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.traces.throughput import ThroughputTrace


class ModelObjective(enum.Enum):
    """What a model is chosen for."""

    SQUARED_ERROR = "squared-error"


class ModelMethod(enum.Enum):
    """How models are found."""

    LEAST_SQUARES = "least-squares"


class ControllerChoice(enum.Enum):
    """What may take the place of the stated controller if a constant share is better than it."""

    NONE = "none"
    POLE = "pole"
    LAW_AND_POLE = "law-and-pole"


@dataclass(frozen=True)
class Asked:
    """A machine and its target: work a second in thousandths, or a part of what the host can do.

    Both None: batch work, which gets what is left. `about` is where the spec states the target.
    """

    name: str
    target_milli: int | None = None
    target_ppm: int | None = None
    about: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        assert self.target_milli is None or self.target_ppm is None

    @property
    def has_target(self) -> bool:
        """Whether it is no batch work."""
        return self.target_milli is not None or self.target_ppm is not None


@dataclass(frozen=True, eq=False)
class SharesProblem:
    """Find for each machine with a target the model that fits its rows best.

    step_us: the time between k and k+1 of the model. host_ppm, least_ppm: what there is of the host
    together and what each machine with a target gets at least. least_b_ppm: a smaller b, in
    millionths of the target, is not believed. tolerance_ppm: the promised mean error, relative to
    the target. window_us: what the controller measures throughput over, every estimate_us.
    choice: what replays of the trace may choose of the controller.
    """

    trace: ThroughputTrace
    machines: tuple[Asked, ...]
    step_us: int
    host_ppm: int
    least_ppm: int
    least_b_ppm: int
    tolerance_ppm: int
    window_us: int
    estimate_us: int
    choice: ControllerChoice = ControllerChoice.NONE
    objective: ModelObjective = ModelObjective.SQUARED_ERROR
    method: ModelMethod = ModelMethod.LEAST_SQUARES

    @property
    def served(self) -> tuple[Asked, ...]:
        """The machines with a target."""
        return tuple(machine for machine in self.machines if machine.has_target)


@dataclass(frozen=True)
class Fitted:
    """A machine's model, in the whole numbers of an artifact, and what it says.

    error_ppm: root mean squared error of a step, relative to the mean throughput. max_milli:
    throughput at the whole host, which is the most that can be had. needs_ppm: the share that meets
    the target, as the model has it.
    """

    name: str
    target_milli: int
    a_ppm: int
    b_milli: int
    error_ppm: int
    max_milli: int
    needs_ppm: int


@dataclass(frozen=True)
class SharesSolution:
    """A model for each machine with a target, in the problem's order. There are no rows by load."""

    models: tuple[Fitted, ...]
    evaluations: int
    proof: str = "by-definition"
    solver: str = "tailc_solvers.shares.least_squares"
    rows: tuple[()] = ()
