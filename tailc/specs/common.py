"""The parts of a spec that policy kinds share: demand, speed-ups."""

from __future__ import annotations

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
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    POSITIVE_SCHEMA,
    Cell,
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    SpeedupPpm,
    Text,
    Whole,
    with_short_form,
)
from tailc.units import shorten

API_VERSION = "tailc/v1"
PROFILE_SUFFIX = ".profile"
PROFILE_PATTERN = r"\.profile$"
# A histogram has no columns, no single requests to keep or to hold out, and a unit of its own.
_SAID_BY_PROFILES = ("column", "unit", "weight", "timings", "where", "held_out")
MAX_SEED = 2**32 - 1
# A reason in fewer words ("ok", "it is fine") tells the reader of an artifact nothing.
WORDS_OF_A_REASON = 4


class TimingsSpec(SpecModel):
    """Columns of a long table: one row per request, degree and repetition."""

    request: Text = Field(examples=["query_id"], description="Column that names the request.")
    degree: Text = Field(examples=["degree"], description="Column with the degree.")
    duration: Text = Field(examples=["time_ms"], description="Column with the measured time.")


class HeldOutSpec(SpecModel):
    """Which requests are kept out of the compile, to verify on."""

    fraction_ppm: OpenPercentPpm = Field(alias="fraction", examples=["20%"])
    by: Literal["time", "hash", "seed"] = Field(
        default="seed",
        description="The latest, by hash of a column, or drawn at random with a seed.",
    )
    column: Text | None = Field(default=None, description="Column with the time, or to hash.")
    seed: Annotated[Whole, Field(ge=0, le=MAX_SEED)] | None = Field(
        default=None, description="Seed of the draw; 0 if absent."
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """`20%` is short for `{fraction: 20%}`."""
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
            message = "is not read: the split is drawn with a seed"
            hint = "add `by: hash` or `by: time`, or remove `column`"
            raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("column",), ("by",)))
        if self.seed is not None and not drawn:
            message = f"has no meaning: a split by {self.by} draws nothing"
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
    column: Text | None = Field(default=None, description="Column with each request's demand.")
    unit: Literal["ns", "us", "ms", "s"] = Field(
        examples=["ms"],
        description="Unit of the times in the trace. **Required**, but a profile says its own.",
    )
    # Stands before `measure`, whose check reads it.
    response_time_because: Text | None = Field(
        default=None, description="Why a response time may stand for demand, in a sentence."
    )
    measure: Literal["demand-cpu", "demand-busy", "response-open", "response-closed"] = Field(
        examples=["demand-busy"],
        description="CPU time, busy time alone on the machine, or a response time under an open "
        "or closed load.",
    )
    reference: Text = Field(
        examples=["1 thread of a Xeon 8488C at 2.4 GHz"],
        description="What speed 1 means: the machine and setting that demand was measured on.",
    )
    weight: Text | None = Field(
        default=None, description="Column with the number of requests that a row stands for."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Keep the rows whose column equals the value."
    )
    bin_us: DurationUs | None = Field(
        default=None, alias="bin", description="Merge demands into bins of this width."
    )
    timings: TimingsSpec | None = Field(
        default=None,
        description="Columns of timings by degree, instead of `column` and a speed-up.",
    )
    held_out: HeldOutSpec | None = Field(
        default=None,
        description="Requests kept out to verify on: a percentage, or how to choose them.",
    )

    @model_validator(mode="before")
    @classmethod
    def _complete_profile(cls, value: Any) -> Any:
        """What a profile says itself need not be written, and nothing else may be."""
        if not isinstance(value, dict) or not _is_profile(value):
            return value
        said = [
            Complaint(Code.CONFLICT, "is not read: a profile says it itself", "remove it", (key,))
            for key in _SAID_BY_PROFILES
            if key in value
        ]
        if said:
            raise RefusalError(*said)
        return {**value, "column": "demand_ms", "weight": "weight", "unit": "ms"}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler(core_schema)
        needed = [key for key in schema["required"] if key != "unit"]
        of_profile = {"properties": {"trace": {"pattern": PROFILE_PATTERN}}}
        return {**schema, "required": needed, "if": of_profile, "else": {"required": ["unit"]}}

    @field_validator("response_time_because")
    @classmethod
    def _check_reason(cls, reason: str | None) -> str | None:
        if reason is not None and len(reason.split()) < WORDS_OF_A_REASON:
            message = f"must be a sentence of at least {WORDS_OF_A_REASON} words"
            hint = "say why waiting does not count here, for whoever reads the artifact"
            raise RefusalError(Complaint(Code.RESPONSE_TIME, message, hint))
        return reason

    @field_validator("measure")
    @classmethod
    def _check_measure(cls, measure: str, info: ValidationInfo) -> str:
        unexplained = info.data.get("response_time_because", "refused") is None
        if measure.startswith("response-") and unexplained:
            message = f"`{measure}` is a response time: it contains waiting and is no demand"
            hint = (
                "measure requests alone, or accept it by "
                "`response_time_because:` and a sentence that says why"
            )
            raise RefusalError(Complaint(Code.RESPONSE_TIME, message, hint))
        return measure

    @model_validator(mode="after")
    def _check_parts(self) -> DemandSpec:
        complaints = [*self._source_complaints(), *self._reason_complaints()]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def _source_complaints(self) -> list[Complaint]:
        if self.column is None and self.timings is None:
            message = "needs `column` or `timings`"
            hint = "add `column: demand_ms`, or `timings:` for times by degree"
            return [Complaint(Code.MISSING_KEY, message, hint)]
        if self.column is not None and self.timings is not None:
            message = "and `demand.column` both say where demand is"
            return [Complaint(Code.CONFLICT, message, "remove one", ("timings",), ("column",))]
        return []

    def _reason_complaints(self) -> list[Complaint]:
        if self.response_time_because is None or self.measure.startswith("response-"):
            return []
        message = f"explains a response time, but `measure` is `{self.measure}`"
        at, also = ("response_time_because",), ("measure",)
        return [Complaint(Code.CONFLICT, message, "remove it", at, also)]


