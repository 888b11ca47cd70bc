"""Which columns of a table are times of requests, and what they measure, in a file to copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, cast

from pydantic import Field

from tailc.errors import Code
from tailc.specs.common import WORDS_OF_A_REASON
from tailc.specs.fields import Cell, Complaint, DurationUs, SpecModel, Text
from tailc.specs.load import open_spec

KIND = "column-map"
_ONE = "say one of `column`, `begin` with `end`, and `sum`"


class TimesSpec(SpecModel):
    """The time of each row: in a column, between two, or so much for each that is counted."""

    column: Text | None = Field(default=None, examples=["rt"], description="Column with the time.")
    begin: Text | None = Field(
        default=None, description="Column with when it begins; its time is that until `end`."
    )
    end: Text | None = Field(default=None, description="Column with when it ends.")
    sum: Annotated[dict[Text, DurationUs], Field(min_length=1)] | None = Field(
        default=None,
        examples=[{"prompt_tokens": "100us", "output_tokens": "30ms"}],
        description="Columns that count, and the time that one of each takes; they add up.",
    )
    unit: Literal["ns", "us", "ms", "s"] | None = Field(
        default=None,
        description="Unit of the numbers in `column`, or `begin` and `end`; date-times have none.",
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        return (self._one_way, self._unit)

    def _one_way(self) -> list[Complaint]:
        ways = {"column": self.column, "begin": self.begin or self.end, "sum": self.sum}
        given = [way for way, value in ways.items() if value is not None]
        if not given:
            return [Complaint(Code.MISSING_KEY, "says of no column that it has times", _ONE)]
        if len(given) > 1:
            message = f"and `times.{given[0]}` both say where times are"
            return [Complaint(Code.CONFLICT, message, _ONE, (given[1],), (given[0],))]
        if (self.begin is None) != (self.end is None):
            given_one, other = ("end", "begin") if self.begin is None else ("begin", "end")
            message = f"needs `{other}` too"
            return [Complaint(Code.MISSING_KEY, message, "name both columns", (given_one,))]
        return []

    def _unit(self) -> list[Complaint]:
        if self.column is not None and self.unit is None:
            message = f"needs the unit of `{self.column}`"
            return [Complaint(Code.MISSING_UNIT, message, "write `unit: ms`, or ns, us or s")]
        if self.sum is not None and self.unit is not None:
            message = "has no meaning: what `sum` adds up has units"
            return [Complaint(Code.CONFLICT, message, "remove it", ("unit",), ("sum",))]
        return []


class ColumnMap(SpecModel):
    """What `tailc ingest --columns` takes for the times of requests in a table."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["column-map"] = Field(description="Columns of a table.")
    name: Text = Field(examples=["llm-requests"], description="Name that profiles keep.")
    times: TimesSpec = Field(
        examples=[{"column": "rt", "unit": "ms"}], description="The time of each request."
    )
    measure: Literal["demand-cpu", "demand-busy", "response-open", "response-closed"] = Field(
        examples=["demand-busy"],
        description="CPU time, busy time alone on the machine, or a response time under an open "
        "or closed load.",
    )
    because: Text | None = Field(
        default=None, description="Why times are a demand, in a sentence that profiles keep."
    )
    weight: Text | None = Field(
        default=None, description="Column with the number of requests that a row stands for."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Take the rows whose column equals the value."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        return (self._reason,)

    def _reason(self) -> list[Complaint]:
        if self.because is None:
            return []
        if len(self.because.split()) < WORDS_OF_A_REASON:
            message = f"must be a sentence of at least {WORDS_OF_A_REASON} words"
            hint = "say it for whoever reads the profile"
            return [Complaint(Code.RESPONSE_TIME, message, hint, ("because",))]
        if self.measure.startswith("response-"):
            message = f"explains a demand, but `measure` is `{self.measure}`"
            return [Complaint(Code.CONFLICT, message, "remove it", ("because",), ("measure",))]
        return []


def read_column_map(path: str) -> ColumnMap:
    """The map in the file `path`; TailcError with every finding, each with its place."""
    return cast("ColumnMap", open_spec(path, {KIND: ColumnMap}).model)
