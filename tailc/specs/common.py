"""Spec keys that several kinds of policy share: demand and speed-ups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from tailc.errors import Code
from tailc.specs.demand_source import (
    ONE_DEMAND,
    PROFILE_PATTERN,
    DemandColumnSpec,
    DemandProfileSpec,
    DemandTimings,
    said_by_profile,
)
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    POSITIVE_SCHEMA,
    Cell,
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    with_short_form,
)
from tailc.specs.one_of import OneOf
from tailc.specs.speedup_source import ONE_SPEEDUP, CurvesByClass, OneCurve, SpeedupColumnsSpec

API_VERSION = "tailc/v1"
MAX_SEED = 2**32 - 1
# A shorter reason ("ok", "it is fine") does not help the reader of an artifact.
WORDS_OF_A_REASON = 4


class HeldOutSpec(SpecModel):
    """Which requests are held out from the compile, for verification."""

    fraction_ppm: OpenPercentPpm = Field(alias="fraction", examples=["20%"])
    by: Literal["time", "hash", "seed"] = Field(
        default="seed",
        description="The latest rows, rows by the hash of a column, or random rows with a seed.",
    )
    column: Text | None = Field(default=None, description="Column with the time, or to hash.")
    seed: Annotated[Whole, Field(ge=0, le=MAX_SEED)] | None = Field(
        default=None, description="Seed of the draw; 0 if absent."
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """Expand `20%` to `{fraction: 20%}`."""
        return value if isinstance(value, dict) else {"fraction": value}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return with_short_form(PERCENT_SCHEMA, handler(core_schema))

    @model_validator(mode="after")
    def _check_column(self) -> HeldOutSpec:
        drawn = self.by == "seed"
        if self.column is None and not drawn:
            message = f"needs `column` for a split by {self.by}"
            hint = "name the column with the " + ("time" if self.by == "time" else "request's id")
            raise RefusalError(Complaint(Code.MISSING_KEY, message, hint))
        if self.column is not None and drawn:
            message = "is not used: the split is random with a seed"
            hint = "add `by: hash` or `by: time`, or remove `column`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("column",), ("by",)))
        if self.seed is not None and not drawn:
            message = f"has no effect: a split by {self.by} is not random"
            raise RefusalError(Complaint(Code.CONFLICT, message, "remove it", ("seed",), ("by",)))
        return self


class DemandSpec(SpecModel):
    """Where the demand of requests was measured, and how to read it."""

    trace: Text = Field(
        examples=["traces/design.parquet"],
        description="Path of the trace, relative to the spec; `-` is standard input.",
    )
    format: Literal["auto", "parquet", "csv", "ndjson", "profile"] = Field(
        default="auto", description="Format of the trace; `auto` goes by its name and first bytes."
    )
    source: Annotated[DemandColumnSpec | DemandTimings | DemandProfileSpec, OneOf(ONE_DEMAND)] = (
        Field(alias="<source>")
    )
    # Stands before `measure`, whose check reads it.
    response_time_because: Text | None = Field(
        default=None, description="Why a response time may be used as demand, in a sentence."
    )
    measure: Literal["demand-cpu", "demand-busy", "response-open", "response-closed"] = Field(
        examples=["demand-busy"],
        description="CPU time, busy time alone on the machine, or a response time under an open "
        "or closed load.",
    )
    reference: Text = Field(
        examples=["1 thread of a Xeon 8488C at 2.4 GHz"],
        description="The machine and setting on which demand was measured; its speed is 1.",
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )
    bin_us: DurationUs | None = Field(
        default=None, alias="bin", description="Merge demands into bins of this width."
    )
    held_out: HeldOutSpec | None = Field(
        default=None,
        description="Requests held out for `verify`: a percentage, or how to choose them.",
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        of_profile = {"properties": {"trace": {"pattern": PROFILE_PATTERN}}}
        of_table = {
            "required": ["unit"],
            "oneOf": [{"required": ["column"]}, {"required": ["timings"]}],
        }
        return {**handler(core_schema), "if": of_profile, "else": of_table}

    @field_validator("response_time_because")
    @classmethod
    def _check_reason(cls, reason: str | None) -> str | None:
        if reason is not None and len(reason.split()) < WORDS_OF_A_REASON:
            message = f"must be a sentence of at least {WORDS_OF_A_REASON} words"
            hint = (
                "state the reason why these response times contain almost no waiting; it is "
                "written into the artifact"
            )
            raise RefusalError(Complaint(Code.RESPONSE_TIME, message, hint))
        return reason

    @field_validator("measure")
    @classmethod
    def _check_measure(cls, measure: str, info: ValidationInfo) -> str:
        unexplained = info.data.get("response_time_because", "refused") is None
        if measure.startswith("response-") and unexplained:
            message = f"`{measure}` is a response time, which contains waiting and is not a demand"
            hint = (
                "measure each request on an idle server, or accept response times with "
                "`response_time_because:` and a sentence that gives the reason"
            )
            raise RefusalError(Complaint(Code.RESPONSE_TIME, message, hint))
        return measure

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        return (self._profile_complaints, self._reason_complaints)

    @property
    def has_timings(self) -> bool:
        """Whether the trace has a time of each request at each degree of parallelism."""
        return isinstance(self.source, DemandTimings)

    def _profile_complaints(self) -> list[Complaint]:
        """Complaints about keys that need single requests, which a histogram does not have."""
        if not isinstance(self.source, DemandProfileSpec):
            return []
        of_rows = ("where", "held_out")
        return [said_by_profile(key) for key in of_rows if key in self.model_fields_set]

    def _reason_complaints(self) -> list[Complaint]:
        if self.response_time_because is None or self.measure.startswith("response-"):
            return []
        message = f"explains a response time, but `measure` is `{self.measure}`"
        at, also = ("response_time_because",), ("measure",)
        return [Complaint(Code.CONFLICT, message, "remove it", at, also)]


class SpeedupSpec(SpecModel):
    """Speed-ups of requests by degree: one curve, one per class, or one per request."""

    source: Annotated[OneCurve | CurvesByClass | SpeedupColumnsSpec, OneOf(ONE_SPEEDUP)] = Field(
        alias="<source>"
    )

    @classmethod
    def of_rungs(cls, name: str, speeds_ppm: tuple[int, ...]) -> SpeedupSpec:
        """Make speed-ups of rungs that are the same for all requests.

        name: of their source.
        """
        return cls.model_construct(source=OneCurve.model_construct(name=name, curve=speeds_ppm))

    def at_degrees(self, positions: Sequence[int]) -> SpeedupSpec:
        """Select the speed-ups at some degrees (numbers of threads)."""
        return self.model_copy(update={"source": self.source.at_degrees(positions)})

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """Expand a list to `{curve: [...]}`."""
        return {"curve": value} if isinstance(value, list) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        curve = {"type": "array", "items": POSITIVE_SCHEMA, "minItems": 1}
        return with_short_form(curve, handler(core_schema))

    @property
    def degrees(self) -> int:
        """The largest number of threads (degree) with a speed-up."""
        return self.source.degrees


def repeated_rates(rates_mrps: tuple[int, ...]) -> list[Complaint]:
    """Report each rate that is a duplicate of an earlier one."""
    first: dict[int, int] = {}
    return [
        Complaint(
            Code.BAD_VALUE, "is a rate that the list already has", "remove one", ("rates", position)
        )
        for position, rate in enumerate(rates_mrps)
        if first.setdefault(rate, position) != position
    ]
