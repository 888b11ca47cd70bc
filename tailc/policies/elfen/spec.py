"""Spec of elfen: batch work on SMT lanes (Yang et al., USENIX ATC 2016)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.policies.elfen.choices import Method
from tailc.policies.elfen.lanes_spec import LanesSpec
from tailc.specs.arrivals import NOT_POISSON, is_given
from tailc.specs.budgets import Budgets
from tailc.specs.common import DemandSpec, SpeedupSpec, repeated_rates
from tailc.specs.cores_spec import Count
from tailc.specs.fields import (
    PPM,
    Complaint,
    DurationUs,
    Name,
    RateMrps,
    RefusalError,
    SpecModel,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.specs.older_keys import OlderKey
from tailc.specs.overrides import overridden
from tailc.specs.simulation_fields import (
    AUTO,
    PAPER,
    Effort,
    TunedSearch,
    formula_complaints,
    not_of_auto,
    not_of_others,
    refuse_any,
    refuse_options_of_auto,
)
from tailc.specs.slo_spec import AllowMisses, SloSpec, WithSlos
from tailc.units import DURATION, format_us


class ElfenSearch(TunedSearch):
    """The search for an elfen policy's ages."""

    method: Method | None = Field(
        default=None,
        description="`paper`: ages of the policy (default with `policy`). `simulation`: most "
        "batch work that meets the first SLO with queues; ages by the number in the "
        "system are tuned on the replay at `rates`. `auto`: the same within the "
        "budget of `effort` (default without `policy`).",
    )
    effort: Effort = "normal"

    def complaints(
        self, method: str, rates_mrps: Sequence[int], demand: DemandSpec
    ) -> Iterator[Complaint]:
        """Report invalid weights and arrivals, and keys that the search method does not use.

        rates_mrps: arrival rates of the spec.
        """
        if method != AUTO:
            yield from not_of_others(self)
        if method == PAPER:
            yield from formula_complaints(self)
            return
        if method == AUTO:
            yield from not_of_auto(self)
            yield from self.quick_complaints()
        yield from tuned_complaints(self, rates_mrps, demand)

    def quick_complaints(self) -> Iterator[Complaint]:
        """Report arrivals that only a search uses, if the effort `quick` skips the search."""
        for name in NOT_POISSON:
            if self.effort == "quick" and is_given(self, name):
                message = "applies to a search, which `effort: quick` does not make"
                at, also = ("search", name), ("search", "effort")
                yield Complaint(
                    Code.CONFLICT, message, "raise `effort`, or remove this key", at, also
                )


NAME = "elfen"
_METHODS = {"queue": "simulation", "policy": "paper"}
BY_LOAD = "by-load"
BORROW_IDLE = "borrow-idle"
LAST_BUDGET = "last-budget"
Static = Literal["borrow-idle", "fixed", "refresh", "dynamic", "safe"]
BUDGETED = ("fixed", "refresh", "dynamic", "safe")
_BY_LOAD_TOO = ("fixed", "safe")
_UNNAMED = (
    "is given without `policy`, but the default tries each policy with its own settings",
    "add `policy`, or remove it",
)


def _budget(value: object) -> Any:
    if value == BY_LOAD:
        return value
    if isinstance(value, str) and not value[:1].isdigit():
        message = f"must be a duration or `{BY_LOAD}`, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `47ms`"))
    return quantity(DURATION)(value)


_BUDGET_SCHEMA = {
    "anyOf": [quantity_schema("A duration with its unit.", DURATION), {"const": BY_LOAD}]
}
BudgetField = Annotated[
    int | Literal["by-load"], BeforeValidator(_budget), WithJsonSchema(_BUDGET_SCHEMA)
]


class ElfenServer(SpecModel):
    """The cores that requests run on, each with one lane for a request and one for batch work."""

    cores: Count = Field(examples=[1], description="Number of cores; they share one queue.")


