"""Spec keys for a job log: where it is, how it is read, and how it is changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
    or_absent,
    quantity,
    value_text,
)
from tailc.specs.one_of import AtMostOne, ByValue, ExactlyOne, OneOf, Stray
from tailc.specs.plan_units import LeadSeconds
from tailc.units import PERCENT

OTHERS = "others"
MOST_TIMES = 1_000_000
MOST_WIDTH = 2**20


def _times(value: object) -> Fraction:
    times = exact(value)
    if not 0 < times <= MOST_TIMES:
        message = f"must be more than zero and at most {MOST_TIMES:,}, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `8`"))
    return times


def _share(value: object) -> int:
    ppm = quantity(PERCENT, positive=False)(value)
    if ppm > PPM:
        message = f"must be from 0 % to 100 %, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `50%` or `33.3%`"))
    return ppm


Times = Annotated[Fraction, BeforeValidator(_times), WithJsonSchema(POSITIVE_SCHEMA)]
SharePpm = Annotated[int, BeforeValidator(_share), WithJsonSchema(PERCENT_SCHEMA)]
ShareUnit = Literal["%", "1"]
Width = Annotated[Whole, Field(ge=1, le=MOST_WIDTH)]
Seed = Annotated[Whole, Field(ge=0, le=MAX_SEED)]


class JobColumnsSpec(SpecModel):
    """Names of the columns of a list of jobs."""

    submit: Text = Field(examples=["arrival_h"], description="Column with the time of submission.")
    submit_unit: Literal["s", "min", "h", "d", "date"] = Field(
        default="s",
        description="Its unit, counted from the log's start, or `date` for dates with a time.",
    )
    run: Text = Field(examples=["run_h"], description="Column with the run time.")
    run_unit: Literal["s", "min", "h", "d"] = Field(default="s", description="Its unit.")
    width: Text = Field(examples=["nodes"], description="Column with the number of servers.")
    number: Text | None = Field(
        default=None,
        description="Column with the number of the job. Default: the number of its row.",
    )
    green: Text | None = Field(
        default=None,
        examples=["green"],
        description="Column with the green share that the job requests.",
    )
    green_unit: ShareUnit | None = Field(
        default=None,
        description="Its unit: `%` for 0 to 100, `1` for 0 to 1. Default: `%`; needed if no share "
        "is above 1.",
    )
    deadline: Text | None = Field(
        default=None,
        examples=["due"],
        description="Column with the time by which the job must have ended, in `submit_unit`. Its "
        "start may be deferred until then, instead of by `deferral`.",
    )

    @model_validator(mode="after")
    def _check_unit(self) -> JobColumnsSpec:
        if self.green_unit is None or self.green is not None:
            return self
        message, hint = "is the unit of no column", "name the column in `green`, or remove the unit"
        raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("green_unit",)))


class SameShare(SpecModel):
    """The same green share for all jobs."""

    share: SharePpm = Field(description="Green share that all jobs request.")


class DrawnShare(SpecModel):
    """A random green share for each job."""

    seed: Seed = Field(
        examples=[1],
        description="Each job requests 0, 25, 50, 75 or 100 %, at random from this seed and its "
        "number; jobs that run for more than 48 h request 0 %.",
    )


class ColumnShare(SpecModel):
    """A column with the green share of each job."""

    column: Text = Field(
        examples=["green"], description="Column of a list of jobs with the green share."
    )
    unit: ShareUnit | None = Field(
        default=None,
        description="Unit of `column`: `%` for 0 to 100, `1` for 0 to 1. Default: `%`; needed if "
        "no share is above 1.",
    )


# A log of the Standard Workload Format, compressed or not, by its name.
_SWF = re.compile(r"\.swf(\.(gz|zst|bz2|xz))?$", re.IGNORECASE)
_ONE_SHARE = ExactlyOne(
    both="and `jobs.green.{}` both define the green share",
    missing=("needs one of `share`, `seed` and `column`", "for example `{seed: 1}`"),
    strays={"unit": Stray("has no effect: it is the unit of `column`")},
)


class GreenShareSpec(SpecModel):
    """Green energy that jobs request: the same share for all, random ones, or those of a column."""

    asked: Annotated[SameShare | DrawnShare | ColumnShare, OneOf(_ONE_SHARE)] = Field(
        alias="<asked>"
    )


class StandardLog(SpecModel):
    """A log in the Standard Workload Format, whose columns are fixed."""


class JobList(SpecModel):
    """A table of jobs, whose columns the spec must name."""

    columns: JobColumnsSpec = Field(
        description="Columns of a list of jobs; not for the Standard Workload Format."
    )


class ByCalendar(SpecModel):
    """The log states the time at which it began."""


class AfterStart(SpecModel):
    """The log is shifted in time to the days of the plan."""

    at_start_s: LeadSeconds = Field(
        alias="at_start",
        examples=["72h"],
        description="Time from the log's start to the plan's start. Default: from the dates of "
        "both.",
    )


def _log(jobs: Mapping[str, Any]) -> type[StandardLog | JobList]:
    trace, asked = jobs.get("trace"), jobs.get("format", "auto")
    if not isinstance(trace, str):
        raise RefusalError  # the check of `trace` has a better message
    is_named_so = _SWF.search(trace) is not None
    if asked == "swf" or (asked == "auto" and is_named_so):
        return StandardLog
    if jobs.get("columns") is None:
        message = "is a list of jobs, but its columns are not named"
        hint = "add `columns: {submit: ..., run: ..., width: ...}`, or `format: swf`"
        raise RefusalError(Complaint(Code.MISSING_KEY, message, hint, ("trace",)))
    return JobList


_BY_FORMAT = ByValue(
    _log,
    {
        "columns": Stray(
            "are only for a list of jobs",
            "remove `columns`: the columns of the Standard Workload Format are fixed",
        )
    },
    also="format",
)


class JobsSpec(SpecModel):
    """A log of jobs, how to read it, and how it is changed."""

    trace: Text = Field(
        examples=["jobs.swf.gz"],
        description="Path of the log, relative to the spec: Standard Workload Format 2.2, or a "
        "list of jobs in Parquet, CSV or NDJSON.",
    )
    format: Literal["auto", "swf", "parquet", "csv", "ndjson"] = Field(
        default="auto", description="Format of the log; `auto` goes by its name."
    )
    log: Annotated[StandardLog | JobList, OneOf(_BY_FORMAT)] = Field(alias="<log>")
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )
    zone: Text | None = Field(
        default=None,
        examples=["America/Denver"],
        description="Time zone of times without one. Default: the log's own, if it has one.",
    )
    begins: Annotated[ByCalendar | AfterStart, OneOf(AtMostOne())] = Field(alias="<begins>")
    skip_zero_runs: Flag = Field(
        default=False, description="Leave out jobs that ran for less than half a second."
    )
    skip_flurries: Flag = Field(
        default=False,
        description="Leave out jobs of weeks in which one user submits at least 500 jobs, and more "
        "than twice the median of all others together; for the Standard Workload Format.",
    )
    drop_wider: Width | None = Field(default=None, description="Leave out wider jobs.")
    drop_largest: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="Number of the widest jobs to leave out."
    )
    divide_width: Width = Field(default=1, description="Divide widths, rounded up.")
    map_width: Annotated[dict[str, Width], Field(min_length=1), or_absent({})] = Field(
        default_factory=dict,
        examples=[{"256": 4, OTHERS: 32}],
        description=f"Replace widths by a table; those not in it by `{OTHERS}`.",
    )
    multiply_run: Times = Field(default=Fraction(1), description="Multiply run times.")
    green: GreenShareSpec | None = Field(
        default=None, description="Green energy that jobs request. Default: none."
    )
    applications: dict[Text, Annotated[Whole, Field(ge=1)]] = Field(
        default_factory=dict,
        examples=[{"FT": 12, "LU": 6}],
        description="Applications of jobs, in these proportions.",
    )
    application_seed: Seed = Field(
        default=0, examples=[1], description="Seed that assigns applications to jobs."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that widths are changed, and green shares defined, in only one way."""
        return (self._widths, self._keys, self._shares, self._flurries)

    def _flurries(self) -> list[Complaint]:
        if not self.skip_flurries or isinstance(self.log, StandardLog):
            return []
        message = "needs the users of jobs, which a list of jobs does not have"
        return [
            _conflict(message, "remove it, and leave the jobs out of the list", "skip_flurries")
        ]

    def _shares(self) -> list[Complaint]:
        if self.green is None:
            return []
        if isinstance(self.log, StandardLog):
            if not isinstance(self.green.asked, ColumnShare):
                return []
            message = "is a column, but the columns of the Standard Workload Format are fixed"
            return [_conflict(message, "give a `share` or a `seed`", "green", "column")]
        if self.log.columns.green is None:
            return []
        message = "and `columns.green` both define the green share"
        return [_conflict(message, "remove one of the two", "green")]

    def _widths(self) -> list[Complaint]:
        if self.map_width and self.divide_width != 1:
            hint = "remove one of the two"
            return [_conflict("cannot be combined with `map_width`", hint, "divide_width")]
        return []

    def _keys(self) -> list[Complaint]:
        odd = [key for key in self.map_width if key != OTHERS and not _is_width(key)]
        message, hint = "is not a width", f"write a whole number, or `{OTHERS}`"
        return [Complaint(Code.BAD_VALUE, message, hint, ("map_width", key)) for key in odd]


def _is_width(key: str) -> bool:
    return key.isascii() and key.isdigit() and 1 <= int(key) <= MOST_WIDTH


def _conflict(message: str, hint: str, *at: Any) -> Complaint:
    return Complaint(Code.CONFLICT, message, hint, at)