def _is_profile(demand: dict[str, Any]) -> bool:
    named = isinstance(demand.get("trace"), str) and demand["trace"].endswith(PROFILE_SUFFIX)
    asked = demand.get("format", "auto")
    return asked == "profile" or (asked == "auto" and named)


class ClassCurvesSpec(SpecModel):
    """Speed-up curves by class of requests."""

    column: Text = Field(examples=["query_type"], description="Column with the class.")
    curves: dict[str, Annotated[tuple[SpeedupPpm, ...], Field(min_length=1)]] = Field(
        description="Class to curve; two or more, equally long."
    )

    @model_validator(mode="after")
    def _check_lengths(self) -> ClassCurvesSpec:
        if len(self.curves) < 2:
            message = "needs two or more classes"
            hint = "one curve for all requests is written `speedup: [1, 1.9, 2.7]`"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("curves",)))
        first, *others = self.curves
        wanted = len(self.curves[first])
        complaints = [
            Complaint(
                Code.CONFLICT,
                f"has {len(self.curves[name])} degrees, but `{shorten(first)}` has {wanted}",
                "give every class the same degrees",
                ("curves", name),
                ("curves", first),
            )
            for name in others
            if len(self.curves[name]) != wanted
        ]
        if complaints:
            raise RefusalError(*complaints)
        return self


class SpeedupSpec(SpecModel):
    """How requests speed up with the degree: one curve, one a class, or each its own columns."""

    name: Text | None = Field(default=None, description="Where the curve is from.")
    curve: Annotated[tuple[SpeedupPpm, ...], Field(min_length=1)] | None = Field(
        default=None, description="Speed-up at degree 1, 2, ..."
    )
    classes: ClassCurvesSpec | None = Field(default=None, description="A curve for each class.")
    columns: Annotated[tuple[Text, ...], Field(min_length=1)] | None = Field(
        default=None, description="Columns with each request's own speed-up at degree 1, 2, ..."
    )

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: Any) -> Any:
        """A bare list is short for `{curve: [...]}`."""
        return {"curve": value} if isinstance(value, list) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        curve = {"type": "array", "items": POSITIVE_SCHEMA, "minItems": 1}
        return with_short_form(curve, handler(core_schema))

    @model_validator(mode="after")
    def _check_one(self) -> SpeedupSpec:
        given = [key for key in ("curve", "classes", "columns") if getattr(self, key) is not None]
        if not given:
            hint = "write `[1, 1.9, 2.7]`, or one of `curve`, `classes`, `columns`"
            raise RefusalError(Complaint(Code.MISSING_KEY, "has no speed-ups", hint))
        if len(given) > 1:
            message = f"and `speedup.{given[0]}` both give speed-ups"
            raise RefusalError(
                Complaint(Code.CONFLICT, message, "remove one", (given[1],), (given[0],))
            )
        if self.name is not None and self.curve is None:
            message = f"names a curve, but speed-ups come from `{given[0]}`"
            raise RefusalError(
                Complaint(Code.CONFLICT, message, "remove it", ("name",), (given[0],))
            )
        return self

    @property
    def degrees(self) -> int:
        """The largest degree with a speed-up."""
        if self.curve is not None:
            return len(self.curve)
        if self.classes is not None:
            return len(next(iter(self.classes.curves.values())))
        return len(self.columns or ())


def repeated_rates(rates_mrps: tuple[int, ...]) -> list[Complaint]:
    """A complaint about every entry of `rates` that stands before it too."""
    first: dict[int, int] = {}
    return [
        Complaint(Code.BAD_VALUE, "is a rate stated before", "remove one", ("rates", position))
        for position, rate in enumerate(rates_mrps)
        if first.setdefault(rate, position) != position
    ]
