"""Spec of slow-to-fast: cores of several speeds (Haque et al., MICRO 2017)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tailc.errors import Code, Finding, TailcError, did_you_mean
from tailc.experiment.objective_checks import tuned_complaints
from tailc.policies.slow_to_fast.choices import Method, Objective
from tailc.policies.slow_to_fast.control_spec import SlowToFastControl
from tailc.specs.budgets import Budgets
from tailc.specs.common import DemandSpec, SpeedupSpec, repeated_rates
from tailc.specs.cores import Cores, dominated_types, without_types
from tailc.specs.cores_build import build, reference_complaints
from tailc.specs.cores_spec import CoresSpec, MeasuredCores
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    Name,
    RateMrps,
    RefusalError,
    SpecModel,
    Whole,
    or_absent,
)
from tailc.specs.older_keys import OBJECTIVE_BESIDE_SEARCH
from tailc.specs.overrides import overridden
from tailc.specs.robust import (
    RobustSpec,
    asked_besides,
    day_complaints,
    robust_rate_complaints,
    untuned_complaints,
)
from tailc.specs.simulation_fields import (
    AUTO,
    METHOD_AT,
    RATE,
    SIMULATION,
    AutoSearch,
    formula_complaints,
    not_of_auto,
    not_of_others,
    objective_complaints,
    rate_complaints,
    refuse_any,
    refuse_options_of_auto,
    with_formula_kept,
)
from tailc.specs.slo_spec import AllowMisses, SloSpec, WithSlos
from tailc.units import format_us

NAME = "slow-to-fast"
# Haque et al., MICRO 2017, section 5.1: requests check their age once a millisecond.
QUANTUM_US = 1_000
TIME_LIMIT_US = 60_000_000
MEMORY_LIMIT_MB = 2_048
MAX_MEMORY_MB = 1_048_576
DEFAULT_SOLVER = "highs"
# Methods that begin with the ages of a formula; None: if that is the default.
_REPLAYING = (None, AUTO, SIMULATION)
# Objectives that the method `auto` has.
_OF_AUTO = ("energy", "tail")
_NO_SOLVER = "but only the method `mip` has a choice of solvers"


class SlowToFastServer(SpecModel):
    """How often requests check their age, and from when it counts."""

    quantum_us: DurationUs = Field(
        default=QUANTUM_US,
        alias="quantum",
        description="How often a running request checks whether to climb.",
        json_schema_extra={"default": "1ms"},
    )
    age_clock: Literal["arrival", "execution"] = Field(
        default="arrival", description="Start of the age at which a request climbs."
    )


class SlowToFastSearch(AutoSearch):
    """The search for the thresholds: method, solver, limits and objective."""

    # Optional keys are checked independently of each other.

    method: Method | None = Field(
        default=None,
        description="`auto`: the best of the formula's ages, of the settings by hand, and of a "
        "search on replays with queues at `rates`. It is the default for the objectives `energy` "
        "and `tail` if there are rates and no `control`. Otherwise, if requests share their "
        "speeds: the exact dual (default) or a convex solver. If they do not: a mixed-integer "
        "solver or a grid (default). `simulation`: ages by load, tuned on replays.",
    )
    formula_method: Literal["dual", "convex", "mip", "grid"] | None = Field(
        default=None,
        description="Methods `auto` and `simulation`: method of the ages from which the search "
        "starts. Default: the default method.",
    )
    solver: Annotated[Literal["highs", "scip", "cp-sat", "gurobi"], or_absent(DEFAULT_SOLVER)] = (
        Field(default=DEFAULT_SOLVER, description="The solver of `mip`.")
    )
    step_us: DurationUs | None = Field(
        default=None, alias="step", description="Step of the grid of thresholds."
    )
    time_limit_us: DurationUs = Field(
        default=TIME_LIMIT_US,
        alias="time_limit",
        description="Largest time of a solver.",
        json_schema_extra={"default": "60s"},
    )
    memory_limit_mb: Annotated[Whole, Field(ge=64, le=MAX_MEMORY_MB)] = Field(
        default=MEMORY_LIMIT_MB, description="Largest memory of a solver, in MB."
    )
    objective: Objective = Field(
        default="energy",
        description="Lowest energy that meets the first SLO; lowest tail (by formula: fastest "
        "cores first); slow cores only, as long as some are free; or, with the method "
        "`simulation`, the highest rate that meets the SLO, up to the highest of "
        "`rates`.",
    )
    robust: RobustSpec | None = Field(
        default=None,
        description="Errors of demand and speeds. The compile computes the largest errors that "
        "the ages tolerate at `rates`, and with the method `simulation` tunes them "
        "for the worst case. Default: none.",
        examples=[{"demand": "10%", "speedup": "10%"}],
    )

    def objective_complaints(self) -> list[Complaint]:
        """Report an objective in a slow-to-fast spec that the search method does not support."""
        last = RATE if self.method == SIMULATION else "efficiency"
        choices = ("energy", "tail", last)
        return list(objective_complaints(self.objective, self.method, choices, _OF_AUTO))

    def method_at(self, rates_mrps: Sequence[int], *, asks_for_controller: bool) -> str | None:
        """The method of search; if not stated, the most thorough one that the objective allows.

        None: the formula that suits the speeds of requests.
        """
        is_replayed = bool(rates_mrps) and self.objective in _OF_AUTO and not asks_for_controller
        return self.method or (AUTO if is_replayed else None)

    @property
    def formula(self) -> str | None:
        """Method that computes ages to climb at without replays, by formula; None: the default."""
        return self.formula_method if self.method in _REPLAYING else self.method

    @property
    def formula_at(self) -> tuple[str, str]:
        """Path in the spec of the key that sets `formula`, the method of ages without replays."""
        return ("search", "formula_method") if self.method in _REPLAYING else METHOD_AT

    @property
    def looks_for_rate(self) -> bool:
        """Whether the objective is the highest rate, instead of ages for given rates."""
        return self.objective == RATE


class SlowToFastSpec(WithSlos):
    """A slow-to-fast policy: a request moves to faster cores, or clocks, as it ages."""

    older: ClassVar = OBJECTIVE_BESIDE_SEARCH

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["slow-to-fast"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["websearch-amp"], description="Name of the policy.")
    slo: Annotated[tuple[SloSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"percentile": "99%", "latency": "200ms"}]],
        description="Limits of latency percentiles; the search uses the first.",
    )
    budgets: Budgets
    allow_misses: AllowMisses
    target_us: DurationUs | None = Field(
        default=None,
        alias="target",
        description="Target of the search, at most the first SLO's latency. Default: that latency.",
    )
    demand: DemandSpec = Field(
        description="Where demand was measured. Speed 1 is that of the type named by its "
        "reference, of the server or of the table of powers, or otherwise of the "
        "slowest type.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    cores: CoresSpec = Field(
        examples=[{"power_from": "micro-2017-amp", "types": [{"speed": 1, "count": 13}]}],
        description="The cores of the server, ascending in speed.",
    )
    own_speedup: SpeedupSpec | None = Field(
        default=None,
        alias="speedup",
        description="Speeds on each type by request (`columns`) or class. Default: those of the "
        "cores.",
    )
    server: SlowToFastServer = Field(
        default_factory=SlowToFastServer, description="How requests climb."
    )
    control: SlowToFastControl = Field(
        default_factory=SlowToFastControl,
        description="How thresholds follow the load; `off`: they are constant.",
    )
    search: SlowToFastSearch = Field(
        default_factory=SlowToFastSearch, description="How the thresholds are found."
    )
    rates_mrps: tuple[RateMrps, ...] = Field(
        default=(), alias="rates", description="Arrival rates that the policy is for."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: cores, speed-ups, target, rates, solver, classes, days."""
        return (
            self.core_complaints,
            self._speedup_complaints,
            self._target_complaints,
            self._rate_complaints,
            self._formula_complaints,
            self._class_complaints,
            self.search_complaints,
            self._day_complaints,
        )

    def core_complaints(self) -> list[Complaint]:
        """Report faults of the cores, when all are known after a table is read."""
        if isinstance(self.cores.powers, MeasuredCores):
            return []
        try:
            build(self.cores, self.demand.reference)
        except RefusalError as refusal:
            return [complaint.below("cores") for complaint in refusal.complaints]
        return reference_complaints(self.cores, self.demand.reference)

    def _speedup_complaints(self) -> list[Complaint]:
        if self.demand.has_timings:
            message = "gives speed-ups by degree, but these requests run on one core"
            hint = "name the column with the demand as `demand.column`"
            return [Complaint(Code.CONFLICT, message, hint, ("demand", "timings"))]
        if self.own_speedup is None:
            return []
        if self.own_speedup.source.shared_curve:
            message = "has one curve for all requests, but `cores` already defines these speeds"
            hint = "remove it, or give `classes` or `columns`"
            return [Complaint(Code.CONFLICT, message, hint, ("speedup",), ("cores",))]
        changes, wanted = self.own_speedup.degrees, self._types
        if changes != wanted:
            message = f"has {changes} speeds a request, but there are {wanted} types of cores"
            hint = "give one speed for each type, slow ones first"
            return [Complaint(Code.CONFLICT, message, hint, ("speedup",), ("cores",))]
        return []

    def _target_complaints(self) -> list[Complaint]:
        most_us = self.slo[0].latency_us
        if self.target_us is None or self.target_us <= most_us:
            return []
        message = f"is above the first SLO's latency, {format_us(most_us)}"
        at, also = ("target",), ("slo", 0, "latency")
        return [
            Complaint(Code.CONFLICT, message, f"lower it to {format_us(most_us)} or less", at, also)
        ]

    def _rate_complaints(self) -> list[Complaint]:
        complaints = repeated_rates(self.rates_mrps)
        if self.is_controlled and not self.rates_mrps:
            message = "is missing, but a controller has gains for each range of rates"
            hint = "add `rates: [20/s, 60/s]`, or set `control: off`"
            complaints.append(Complaint(Code.MISSING_KEY, message, hint, ("rates",)))
        bounds = self.control.boundaries_mrps
        if self.is_controlled and bounds and self.rates_mrps and bounds[-1] >= max(self.rates_mrps):
            message = "is not below the highest rate"
            at, also = ("control", "boundaries", len(bounds) - 1), ("rates",)
            complaints.append(Complaint(Code.CONFLICT, message, "remove this boundary", at, also))
        return complaints

    def _formula_complaints(self) -> list[Complaint]:
        return [*self._solver_complaints(), *self._step_complaints()]

    def _solver_complaints(self) -> list[Complaint]:
        if "solver" not in self.search.model_fields_set or self.search.formula == "mip":
            return []
        message = f"is `{self.search.solver}`, {_NO_SOLVER}"
        at, also = ("search", "solver"), self.search.formula_at
        hint = f"set `{also[-1]}: mip`, or remove it"
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _step_complaints(self) -> list[Complaint]:
        """The grid is the default if requests have speeds of their own."""
        method = self.search.formula or ("dual" if self.own_speedup is None else "grid")
        if self.search.step_us is None or method == "grid":
            return []
        message = f"applies only to the method `grid`, but the method is `{method}`"
        at, also = ("search", "step"), self.search.formula_at
        hint = f"set `{also[-1]}: grid`, or remove it"
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _class_complaints(self) -> list[Complaint]:
        """The first SLO applies to all requests; others may be for a class that has speeds."""
        known = self.own_speedup.source.class_names if self.own_speedup else ()
        complaints = []
        for position, slo in enumerate(self.slo):
            at = ("slo", position, "class")
            if slo.request_class is None:
                continue
            if position == 0:
                message = "makes a class the target, but there is one table for all requests"
                hint = "put an objective without `class` first; those after it can have a class"
                complaints.append(Complaint(Code.CONFLICT, message, hint, at))
            elif slo.request_class not in known:
                message = "is not a class of `speedup.classes`"
                hint = (
                    did_you_mean(slo.request_class, known)
                    if known
                    else "remove it, or define it in `speedup.classes`"
                )
                complaints.append(Complaint(Code.CONFLICT, message, hint, at))
        return complaints

    def search_complaints(self) -> list[Complaint]:
        """Report search keys that only methods with replays use, and faults of a controller."""
        search, complaints = self.search, self.search.objective_complaints()
        if self.method != SIMULATION:
            complaints += untuned_complaints(search.robust, self.rates_mrps)
        if self.method != AUTO:
            complaints += not_of_others(search)
        if not self.is_replayed:
            return [*complaints, *formula_complaints(search)]
        complaints += tuned_complaints(search, self.rates_mrps, self.demand)
        if self.method == AUTO:
            complaints += not_of_auto(search)
        if search.looks_for_rate:
            complaints += rate_complaints(search.weights, self.rates_mrps, len(self.slo))
            complaints += robust_rate_complaints(search.robust)
        if self.asks_for_controller and not self.is_controlled:
            message = (
                f"is given, but the ages of the method `{self.method}` already depend on the load"
            )
            hint = "remove it, set `control: off`, or choose another method"
            complaints.append(Complaint(Code.CONFLICT, message, hint, ("control",), METHOD_AT))
        return complaints

    def _day_complaints(self) -> list[Complaint]:
        return list(day_complaints(self.search.robust, self.demand))

    @property
    def _types(self) -> int:
        """Number of types in the spec, useless ones included."""
        return len(self.cores.which.parts)

    @property
    def aim(self) -> str:
        """The objective of the ages that a formula computes.

        The formula knows no rate; for the objective of the highest rate it uses the fastest cores.
        """
        return "tail" if self.search.looks_for_rate else self.search.objective

    @property
    def method(self) -> str | None:
        """The method of the search, stated or default; see `SlowToFastSearch.method_at`."""
        return self.search.method_at(self.rates_mrps, asks_for_controller=self.asks_for_controller)

    @property
    def is_replayed(self) -> bool:
        """Whether ages are tuned by simulation."""
        return self.method in (AUTO, SIMULATION)

    @property
    def asks_for_controller(self) -> bool:
        """Whether the spec itself states a controller; the default one belongs to the formula."""
        return "control" in self.model_fields_set and self.control.structure != "off"

    @property
    def is_controlled(self) -> bool:
        """Whether a controller scales climb ages by load, or is compared with tables."""
        is_compared = self.method == AUTO and self.asks_for_controller
        is_possible = not self.is_replayed or is_compared
        return is_possible and self.search.objective == "energy" and self.control.structure != "off"

    @property
    def all_cores(self) -> Cores:
        """All cores of the spec's server, after its table of cores is read."""
        return build(self.cores, self.demand.reference)

    @property
    def used_cores(self) -> Cores:
        """The cores that requests run on: types that are worth using."""
        return without_types(self.all_cores, self.dropped_types)

    @property
    def dropped_types(self) -> tuple[str, ...]:
        """Names of the types that are never worth using."""
        return tuple(each.name for each in dominated_types(self.all_cores))

    @property
    def speedup(self) -> SpeedupSpec:
        """Speeds of requests on the used types: of all requests, of classes, or of each one."""
        used = [each.name for each in self.used_cores.types]
        at = [p for p, each in enumerate(self.all_cores.types) if each.name in used]
        if self.own_speedup is not None:
            return self.own_speedup.at_degrees(at)
        speeds_ppm = tuple(each.speed_ppm for each in self.used_cores.types)
        return SpeedupSpec.of_rungs("cores", speeds_ppm)

    @property
    def aim_us(self) -> int:
        """Limit of the latency percentile that thresholds and controller must meet [us]."""
        return self.slo[0].latency_us if self.target_us is None else self.target_us

    @property
    def max_degree(self) -> None:
        """Largest number of threads: None, because speeds on all rungs are read from the trace."""

    def with_search(self, overrides: Mapping[str, object]) -> SlowToFastSpec:
        """Return the spec with some fields of `search` replaced, except a stated `robust`.

        Another method removes the solver and the step of the previous one. Raises TailcError
        (USAGE) for unknown fields, and for a solver if the method has none.
        """
        before = self.search
        changes = with_formula_kept(asked_besides(overrides, before.robust), before.method)
        if "solver" in changes and changes.get("method", before.method) in (AUTO, SIMULATION):
            changes["formula_method"] = "mip"
        elif "solver" in changes:
            _check_solver(changes.setdefault("method", "mip"))
        search = overridden(before, changes, NAME)
        refuse_any(search.objective_complaints())
        if search.formula not in (before.formula, "mip"):
            search = search.model_copy(update={"solver": DEFAULT_SOLVER})
        if search.formula not in (before.formula, "grid"):
            search = search.model_copy(update={"step_us": None})
        changed = self.model_copy(update={"search": search})
        refuse_options_of_auto(overrides, changed.method or "dual")
        return changed


def _check_solver(method: object) -> None:
    if method != "mip":
        message = f"`--solver` cannot be used with `--method {method}`, {_NO_SOLVER}"
        raise TailcError(
            Finding(
                Code.USAGE, message, help=("give `--method mip`, or remove one of the two options")
            )
        )
