"""Spec keys for the days that a plan is made for: start, length, epochs and energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tailc.errors import Code, Finding, Severity
from tailc.specs.fields import Complaint, RefusalError, SpecModel, Text, Whole
from tailc.specs.jobs import JobsSpec
from tailc.specs.load import LoadedSpec
from tailc.specs.plan_units import Seconds
from tailc.specs.supply import SupplySpec
from tailc.units import format_s

QUARTER_S = 900
TWO_DAYS_S = 48 * 3_600
MOST_EPOCHS = 2**14
MOST_LEARNED = 1_000


class HorizonSpec(SpecModel):
    """Start and length of a plan, and its epochs."""

    start: Text = Field(
        examples=["2012-07-01T00:00-06:00"], description="Start of the plan: ISO 8601."
    )
    zone: Text | None = Field(
        default=None, examples=["America/Denver"], description="Time zone of a start without one."
    )
    epoch_s: Seconds = Field(
        default=QUARTER_S,
        alias="epoch",
        description="Length of an epoch, the time between decisions.",
        json_schema_extra={"default": "15min"},
    )
    length_s: Seconds = Field(
        default=TWO_DAYS_S,
        alias="length",
        description="Length of the plan.",
        json_schema_extra={"default": "48h"},
    )
    known_jobs: Literal["past", "all"] = Field(
        default="past",
        description="The jobs that are placed: `past`, those submitted before the start that "
        "still run; `all`, also those submitted in the horizon, as if they were known "
        "in advance.",
    )
    learn_from: Annotated[Whole, Field(ge=1, le=MOST_LEARNED)] = Field(
        default=3,
        description="Number of spans before the start, each of the horizon's length, whose jobs "
        "determine the prices.",
    )

    @model_validator(mode="after")
    def _check_epochs(self) -> HorizonSpec:
        at = "length" if "length_s" in self.model_fields_set else "epoch"
        if self.length_s % self.epoch_s:
            raise RefusalError(self._broken_epochs())
        if (epochs := self.length_s // self.epoch_s) > MOST_EPOCHS:
            message = f"makes {epochs:,} epochs; the limit is {MOST_EPOCHS:,}"
            hint = "plan a shorter `length`, or longer epochs"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, (at,)))
        return self

    def _broken_epochs(self) -> Complaint:
        """The complaint about a length that is not a whole number of epochs."""
        length, epoch = format_s(self.length_s), format_s(self.epoch_s)
        whole, left = divmod(self.length_s, self.epoch_s)
        near = [format_s(each * self.epoch_s) for each in (whole, whole + 1) if each]
        hint = f"write {' or '.join(f'`length: {each}`' for each in near)}, or change `epoch`"
        division = f"{whole} epochs of {epoch} leave {format_s(left)}"
        if "length_s" in self.model_fields_set:
            message = f"is {length}, which is not a whole number of epochs: {division}"
            also = ("epoch",) if "epoch_s" in self.model_fields_set else None
            return Complaint(Code.CONFLICT, message, hint, ("length",), also)
        message = f"does not divide the default `length` of {length}: {division}"
        return Complaint(Code.CONFLICT, message, hint, ("epoch",))


def odd_deferral(
    deferral_s: int | None, horizon: HorizonSpec, loaded: LoadedSpec
) -> tuple[Finding, ...]:
    """Warn if the deferral is shorter than an epoch or longer than the horizon."""
    if deferral_s is None or horizon.epoch_s <= deferral_s <= horizon.length_s:
        return ()
    if deferral_s < horizon.epoch_s:
        message = "`deferral` is shorter than an epoch, so no job is deferred"
        hint = "set it to at least one epoch, or remove it"
    else:
        message = "`deferral` is longer than the horizon, which limits every deferral"
        hint = "lower it, or raise `horizon.length`"
    place = loaded.place("deferral")
    return (Finding(Code.ODD_DEFERRAL, message, place, hint, Severity.WARNING),)


@dataclass(frozen=True)
class DaysSettings:
    """All settings that define which days of jobs and energy to read."""

    jobs: JobsSpec
    supply: SupplySpec
    horizon: HorizonSpec

    @property
    def trace(self) -> str:
        """Path of the job log that the days are read from."""
        return self.jobs.trace
