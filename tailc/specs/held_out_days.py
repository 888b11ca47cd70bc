"""What a user writes of days to judge a plan on: `kind: days`, which is no kind of policy."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tailc.specs.fields import SpecModel, Text
from tailc.specs.jobs import JobsSpec
from tailc.specs.supply import SupplySpec

KIND = "days"


class StartSpec(SpecModel):
    """When the days begin; how long they are cut is the plan's."""

    start: Text = Field(
        examples=["2012-08-01T00:00-06:00"], description="When they begin: ISO 8601."
    )
    zone: Text | None = Field(
        default=None, examples=["America/Denver"], description="Zone of a start that states none."
    )


class DaysSpec(SpecModel):
    """Days of jobs and energy, of which no policy is made."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["days"] = Field(description="Days to judge on.")
    jobs: JobsSpec = Field(
        description="The log of jobs.", examples=[{"trace": "jobs.swf.gz", "at_start": "72h"}]
    )
    supply: SupplySpec = Field(description="Energy of the same days.")
    horizon: StartSpec = Field(description="When the days begin.")
