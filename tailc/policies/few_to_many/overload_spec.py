"""Spec keys for overload: which rules may be used, and at which rates."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.forms.ladder.table import Rule
from tailc.specs.common import repeated_rates
from tailc.specs.fields import Complaint, OpenPercentPpm, RateMrps, RefusalError, SpecModel
from tailc.units import format_mrps

RuleName = Literal["shed", "cut-off", "degrade"]


class DegradeSpec(SpecModel):
    """How a request is degraded under overload: the share of its work that is still done."""

    work_ppm: OpenPercentPpm = Field(
        alias="work", examples=["60%"], description="Part of its work that is still done."
    )


class OverloadSpec(SpecModel):
    """Overload control: a rule by which served requests meet the first SLO under overload."""

    rates_mrps: Annotated[tuple[RateMrps, ...], Field(min_length=1)] = Field(
        alias="rates", examples=[["80/s", "100/s"]], description="Arrival rates of overload."
    )
    allow: Annotated[tuple[RuleName, ...], Field(min_length=1)] = Field(
        default=("shed",),
        examples=[["shed", "cut-off"]],
        description="Rules that the compile may use; it chooses the one with the least loss: "
        "refuse requests, end them with a partial result, or do a part of their work.",
        json_schema_extra={"default": ["shed"]},
    )
    degrade: DegradeSpec | None = Field(
        default=None,
        description="How a request is degraded, if `degrade` is allowed.",
        examples=[{"work": "60%"}],
    )

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The overload rules that the spec allows, in their order, without duplicates."""
        return tuple(dict.fromkeys(Rule(name) for name in self.allow))

    @model_validator(mode="after")
    def _check_degrade(self) -> OverloadSpec:
        allowed = "degrade" in self.allow
        if allowed and self.degrade is None:
            message = "allows `degrade`, but the amount of work is missing"
            complaint = Complaint(
                Code.MISSING_KEY, message, "add `degrade: {work: 60%}`", ("allow",)
            )
            raise RefusalError(complaint)
        if self.degrade is not None and not allowed:
            message = "is given, but `allow` has no `degrade`"
            hint = "remove it, or allow `degrade`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("degrade",), ("allow",)))
        return self

    def complaints(self, normal_mrps: tuple[int, ...]) -> list[Complaint]:
        """Report overload rates that are not above all normal ones, or are given twice."""
        if complaints := repeated_rates(self.rates_mrps):
            return [complaint.below("overload") for complaint in complaints]
        most = max(normal_mrps, default=0)
        return [
            Complaint(
                Code.CONFLICT,
                f"is `{format_mrps(rate)}`, which is not above the highest of `rates`, "
                f"{format_mrps(most)}",
                "give rates of overload above those of `rates`",
                ("overload", "rates", place),
                ("rates",),
            )
            for place, rate in enumerate(self.rates_mrps)
            if rate <= most
        ]
