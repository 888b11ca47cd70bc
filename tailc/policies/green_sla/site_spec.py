"""Spec keys for a datacentre, for the fees of its customers, and for the search for a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.policies.green_sla.choices import Method
from tailc.specs.fields import Complaint, RefusalError, SpecModel, Whole
from tailc.specs.jobs import Seed
from tailc.specs.plan_units import EnergyMj, FeeUdollars, Seconds
from tailc.specs.server_power import AsleepMw, BusyMw

MOST_SERVERS = 2**20
MOST_STEPS = 100_000
MOST_NODES = 10_000_000


class DatacentreSpec(SpecModel):
    """Racks of servers, from the brownest to the greenest."""

    racks: Annotated[Whole, Field(ge=1, le=MOST_SERVERS)] = Field(
        examples=[42], description="Number of racks."
    )
    servers: Annotated[Whole, Field(ge=1, le=MOST_SERVERS)] = Field(
        examples=[40], description="Number of servers in each rack."
    )
    busy_mw: BusyMw
    asleep_mw: AsleepMw = 0
    migration_mj: EnergyMj = Field(
        default=0,
        alias="migration",
        examples=["2.5kJ"],
        description="Energy to move the work of a server to another rack.",
        json_schema_extra={"default": "0J"},
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check the total number of servers, and that sleep power is below busy power."""
        return (self._size, self._powers)

    @property
    def all_servers(self) -> int:
        """Number of servers of all racks."""
        return self.racks * self.servers

    def _size(self) -> list[Complaint]:
        if self.all_servers <= MOST_SERVERS:
            return []
        message = f"makes {self.all_servers:,} servers; the limit for a plan is {MOST_SERVERS:,}"
        hint = "plan parts of the datacentre separately"
        return [Complaint(Code.BAD_VALUE, message, hint, ("racks",), ("servers",))]

    def _powers(self) -> list[Complaint]:
        if self.asleep_mw < self.busy_mw:
            return []
        message, hint = "is not below the power of a busy server", "lower it to less than `busy`"
        return [Complaint(Code.CONFLICT, message, hint, ("asleep",), ("busy",))]


class TermsSpec(SpecModel):
    """What customers pay for a server."""

    green: FeeUdollars = Field(
        examples=["29c/h"], description="Payment for a server-hour with green energy in the SLA."
    )
    brown: FeeUdollars = Field(examples=["24c/h"], description="Payment for any other server-hour.")
    penalty: FeeUdollars = Field(
        examples=["50c/h"], description="Penalty for a server-hour in the SLA that was not green."
    )

    @model_validator(mode="after")
    def _check_premium(self) -> TermsSpec:
        if self.green >= self.brown:
            return self
        message = "is below the price of a server without a green share"
        hint = "raise it to `terms.brown` or more"
        raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("green",), ("brown",)))


class GreenSlaSearch(SpecModel):
    """The search for a plan: its method, solver and limits."""

    method: Method = Field(
        default="auto",
        description="How known jobs are planned, and later jobs are decided. `arrival`: jobs one "
        "after another, each where it earns most; later jobs by prices. `anneal`: simulated "
        "annealing from there; later jobs by prices. `mip`: one mixed-integer program, which suits "
        "some ten jobs; later jobs by prices. `annealing`, `first-fit`, `on-arrival`, "
        "`smart-green`: known jobs as with `arrival`, later jobs by this rule. `auto`: the best of "
        "prices, `first-fit` and `smart-green` on earlier days.",
    )
    solver: Literal["highs", "scip", "cp-sat", "gurobi"] = Field(
        default="highs",
        description="The general solver: for `mip`, and for bounds and prices with any method.",
    )
    steps: Annotated[Whole, Field(ge=0, le=MOST_STEPS)] = Field(
        default=200, description="Number of plans that `anneal` tries."
    )
    seed: Seed = Field(default=1, examples=[1], description="Seed of annealing, and of the solver.")
    nodes: Annotated[Whole, Field(ge=0, le=MOST_NODES)] | None = Field(
        default=None,
        description="Largest number of nodes of the search tree. Default: the solver's own limit.",
    )
    time_limit_s: Seconds = Field(
        default=300,
        alias="time_limit",
        description="Largest time of one answer of the solver; after it, the plan before remains "
        "in use.",
        json_schema_extra={"default": "300s"},
    )

    @model_validator(mode="after")
    def _check_steps(self) -> GreenSlaSearch:
        if self.method == "anneal" or "steps" not in self.model_fields_set:
            return self
        message = f"apply only to the method `anneal`, but the method is `{self.method}`"
        hint = "set `method: anneal`, or remove them"
        raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("steps",), ("method",)))
