"""Spec keys for demand that consists of compute cycles and memory time."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tailc.specs.common import HeldOutSpec
from tailc.specs.cores_fields import FrequencyKhz
from tailc.specs.fields import Cell, DurationUs, SpecModel, Text


class ClockedDemandSpec(SpecModel):
    """Where compute cycles and memory time of requests were measured, and how to read them."""

    trace: Text = Field(
        examples=["traces/design.parquet"],
        description="Path of the trace, relative to the spec; `-` is standard input.",
    )
    format: Literal["auto", "parquet", "csv", "ndjson"] = Field(
        default="auto", description="Format of the trace; `auto` goes by its name and first bytes."
    )
    cycles: Text = Field(
        examples=["cycles"], description="Column with the compute cycles of each request."
    )
    clock_khz: FrequencyKhz = Field(
        alias="clock",
        examples=["2.4GHz"],
        description="The nominal frequency, at which a request's demand is cycles / clock + "
        "memory.",
    )
    memory: Text = Field(
        examples=["memory_us"],
        description="Column with the time that each request waits for memory, at any frequency.",
    )
    unit: Literal["ns", "us", "ms", "s"] = Field(
        examples=["us"], description="Unit of the memory times."
    )
    measure: Literal["demand-cpu", "demand-busy"] = Field(
        default="demand-cpu",
        description="Whose counters were measured: the request's thread, or a core that only the "
        "request used.",
    )
    reference: Text = Field(
        examples=["a core of a Xeon 8488C"], description="The measured machine."
    )
    weight: Text | None = Field(
        default=None, description="Column with the number of requests that a row represents."
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
