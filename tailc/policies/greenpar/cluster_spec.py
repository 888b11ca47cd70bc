"""Spec keys for a cluster, for the cost of run time, and for the search for a plan."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.policies.greenpar.choices import Method
from tailc.specs.fields import (
    PPM,
    Complaint,
    RefusalError,
    SpecModel,
    Whole,
    exact,
    value_text,
)
from tailc.specs.job_curves import COUNTS, MOST_VMS, Counts, MostVms, Servers
from tailc.specs.plan_units import EnergyMj, FeeUdollars, PowerMw, Seconds
from tailc.specs.server_power import AsleepMw, BusyMw
from tailc.specs.supply import PartPpm

PPT = 1_000
MOST_NODES = 10_000_000
# Haque, Rutgers 2016, section B.4: rent of a machine over the cost of its energy.
BETA = 8
REFERENCE_MW = 300_000
MOST_BETA = 1_000_000
MOST_SLOWDOWN = 1_000
# Solvers that return dual values of linear programs.
PRICING = ("highs", "gurobi")


def _slowdown_ppm(value: object) -> int:
    ppt = exact(value) * PPT
    if not PPT <= ppt <= MOST_SLOWDOWN * PPT or ppt.denominator != 1:
        message = f"must be at least 1, with at most three decimals, not {value_text(value)}"
        hint = "for example `1.1`: a job may take a tenth longer"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return int(ppt) * (PPM // PPT)


def _beta(value: object) -> Fraction:
    beta = exact(value)
    if not 0 <= beta <= MOST_BETA:
        message = f"must be from 0 to {MOST_BETA:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `8`"))
    return beta


SlowdownPpm = Annotated[
    int,
    BeforeValidator(_slowdown_ppm),
    WithJsonSchema({"type": "number", "minimum": 1, "maximum": MOST_SLOWDOWN}),
]
Beta = Annotated[Fraction, BeforeValidator(_beta), WithJsonSchema({"type": "number", "minimum": 0})]


class ClusterSpec(SpecModel):
    """The cluster: identical servers on one power bus."""

    servers: Servers = Field(examples=[50], description="Number of servers.")
    busy_mw: BusyMw
    asleep_mw: AsleepMw = 0
    change_mj: EnergyMj = Field(
        default=0,
        alias="change",
        examples=["600J"],
        description="Energy to give a running job one server more or less.",
        json_schema_extra={"default": "0J"},
    )
    counts: Counts = Field(
        default=COUNTS,
        description="Numbers of servers on which a job may run, in addition to the number that it "
        "requests; or `any`.",
    )
    max_vms: MostVms = Field(
        default=MOST_VMS, description="Largest number of virtual machines on a server."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that sleep power is below busy power, and that counts fit on the cluster."""
        return (self._powers, self._wide_counts)

    def _powers(self) -> list[Complaint]:
        if self.asleep_mw <= self.busy_mw:
            return []
        message = "is more than the power of a busy server"
        return [
            Complaint(Code.CONFLICT, message, "lower it to `busy` or less", ("asleep",), ("busy",))
        ]

    def _wide_counts(self) -> list[Complaint]:
        if self.counts == "any" or "counts" not in self.model_fields_set:
            return []
        return [
            Complaint(
                Code.CONFLICT,
                f"is more than the {self.servers} servers of the cluster",
                "remove this count, or raise `servers`",
                ("counts", index),
                ("servers",),
            )
            for index, count in enumerate(self.counts)
            if isinstance(count, int) and count > self.servers
        ]


class RunTimeSpec(SpecModel):
    """Cost of an hour of mean run time, relative to that of brown energy."""

    beta: Beta = Field(
        default=Fraction(BETA),
        description="Cost of an hour, in multiples of the cost of the brown energy of `reference` "
        "in an hour.",
        json_schema_extra={"default": BETA},
    )
    reference_mw: PowerMw = Field(
        default=REFERENCE_MW,
        alias="reference",
        description="Power of a rented machine.",
        json_schema_extra={"default": "300W"},
    )
    cost_udollars: FeeUdollars | None = Field(
        default=None,
        alias="cost",
        examples=["29c/h"],
        description="Cost of an hour, instead of both.",
    )

    @model_validator(mode="after")
    def _check_one(self) -> RunTimeSpec:
        stated_keys = [key for key in ("beta", "reference_mw") if key in self.model_fields_set]
        if self.cost_udollars is not None and stated_keys:
            key = stated_keys[0].removesuffix("_mw")
            message = "cannot be combined with `cost`"
            raise RefusalError(Complaint(Code.CONFLICT, message, "remove it", (key,), ("cost",)))
        return self


class GreenParSearch(SpecModel):
    """The search for a plan: its method, solver and limits."""

    method: Method = Field(
        default="auto",
        description="How known jobs are planned, and later jobs are decided. `columns`: schedules "
        "priced by linear programs, with a proved bound; later jobs by prices. `mip`: one "
        "mixed-integer program, which suits some ten jobs; later jobs by prices. `aggressive`, "
        "`constant`, `nebulous`, `reactive`: known jobs as with `columns`, later jobs by this "
        "rule. `auto`: the best of these rules and of prices on earlier days.",
    )
    solver: Literal["highs", "scip", "cp-sat", "gurobi"] = Field(
        default="highs",
        description="The general solver; for methods other than `mip`, `highs` or `gurobi`.",
    )
    gap_ppm: PartPpm = Field(
        default=5_000,
        alias="gap",
        description="Relative gap to the lower bound at which the search of `columns` stops.",
        json_schema_extra={"default": "0.5%"},
    )
    nodes: Annotated[Whole, Field(ge=0, le=MOST_NODES)] | None = Field(
        default=None,
        description="Largest number of nodes of the search tree. Default for "
        "columns: some hundreds.",
    )
    time_limit_s: Seconds = Field(
        default=300,
        alias="time_limit",
        description="Largest time of one answer of the solver; after it, the plan before remains "
        "in use.",
        json_schema_extra={"default": "300s"},
    )

    @model_validator(mode="after")
    def _check_solver(self) -> GreenParSearch:
        if self.method != "mip" and self.solver not in PRICING:
            message = (
                f"is `{self.solver}`, which gives no shadow prices, but the method "
                f"`{self.method}` needs them"
            )
            hint = "use `highs`, or `method: mip`"
            complaint = Complaint(Code.CONFLICT, message, hint, ("solver",), ("method",))
            raise RefusalError(complaint)
        return self
