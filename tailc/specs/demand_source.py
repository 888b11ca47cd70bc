"""Where a trace has the demand of requests: in a column, as timings, or in a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.specs.fields import Complaint, SpecModel, Text
from tailc.specs.key_groups import GroupedKeys
from tailc.specs.one_of import ExactlyOne, Group, Groups

PROFILE_SUFFIX = ".profile"
PROFILE_PATTERN = r"\.profile$"
_UNIT = "Unit of the times in the trace. **Required**, except for a profile, which has its own."
_WEIGHT = "Column with the number of requests that a row represents."


class TimingsSpec(SpecModel):
    """Columns of a long table: one row per request, degree and repetition."""

    request: Text = Field(examples=["query_id"], description="Column that names the request.")
    degree: Text = Field(examples=["degree"], description="Column with the degree.")
    duration: Text = Field(examples=["time_ms"], description="Column with the measured time.")


class DemandColumnSpec(SpecModel):
    """A table with one time per request."""

    column: Text = Field(description="Column with each request's demand.")
    unit: Literal["ns", "us", "ms", "s"] = Field(examples=["ms"], description=_UNIT)
    weight: Text | None = Field(default=None, description=_WEIGHT)


class DemandTimings(SpecModel):
    """A table with times of each request by degree."""

    timings: TimingsSpec = Field(
        description="Columns of timings by degree, instead of `column` and a speed-up."
    )
    unit: Literal["ns", "us", "ms", "s"] = Field(examples=["ms"], description=_UNIT)
    weight: Text | None = Field(default=None, description=_WEIGHT)


class DemandProfileSpec(SpecModel):
    """A profile, which contains its columns and their unit."""

    column: ClassVar[str] = "demand_ms"
    unit: ClassVar[str] = "ms"
    weight: ClassVar[str] = "weight"


@dataclass(frozen=True)
class _ByTrace:
    """A profile is recognised by the name or format of the trace, a table by its keys."""

    of_table: ExactlyOne

    def choose(self, groups: Groups, keys: GroupedKeys) -> Group:
        if _is_profile(keys.whole):
            return DemandProfileSpec
        return self.of_table.choose([one for one in groups if one is not DemandProfileSpec], keys)

    def stray(self, key: str, group: Group, groups: Groups) -> Complaint:
        if group is DemandProfileSpec:
            return said_by_profile(key)
        return self.of_table.stray(key, group, groups)


def _is_profile(demand: Mapping[str, Any]) -> bool:
    trace, format_of_spec = demand.get("trace"), demand.get("format", "auto")
    named = isinstance(trace, str) and trace.endswith(PROFILE_SUFFIX)
    return format_of_spec == "profile" or (format_of_spec == "auto" and named)


def said_by_profile(key: str) -> Complaint:
    """Make the error about a key of the spec that the profile already states."""
    message = "has no effect: the profile contains it"
    return Complaint(Code.CONFLICT, message, "remove it", (key,))


ONE_DEMAND = _ByTrace(
    ExactlyOne(
        both="and `demand.{}` both define the demand",
        missing=(
            "needs `column` or `timings`",
            "add `column: demand_ms`, or `timings:` with times by degree",
        ),
    )
)
