"""How a few-to-many table is searched for, by its formula and on the replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.arrivals import (
    NOT_POISSON,
    Bursts,
    DayPpm,
    Recording,
    conflict_complaints,
    is_given,
)
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    RefusalError,
    SpecModel,
    Whole,
)
from tailc.specs.queue_fields import (
    RATE,
    TUNED,
    TunedRequests,
    Weights,
    goal_complaints,
    others_complaints,
    weight_complaints,
)
from tailc.specs.robust import RobustSpec, goal_rate_complaints, untuned_complaints
from tailc.units import LARGEST

# Every load up to it is a row that is searched and kept in memory.
MAX_IN_SYSTEM = 10_000
_OF_QUEUE = ("goal", "requests", "weights", "freedoms", *NOT_POISSON)


class SearchSpec(SpecModel):
    """How the intervals are searched for."""

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
    requests: TunedRequests = TUNED
    weights: Weights = ()
    bursts: Bursts = None
    diurnal_ppm: DayPpm = None
    recorded: Recording = None
    freedoms: tuple[Literal["start-below", "give-up", "may-descend"], ...] = Field(
        default=(),
        description="Of the objective `queue`: what the server can do besides, and the table may "
        "use: start requests by the threads in use, let late ones fall to one thread, let any fall "
        "where the row has fewer.",
        examples=[["start-below", "give-up"]],
    )
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

    def queue_complaints(self, rates_mrps: Sequence[int], slos: int) -> list[Complaint]:
        """The objective `queue` is about rates, and only it has a budget, weights and bursts."""
        if self.objective == "queue":
            return [*self._rate_complaints(rates_mrps), *self._goal_complaints(rates_mrps, slos)]
        at = ("search", "objective")
        given = [name for name in _OF_QUEUE if is_given(self, name)]
        doubted = untuned_complaints(self.robust, rates_mrps, at)
        return [*others_complaints(given, at), *doubted]

    def _rate_complaints(self, rates_mrps: Sequence[int]) -> Iterator[Complaint]:
        if not rates_mrps:
            message = "is `queue`, but no `rates` are given at which requests could queue"
            at = ("search", "objective")
            yield Complaint(Code.MISSING_KEY, message, "add `rates: [30/s, 40/s]`", at)
            return
        yield from weight_complaints(self.weights, rates_mrps)
        yield from conflict_complaints(self)
        yield from self._freedom_complaints()
        if self.bursts is not None:
            # The replay takes half a second to import, which most specs can do without.
            from tailc.replay.asked import burst_complaints

            yield from burst_complaints(self.bursts, rates_mrps)

    def _goal_complaints(self, rates_mrps: Sequence[int], slos: int) -> Iterator[Complaint]:
        if self.goal != RATE:
            return
        yield from goal_complaints(self.weights, rates_mrps, slos)
        yield from goal_rate_complaints(self.robust)

    def _freedom_complaints(self) -> Iterator[Complaint]:
        at = ("search", "freedoms")
        if len(set(self.freedoms)) < len(self.freedoms):
            yield Complaint(Code.CONFLICT, "names one twice", "name each once", at)
        if "start-below" in self.freedoms and self.e1 == "never":
            message = "holds `start-below`, by which requests wait, but under `e1: never` none does"
            yield Complaint(Code.CONFLICT, message, "remove one", at, ("search", "e1"))
        if "give-up" in self.freedoms and "start-below" not in self.freedoms:
            # Late requests would hold the places of others and leave cores idle; once there are
            # enough of them, all that come are late too.
            message = "holds `give-up` without `start-below`: late requests would keep others out"
            yield Complaint(Code.CONFLICT, message, "add `start-below`", at)
