"""Spec keys for the power of a server of a plan, with and without a job."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tailc.specs.plan_units import PowerMw, SleepMw

BusyMw = Annotated[
    PowerMw,
    Field(alias="busy", examples=["140W"], description="Power of a server with a job."),
]
AsleepMw = Annotated[
    SleepMw,
    Field(
        alias="asleep",
        examples=["7W"],
        description="Power of a server without a job.",
        json_schema_extra={"default": "0W"},
    ),
]
