"""A file that maps the columns of a table to times of requests and their measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.common import WORDS_OF_A_REASON
from tailc.specs.fields import Cell, Complaint, DurationUs, RefusalError, SpecModel, Text
from tailc.specs.load import open_spec
from tailc.specs.one_of import ExactlyOne, OneOf, Stray

Unit = Literal["ns", "us", "ms", "s"]
_UNIT = "Unit of the numbers in `column`, or `begin` and `end`; date-times have none."


class TimeColumnSpec(SpecModel):
    """A column with the time of each row."""

    column: Text = Field(examples=["rt"], description="Column with the time.")
    unit: Unit = Field(description=_UNIT)

    @model_validator(mode="before")
    @classmethod
    def _check_unit(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        if value.get("unit") is None:
            message = f"needs the unit of `{value['column']}`"
            hint = "write `unit: ms`, or ns, us or s"
            raise RefusalError(Complaint(Code.MISSING_UNIT, message, hint))
        return value


class TimeBetween(SpecModel):
    """Two columns with the start and end of the request of each row."""

    begin: Text = Field(
        examples=["started"],
        description="Column with the start of a request; its time is that until `end`.",
    )
    end: Text = Field(examples=["ended"], description="Column with the end of a request.")
    unit: Unit | None = Field(default=None, description=_UNIT)


class TimeOfCounts(SpecModel):
    """Columns with counts of operations, and the time of one operation of each."""

    sum: Annotated[dict[Text, DurationUs], Field(min_length=1)] = Field(
        examples=[{"prompt_tokens": "100us", "output_tokens": "30ms"}],
        description="Columns with counts, and the time of one of each; the times are added.",
    )


_ONE_WAY = ExactlyOne(
    both="and `times.{}` both define the times",
    missing=(
        "does not name a column with times",
        "add one of `column`, `begin` with `end`, and `sum`",
    ),
    strays={"unit": Stray("has no effect: the times in `{}` have units")},
)


class TimesSpec(SpecModel):
    """The time of each row: in a column, between two columns, or a sum over counts."""

    way: Annotated[TimeColumnSpec | TimeBetween | TimeOfCounts, OneOf(_ONE_WAY)] = Field(
        alias="<way>"
    )


class ColumnMap(SpecModel):
    """The map of columns in the file for `tailc ingest --columns`."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["column-map"] = Field(description="Columns of a table.")
    name: Text = Field(examples=["llm-requests"], description="Name that is written into profiles.")
    times: TimesSpec = Field(
        examples=[{"column": "rt", "unit": "ms"}], description="The time of each request."
    )
    measure: Literal["demand-cpu", "demand-busy", "response-open", "response-closed"] = Field(
        examples=["demand-busy"],
        description="CPU time, busy time alone on the machine, or a response time under an open "
        "or closed load.",
    )
    because: Text | None = Field(
        default=None,
        description="Why the times are demands, in a sentence that is written into profiles.",
    )
    weight: Text | None = Field(
        default=None, description="Column with the number of requests that a row represents."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        return (self._reason,)

    def _reason(self) -> list[Complaint]:
        if self.because is None:
            return []
        if len(self.because.split()) < WORDS_OF_A_REASON:
            message = f"must be a sentence of at least {WORDS_OF_A_REASON} words"
            hint = "explain why these times are demands: the sentence is written into the profile"
            return [Complaint(Code.RESPONSE_TIME, message, hint, ("because",))]
        if self.measure.startswith("response-"):
            message = f"explains a demand, but `measure` is `{self.measure}`"
            return [Complaint(Code.CONFLICT, message, "remove it", ("because",), ("measure",))]
        return []


def read_column_map(path: str) -> ColumnMap:
    """Read the map in the file `path`; raises TailcError with all findings and their places."""
    return cast("ColumnMap", open_spec(path, {"column-map": ColumnMap}).model)
