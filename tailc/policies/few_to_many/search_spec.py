"""Spec of the search for a few-to-many table, by its formula and by simulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.policies.few_to_many.choices import Method, Objective
from tailc.specs.common import DemandSpec
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    Flag,
    RefusalError,
    Whole,
)
from tailc.specs.robust import RobustSpec, robust_rate_complaints, untuned_complaints
from tailc.specs.simulation_fields import (
    AUTO,
    RATE,
    SIMULATION,
    AutoSearch,
    OptionalRules,
    formula_complaints,
    not_of_auto,
    not_of_others,
    objective_complaints,
    rate_complaints,
    rule_complaints,
)
from tailc.specs.tolerance import DEFAULT_PPM, TolerancePpm
from tailc.units import LARGEST

# The search stores a row for every load up to this one.
MAX_IN_SYSTEM = 10_000


class FewToManySearch(AutoSearch):
    """The search for a few-to-many table."""

    # Robustness, grid step, longest interval, last row and budget are optional independently; the
    # search derives absent ones from the trace, or does without.
    method: Method | None = Field(
        default=None,
        description="`auto`: the best of the paper's table, settings by hand and a search on "
        "replays with queues at `rates` (default with `rates`). `grid`: the paper's "
        "grid (default without `rates`). `dual`: continuous time with a bound. "
        "`simulation`: the table of `grid` or `dual`, tuned on replays.",
    )
    formula_method: Literal["grid", "dual"] = Field(
        default="grid",
        description="Methods `auto` and `simulation`: method of the table from which the search "
        "starts.",
    )
    objective: Objective = Field(
        default="tail",
        description="Lowest tail (the paper's), lowest thread-time that meets the first SLO, or, "
        "with the method `simulation`, the highest rate that meets the SLO, up to the "
        "highest of `rates`.",
    )
    optional_rules: OptionalRules = ()
    robust: RobustSpec | None = Field(
        default=None,
        description="Errors of demand and speed-ups. The compile computes the largest errors that "
        "the table tolerates at `rates`, and with the method `simulation` tunes it "
        "for the worst case. Default: none.",
        examples=[{"demand": "10%", "speedup": "10%"}],
    )
    step_us: DurationUs | None = Field(
        default=None, alias="step", description="Step of the grid of intervals."
    )
    longest_interval_us: DurationUs | None = Field(
        default=None,
        alias="longest_interval",
        description="Longest interval of the grid. Default: the longest demand.",
    )
    max_in_system: Annotated[Whole, Field(ge=1, le=MAX_IN_SYSTEM)] | None = Field(
        default=None,
        description="Last load with a row. Default: the target parallelism, rounded down.",
    )
    tolerance_ppm: TolerancePpm = DEFAULT_PPM
    admit_on_departure: Flag = Field(
        default=True,
        description="Whether requests wait for an exit at the highest loads.",
    )
    max_evaluations: Annotated[Whole, Field(ge=1, le=LARGEST)] | None = Field(
        default=None, description="Budget: number of schedules to evaluate."
    )

    @model_validator(mode="after")
    def _check_grid(self) -> FewToManySearch:
        step, longest = self.step_us, self.longest_interval_us
        if step is not None and longest is not None and longest % step != 0:
            message = "is not a whole number of steps"
            hint = "make it a multiple of `step`"
            raise RefusalError(
                Complaint(Code.CONFLICT, message, hint, ("longest_interval",), ("step",))
            )
        return self

    def complaints(
        self, rates_mrps: Sequence[int], slos: int, demand: DemandSpec
    ) -> list[Complaint]:
        """Report rates, budgets, weights and bursts that the search method does not use.

        slos: number of SLOs.
        """
        wrong, method = self.objective_complaints(), self.method_at(rates_mrps)
        if method == AUTO:
            named_rules = untuned_complaints(self.robust, rates_mrps)
            return [
                *wrong,
                *not_of_auto(self),
                *tuned_complaints(self, rates_mrps, demand),
                *named_rules,
            ]
        wrong += not_of_others(self)
        if method != SIMULATION:
            return [*wrong, *formula_complaints(self), *untuned_complaints(self.robust, rates_mrps)]
        fits = tuned_complaints(self, rates_mrps, demand)
        freely = self._rule_complaints()
        return [*wrong, *fits, *freely, *self._rate_complaints(rates_mrps, slos)]

    def method_at(self, rates_mrps: Sequence[int]) -> str:
        """The method of search; if not stated, the most thorough one that the objective allows."""
        if self.method is not None:
            return self.method
        return AUTO if rates_mrps and self.objective == "tail" else "grid"

    def objective_complaints(self) -> list[Complaint]:
        """Report an objective in a few-to-many spec that the search method does not support."""
        choices = ("tail", RATE) if self.method == SIMULATION else ("tail", "threads")
        return list(objective_complaints(self.objective, self.method, choices))

    @property
    def formula(self) -> str:
        """The method that computes the formula's table, from which a search starts."""
        return self.method if self.method in ("grid", "dual") else self.formula_method

    @property
    def looks_for_rate(self) -> bool:
        """Whether the objective is the highest rate, instead of tables for given rates."""
        return self.objective == RATE

    def _rate_complaints(self, rates_mrps: Sequence[int], slos: int) -> Iterator[Complaint]:
        if self.looks_for_rate:
            yield from rate_complaints(self.weights, rates_mrps, slos)
            yield from robust_rate_complaints(self.robust)

    def _rule_complaints(self) -> Iterator[Complaint]:
        yield from rule_complaints(self.optional_rules)
        if "start-below" in self.optional_rules and not self.admit_on_departure:
            message = (
                "has `start-below`, a rule that lets requests wait, but requests can wait only "
            )
            message += "with `admit_on_departure: true`"
            at, also = ("search", "optional_rules"), ("search", "admit_on_departure")
            yield Complaint(Code.CONFLICT, message, "remove one", at, also)