class ElfenSpec(WithSlos):
    """An elfen policy: batch work uses the other lane of a core, within a budget of latency."""

    older: ClassVar = (OlderKey(("search", "objective"), ("search", "method"), _METHODS),)

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["elfen"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["search-smt"], description="Name of the policy.")
    slo: Annotated[tuple[SloSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"percentile": "99%", "latency": "100ms"}]],
        description="Limits of latency percentiles; the budget is computed from the first.",
    )
    budgets: Budgets
    allow_misses: AllowMisses
    target_us: DurationUs | None = Field(
        default=None,
        alias="target",
        description="Target of the search, at most the first SLO's latency. Default: that latency.",
    )
    demand: DemandSpec = Field(
        description="Where demand was measured, alone on a core, and how to read it.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    server: ElfenServer = Field(examples=[{"cores": 1}])
    lanes: LanesSpec = Field(examples=[{"interference": "45%"}])
    policy: Static | Literal["optimised"] | None = Field(
        default=None,
        examples=["fixed"],
        description="Which requests get the budget: see the page on elfen. Default: the policy, "
        "other than `optimised`, with the most batch work that meets the SLOs.",
    )
    budget: BudgetField | None = Field(
        default=None,
        description="How long a request may share its core, or `by-load`. Default: the SLO's "
        "latency less the percentile alone, at the rate with the smallest difference.",
    )
    above_rates: Literal["borrow-idle", "last-budget"] = Field(
        default=BORROW_IDLE,
        description="Behaviour of a table with budgets by load above the last rate: "
        "`borrow-idle`, or the budget of the last rate.",
    )
    charge: Literal["time", "harm"] | None = Field(
        default=None,
        description="What a budget counts: shared time, or time lost by sharing. Default: `harm` "
        "for `dynamic`, `time` for others.",
    )
    rates_mrps: Annotated[tuple[RateMrps, ...], Field(min_length=1)] = Field(
        alias="rates",
        examples=[["40/s", "100/s"]],
        description="Arrival rates that the policy is for.",
    )
    search: ElfenSearch = Field(
        default_factory=ElfenSearch, description="How the ages of the table are found."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: target, budget, charge, rates, demand, classes, search."""
        return (
            self._target_complaints,
            self._budget_complaints,
            self._above_complaints,
            self._charge_complaints,
            self._rate_complaints,
            self._demand_complaints,
            self._class_complaints,
            self._search_complaints,
        )

    def _target_complaints(self) -> list[Complaint]:
        most_us = self.slo[0].latency_us
        if self.target_us is None or self.target_us <= most_us:
            return []
        message = f"is above the first SLO's latency, {format_us(most_us)}"
        at, also = ("target",), ("slo", 0, "latency")
        return [
            Complaint(Code.CONFLICT, message, f"lower it to {format_us(most_us)} or less", at, also)
        ]

    def _budget_complaints(self) -> list[Complaint]:
        if self.budget is None:
            return []
        at, also = ("budget",), ("policy",)
        if self.policy is None:
            return [Complaint(Code.CONFLICT, *_UNNAMED, at)]
        if self.policy not in BUDGETED:
            message = f"is given, but the policy `{self.policy}` has no budget"
            return [Complaint(Code.CONFLICT, message, "remove it", at, also)]
        if self.budget == BY_LOAD and self.policy not in _BY_LOAD_TOO:
            message = (
                f"depends on load, but the policy `{self.policy}` depends on which requests wait"
            )
            return [Complaint(Code.CONFLICT, message, "give one budget, or none", at, also)]
        return self._release_complaints(self.budget)

    def _above_complaints(self) -> list[Complaint]:
        if "above_rates" not in self.model_fields_set or self.budget == BY_LOAD:
            return []
        message = f"applies only to `budget: {BY_LOAD}`, which has a row for each rate"
        at, also = ("above_rates",), ("budget",)
        can_be_by_load = self.policy in _BY_LOAD_TOO
        hint = f"remove it, or set `budget: {BY_LOAD}`" if can_be_by_load else "remove it"
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _release_complaints(self, budget: int | str) -> list[Complaint]:
        """A budget of lost time lasts as long as the interference determines, which may be
        unknown.
        """
        release_us = self.lanes.release_us
        if isinstance(budget, str) or self.charges_harm or budget >= release_us:
            return []
        message = (
            f"is shorter than the {format_us(release_us)} that batch work needs to leave the core"
        )
        hint = "lengthen it, or set `policy: borrow-idle`"
        return [Complaint(Code.CONFLICT, message, hint, ("budget",), ("lanes", "release"))]

    def _charge_complaints(self) -> list[Complaint]:
        at, also = ("charge",), ("policy",)
        if self.charge is not None and self.policy is None:
            return [Complaint(Code.CONFLICT, *_UNNAMED, at)]
        if self.charge is not None and self.policy not in BUDGETED:
            message = f"is given, but the policy `{self.policy}` has no budget"
            return [Complaint(Code.CONFLICT, message, "remove it", at, also)]
        if self.charge == "time" and self.policy == "dynamic":
            message = (
                "is `time`, but the policy `dynamic` charges the slowdown of requests (`harm`)"
            )
            return [
                Complaint(
                    Code.CONFLICT, message, "set `policy: refresh`, or remove `charge`", at, also
                )
            ]
        if self.charge == "harm" and self.policy == "safe" and self.server.cores > 1:
            message = (
                "is `harm`, with which the policy `safe` keeps its budget only on a single core"
            )
            at_cores = ("server", "cores")
            return [Complaint(Code.CONFLICT, message, "set `charge: time`", at, at_cores)]
        return []

    def _rate_complaints(self) -> list[Complaint]:
        return repeated_rates(self.rates_mrps)

    def _demand_complaints(self) -> list[Complaint]:
        if not self.demand.has_timings:
            return []
        message = "has speed-ups by degree, but each request runs on one hardware thread"
        hint = "name the column with the demand as `demand.column`"
        return [Complaint(Code.CONFLICT, message, hint, ("demand", "timings"))]

    def _class_complaints(self) -> list[Complaint]:
        return [
            Complaint(
                Code.CONFLICT,
                "is for a class, but requests of this kind have no classes",
                "remove `class`",
                ("slo", position, "class"),
            )
            for position, slo in enumerate(self.slo)
            if slo.request_class is not None
        ]

    def _search_complaints(self) -> list[Complaint]:
        return list(self.search.complaints(self.method, self.rates_mrps, self.demand))

    @property
    def method(self) -> str:
        """The method of the spec's search, stated or default."""
        return self.search.method or (AUTO if self.policy is None else PAPER)

    @property
    def policies(self) -> tuple[ElfenSpec, ...]:
        """Specs to compare: the spec itself if it names a policy, else one per policy of the paper.

        Policies that need a search are left out.
        """
        if self.policy is not None:
            return (self,)
        return tuple(
            self.model_copy(
                update={"policy": name, "budget": BY_LOAD if name in _BY_LOAD_TOO else None}
            )
            for name in get_args(Static)
        )

    @property
    def speedup(self) -> SpeedupSpec:
        """The speed-up of requests: 1 for all, because the policy's rungs have the speeds."""
        return SpeedupSpec.of_rungs("alone", (PPM,))

    @property
    def aim_us(self) -> int:
        """Limit of the latency percentile from which budgets are computed [us]."""
        return self.slo[0].latency_us if self.target_us is None else self.target_us

    @property
    def charges_harm(self) -> bool:
        """Whether only time lost to sharing uses up a request's budget, and not all shared time."""
        return self.policy == "dynamic" if self.charge is None else self.charge == "harm"

    @property
    def max_degree(self) -> None:
        """Largest number of threads: None, because each request runs on one hardware thread."""

    def with_search(self, overrides: Mapping[str, object]) -> ElfenSpec:
        """Return the spec with fields of `search` replaced.

        Raises TailcError (USAGE) for unknown fields.
        """
        search = overridden(self.search, overrides, NAME)
        changed = self.model_copy(update={"search": search})
        refuse_options_of_auto(overrides, changed.method)
        if changed.method == AUTO:
            refuse_any([*search.quick_complaints()])
        return changed
