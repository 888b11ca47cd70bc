"""Spec of a green-sla policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.forms.plan.plan import LARGEST_UDOLLARS, LARGEST_WORTH_UDOLLARS, Terms
from tailc.policies.green_sla.site_spec import DatacentreSpec, GreenSlaSearch, TermsSpec
from tailc.specs.battery import BatterySpec
from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.fields import Complaint, Flag, Name
from tailc.specs.jobs import JobsSpec
from tailc.specs.older_keys import BATTERY, DAYS, rename_key
from tailc.specs.overrides import overridden
from tailc.specs.plan_units import FeeUdollars, Seconds
from tailc.specs.plan_weights import ViolationsPpm, WeightsSpec
from tailc.specs.supply import SupplySpec
from tailc.specs.without_requests import WithoutRequests

NAME = "green-sla"
S_PER_HOUR = 3_600
# Not given in the source; ours is 1e-5 dollars per quarter of an hour.
OPPORTUNITY_UDOLLARS = 40
# Close to the published rate of the baseline without migrations, section A.5.2.
VIOLATIONS_PPM = 50_000


class GreenSlaSpec(WithoutRequests):
    """A green-sla policy: servers of rigid jobs by epoch, and prices for future jobs."""

    older: ClassVar = (*DAYS, *BATTERY, rename_key((), "opportunity", "opportunity_cost"))

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["green-sla"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["campus"], description="Name of the policy.")
    jobs: JobsSpec = Field(examples=[{"trace": "jobs.swf.gz"}], description="The log of jobs.")
    supply: SupplySpec = Field(
        examples=[{"green": [{"trace": "roof.csv", "column": "kw", "unit": "kW"}]}],
        description="Green energy, and the price of brown energy.",
    )
    horizon: HorizonSpec = Field(
        examples=[{"start": "2012-07-01T00:00-06:00"}], description="Start and length of the plan."
    )
    datacentre: DatacentreSpec = Field(
        examples=[{"racks": 42, "servers": 40, "busy": "140W"}], description="The servers."
    )
    terms: TermsSpec = Field(
        examples=[{"green": "29c/h", "brown": "24c/h", "penalty": "50c/h"}],
        description="Payments of customers.",
    )
    violations_ppm: ViolationsPpm = Field(
        default=VIOLATIONS_PPM,
        alias="violations",
        description="SLA: largest share of jobs that miss their share of green energy.",
        json_schema_extra={"default": "5%"},
    )
    enforce_violations: Flag = Field(
        default=True,
        description="Whether the plan itself must keep `violations`; if not, only the penalty "
        "limits them.",
    )
    opportunity_cost: FeeUdollars = Field(
        default=OPPORTUNITY_UDOLLARS,
        description="Additional price of a server in each greener group of racks when places are "
        "compared, so that green servers remain free for other jobs. It is not "
        "billed.",
        json_schema_extra={"default": "0.004c/h"},
    )
    deferral_s: Seconds | None = Field(
        default=None,
        alias="deferral",
        examples=["6h"],
        description="How long the start of a job may be deferred. Default: not at all.",
    )
    battery: BatterySpec | None = Field(
        default=None,
        examples=[{"capacity": "40kWh", "charge": "10kW", "discharge": "10kW"}],
        description="A battery for unused green energy.",
    )
    weights: WeightsSpec = Field(default_factory=WeightsSpec)
    search: GreenSlaSearch = Field(default_factory=GreenSlaSearch)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that amounts per epoch, and their total, are small enough for a plan."""
        return (self._fees, self._worth)

    def _fees(self) -> list[Complaint]:
        return [
            Complaint(
                Code.BAD_VALUE,
                f"is more than ${LARGEST_UDOLLARS / 10**6:,.2f} an epoch",
                "lower it, or choose shorter epochs",
                ("terms", key),
            )
            for key in ("green", "brown", "penalty")
            if self._an_epoch(getattr(self.terms, key)) > LARGEST_UDOLLARS
        ]

    def _worth(self) -> list[Complaint]:
        epochs = self.horizon.length_s // self.horizon.epoch_s
        amounts = (self.terms.green, self.terms.brown, self.terms.penalty)
        most = max(map(self._an_epoch, amounts)) * self.datacentre.all_servers * epochs
        if most <= LARGEST_WORTH_UDOLLARS or self._fees():
            return []
        message = "add up to more than a plan can state in all epochs, 2^53 millionths of a dollar"
        hint = "lower them, or plan a shorter horizon"
        return [Complaint(Code.BAD_VALUE, message, hint, ("terms",))]

    def _an_epoch(self, an_hour: int) -> int:
        """Amount per epoch, rounded to 1e-6 dollars, half to even."""
        return round(Fraction(an_hour * self.horizon.epoch_s, S_PER_HOUR))

    @property
    def epoch_terms(self) -> Terms:
        """Fees and penalty of the SLA, per server and epoch."""
        terms = self.terms
        return Terms(*map(self._an_epoch, (terms.green, terms.brown, terms.penalty)))

    @property
    def epsilon_udollars(self) -> int:
        """Opportunity cost per server and epoch [1e-6 dollars]."""
        return self._an_epoch(self.opportunity_cost)

    @property
    def may_wait(self) -> int:
        """Number of whole epochs by which a start may be delayed."""
        return (self.deferral_s or 0) // self.horizon.epoch_s

    @property
    def demand(self) -> DaysSettings:
        """Days of jobs and energy to plan."""
        return DaysSettings(self.jobs, self.supply, self.horizon)

    def with_search(self, overrides: Mapping[str, object]) -> GreenSlaSpec:
        """Return the spec with fields of its search replaced.

        A solver without a method selects the method `mip`. Raises TailcError (USAGE) for unknown
        fields.
        """
        changes = dict(overrides)
        if "solver" in changes:
            changes.setdefault("method", "mip")
        return self.model_copy(update={"search": overridden(self.search, changes, NAME)})
