"""What a user writes of a log of jobs: where it is, how to read it, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tailc.errors import Code
from tailc.specs.common import MAX_SEED
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    POSITIVE_SCHEMA,
    PPM,
    Cell,
    Complaint,
    Flag,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    exact,
    quantity,
    written,
)
from tailc.specs.plan_units import LeadSeconds
from tailc.units import PERCENT

OTHERS = "others"
MOST_TIMES = 1_000_000
MOST_WIDTH = 2**20


def _times(value: object) -> Fraction:
    times = exact(value)
    if not 0 < times <= MOST_TIMES:
        message = f"must be more than zero and at most {MOST_TIMES:,}, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `8`"))
    return times


def _share(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm > PPM or ppm % (PPM // 100):
        message = f"must be whole per cent from 0 % to 100 %, not {written(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `50%`"))
    return ppm // (PPM // 100)


Times = Annotated[Fraction, BeforeValidator(_times), WithJsonSchema(POSITIVE_SCHEMA)]
SharePercent = Annotated[int, BeforeValidator(_share), WithJsonSchema(PERCENT_SCHEMA)]
Width = Annotated[Whole, Field(ge=1, le=MOST_WIDTH)]
Seed = Annotated[Whole, Field(ge=0, le=MAX_SEED)]


class JobColumnsSpec(SpecModel):
    """Which column of a list of jobs is what."""

    submit: Text = Field(examples=["arrival_h"], description="Column with the time of submission.")
    submit_unit: Literal["s", "min", "h", "d", "date"] = Field(
        default="s",
        description="Its unit, counted from the log's start, or `date` for dates with a time.",
    )
    run: Text = Field(examples=["run_h"], description="Column with the run time.")
    run_unit: Literal["s", "min", "h", "d"] = Field(default="s", description="Its unit.")
    width: Text = Field(examples=["nodes"], description="Column with the number of servers.")
    number: Text | None = Field(
        default=None, description="Column with the job's own number; else that of its row."
    )


class GreenShareSpec(SpecModel):
    """How much green energy jobs ask for: the same for all, or drawn by a seed."""

    share: SharePercent | None = Field(default=None, description="Of all jobs.")
    seed: Seed | None = Field(
        default=None,
        examples=[1],
        description="Each job's is 0, 25, 50, 75 or 100 %, drawn by this seed and its number; 0 "
        "for those that run for more than 48 h.",
    )

    @model_validator(mode="after")
    def _check_one(self) -> GreenShareSpec:
        if (self.share is None) == (self.seed is None):
            message = "needs either `share` or `seed`"
            raise RefusalError(Complaint(Code.CONFLICT, message, "for example `{seed: 1}`"))
        return self


class JobsSpec(SpecModel):
    """A log of jobs, how to read it, and what is made of it."""

    trace: Text = Field(
        examples=["jobs.swf.gz"],
        description="Path of the log, relative to the spec: Standard Workload Format 2.2, or a "
        "list of jobs in Parquet, CSV or NDJSON.",
    )
    format: Literal["auto", "swf", "parquet", "csv", "ndjson"] = Field(
        default="auto", description="Format of the log; `auto` goes by its name."
    )
    columns: JobColumnsSpec | None = Field(
        default=None, description="Columns of a list of jobs; not for the Standard Workload Format."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Keep the rows whose column equals the value."
    )
    zone: Text | None = Field(
        default=None,
        examples=["America/Denver"],
        description="Zone of times that state none; the log's own, if it says one.",
    )
    at_start_s: LeadSeconds | None = Field(
        default=None,
        alias="at_start",
        examples=["72h"],
        description="How long after the log's start the plan begins; by its calendar, if absent.",
    )
    skips_zero_runs: Flag = Field(
        default=False, description="Leave out jobs that ran for less than half a second."
    )
    drop_wider: Width | None = Field(default=None, description="Leave out wider jobs.")
    drop_largest: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="Leave out so many of the widest jobs."
    )
    divide_width: Width = Field(default=1, description="Divide widths, rounded up.")
    map_width: dict[str, Width] | None = Field(
        default=None,
        examples=[{"256": 4, OTHERS: 32}],
        description=f"Replace widths by a table, those not in it by `{OTHERS}`.",
    )
    multiply_run: Times = Field(default=Fraction(1), description="Multiply run times.")
    green: GreenShareSpec | None = Field(
        default=None, description="Green energy that jobs ask for; none, if absent."
    )
    applications: dict[Text, Annotated[Whole, Field(ge=1)]] = Field(
        default_factory=dict,
        examples=[{"FT": 12, "LU": 6}],
        description="Which applications jobs are, in these proportions.",
    )
    application_seed: Seed = Field(default=0, examples=[1], description="Which job is which.")

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Columns against the format, and one way only to change widths."""
        return (self._columns, self._widths, self._keys)

    @property
    def is_swf(self) -> bool:
        """Whether the log is in the Standard Workload Format."""
        name = self.trace.lower().removesuffix(".gz")
        return self.format == "swf" or (self.format == "auto" and name.endswith(".swf"))

    def _columns(self) -> list[Complaint]:
        if self.is_swf and self.columns is not None:
            hint = "leave `columns` out: the Standard Workload Format has its own"
            return [Complaint(Code.CONFLICT, "are of a list of jobs", hint, ("columns",))]
        if not self.is_swf and self.columns is None:
            message = "is a list of jobs, and its columns are not named"
            hint = "add `columns: {submit: ..., run: ..., width: ...}`, or `format: swf`"
            return [Complaint(Code.MISSING_KEY, message, hint, ("trace",))]
        return []

    def _widths(self) -> list[Complaint]:
        if self.map_width is not None and self.divide_width != 1:
            hint = "keep one of the two"
            return [_conflict("divides widths that `map_width` replaces", hint, "divide_width")]
        return []

    def _keys(self) -> list[Complaint]:
        odd = [key for key in self.map_width or {} if key != OTHERS and not _is_width(key)]
        message, hint = "is no width", f"write a whole number, or `{OTHERS}`"
        return [Complaint(Code.BAD_VALUE, message, hint, ("map_width", key)) for key in odd]


def _is_width(key: str) -> bool:
    return key.isascii() and key.isdigit() and 1 <= int(key) <= MOST_WIDTH


def _conflict(message: str, hint: str, *at: Any) -> Complaint:
    return Complaint(Code.CONFLICT, message, hint, at)
