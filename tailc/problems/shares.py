"""The problem of CPU shares: fit throughput models to machines that share a host."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tailc.traces.throughput import ThroughputTrace


class ModelObjective(enum.Enum):
    """What the fit of a machine's throughput model minimises.

    SQUARED_ERROR: the sum of squared errors of one-step predictions.
    """

    SQUARED_ERROR = "squared-error"


class ModelMethod(enum.Enum):
    """Method by which the throughput models of machines are fitted: least squares."""

    LEAST_SQUARES = "least-squares"


class ControllerChoice(enum.Enum):
    """What a compile may change in the stated controller if a constant share is better.

    NONE: nothing. POLE: the pole. LAW_AND_POLE: the control law and the pole.
    """

    NONE = "none"
    POLE = "pole"
    LAW_AND_POLE = "law-and-pole"


@dataclass(frozen=True)
class MachineTarget:
    """A virtual machine, and its throughput target in one of two units.

    target_milli: work per second in thousandths. target_ppm: share of the host's capacity [1e-6].
    Both None: batch work, which gets the rest. about: path of the target in the spec.
    """

    name: str
    target_milli: int | None = None
    target_ppm: int | None = None
    about: tuple[str | int, ...] = ()

    def __post_init__(self) -> None:
        assert self.target_milli is None or self.target_ppm is None

    @property
    def has_target(self) -> bool:
        """Whether the machine has a throughput target; batch work has none."""
        return self.target_milli is not None or self.target_ppm is not None


@dataclass(frozen=True, eq=False)
class SharesProblem:
    """The problem: fit a throughput model to the trace of each machine with a target.

    trace: measured throughput. step_us: time between two steps of the model. host_ppm, least_ppm:
    capacity of the host, and least share of each machine with a target [1e-6]. least_b_ppm: least
    accepted coefficient b of the model, in millionths of the target. tolerance_ppm: promised mean
    error of throughput, relative to the target. window_us, estimate_us: window over which the
    controller averages throughput, and period of its estimates. choice: what may replace the stated
    controller after replays of the trace.
    """

    trace: ThroughputTrace
    machines: tuple[MachineTarget, ...]
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
    def served_machines(self) -> tuple[MachineTarget, ...]:
        """The machines of the problem that have a throughput target; batch machines have none."""
        return tuple(machine for machine in self.machines if machine.has_target)


@dataclass(frozen=True)
class MachineModel:
    """The fitted throughput model of a machine, in the whole numbers of an artifact.

    The model is t(k+1) = a t(k) + b share. error_ppm: root mean squared error of a step, relative
    to the mean throughput. max_milli: throughput with the whole host, the largest attainable.
    needs_ppm: the share that meets the target by the model.
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
    """The fitted model of each machine with a target, in the problem's order.

    There are no rows by load.
    """

    models: tuple[MachineModel, ...]
    evaluations: int
    proof: str = "by-definition"
    solver: str = "tailc_solvers.shares.least_squares"
    rows: tuple[()] = ()
