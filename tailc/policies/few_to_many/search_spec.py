"""How a few-to-many table is searched for, by its formula and on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.specs.common import DemandSpec
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    RefusalError,
    Whole,
)
from tailc.specs.queue_fields import (
    QUEUE,
    RATE,
    Freedoms,
    TunedSearch,
    freedom_complaints,
    goal_complaints,
    others_complaints,
)
from tailc.specs.robust import RobustSpec, goal_rate_complaints, untuned_complaints
from tailc.units import LARGEST

# Every load up to it is a row that is searched and kept in memory.
MAX_IN_SYSTEM = 10_000
_OBJECTIVE = ("search", "objective")


class SearchSpec(TunedSearch):
    """How the intervals are searched for."""

    # Errors to stand, the grid's step and longest interval, the last row and the budget are asked
    # for each by itself; the search chooses each that is absent by the trace, or does without.
    method: Literal["grid", "dual"] = Field(
        default="grid", description="The paper's grid, or continuous time with a bound."
    )
    objective: Literal["tail", "threads", "queue"] = Field(
        default="tail",
        description="Least tail (the paper's), least threads that meet the first SLO, or least "
        "tail with queues: the table of least tail, tuned on the replay at `rates`.",
    )
    goal: Literal["tail", "rate"] = Field(
        default="tail",
        description="Of the objective `queue`: least tail, or the highest rate that meets the SLO, "
        "up to the highest of `rates`.",
    )
    freedoms: Freedoms = ()
    robust: RobustSpec | None = Field(
        default=None,
        description="Errors of demand and speed-ups that the table shall stand: tells how large "
        "ones it stands at `rates`, and under the objective `queue` tunes it for the worst; none, "
        "if absent.",
        examples=[{"demand": "10%", "speedup": "10%"}],
    )
    step_us: DurationUs | None = Field(
        default=None, alias="step", description="Step of the grid of intervals."
    )
    longest_interval_us: DurationUs | None = Field(
        default=None,
        alias="longest_interval",
        description="Longest interval of the grid; the longest demand, if absent.",
    )
    max_in_system: Annotated[Whole, Field(ge=1, le=MAX_IN_SYSTEM)] | None = Field(
        default=None,
        description="Last load with a row; the target parallelism rounded down, if absent.",
    )
    e1: Literal["paper", "never"] = Field(
        default="paper",
        description="Whether requests wait for another to leave at the highest loads.",
    )
    max_evaluations: Annotated[Whole, Field(ge=1, le=LARGEST)] | None = Field(
        default=None, description="Budget: schedules evaluated before giving up."
    )

    @model_validator(mode="after")
    def _check_grid(self) -> SearchSpec:
        step, longest = self.step_us, self.longest_interval_us
        if step is not None and longest is not None and longest % step != 0:
            message = "is not a whole number of steps"
            hint = "make it a multiple of `step`"
            raise RefusalError(
                Complaint(Code.CONFLICT, message, hint, ("longest_interval",), ("step",))
            )
        return self

    def queue_complaints(
        self, rates_mrps: Sequence[int], slos: int, demand: DemandSpec
    ) -> list[Complaint]:
        """The objective `queue` is about rates, and only it has a budget, weights and bursts."""
        if self.objective != QUEUE:
            doubted = untuned_complaints(self.robust, rates_mrps, _OBJECTIVE)
            return [*others_complaints(self, _OBJECTIVE), *doubted]
        fits = tuned_complaints(self, rates_mrps, demand, _OBJECTIVE)
        freely = self._freedom_complaints()
        return [*fits, *freely, *self._goal_complaints(rates_mrps, slos)]

    def _goal_complaints(self, rates_mrps: Sequence[int], slos: int) -> Iterator[Complaint]:
        if self.goal != RATE:
            return
        yield from goal_complaints(self.weights, rates_mrps, slos)
        yield from goal_rate_complaints(self.robust)

    def _freedom_complaints(self) -> Iterator[Complaint]:
        yield from freedom_complaints(self.freedoms)
        if "start-below" in self.freedoms and self.e1 == "never":
            message = "holds `start-below`, by which requests wait, but under `e1: never` none does"
            at, also = ("search", "freedoms"), ("search", "e1")
            yield Complaint(Code.CONFLICT, message, "remove one", at, also)
