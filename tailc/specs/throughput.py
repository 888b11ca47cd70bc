"""Spec keys for a trace of machines' throughput."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tailc.specs.fields import Cell, OpenPercentPpm, SpecModel, Text


class ThroughputSpec(SpecModel):
    """A trace with a row for each machine and time, and how to read it."""

    trace: Text = Field(
        examples=["traces/design.parquet"],
        description="Path of the trace, relative to the spec; `-` is standard input.",
    )
    format: Literal["auto", "parquet", "csv", "ndjson"] = Field(
        default="auto", description="Format of the trace; `auto` goes by its name and first bytes."
    )
    time: Text = Field(default="time", description="Column with the time since the start.")
    unit: Literal["ns", "us", "ms", "s"] = Field(
        default="s", description="Unit of the times in the trace."
    )
    machine: Text = Field(default="machine", description="Column with the machine's name.")
    column: Text = Field(
        default="throughput",
        description="Column with the throughput, in units of work per second, over a window that "
        "ends at the row's time.",
    )
    share: Text = Field(
        default="share",
        description="Column with the share of the host that the machine had since its last row, 0 "
        "to 1.",
    )
    waiting: Text | None = Field(
        default=None,
        examples=["waiting"],
        description="Column with the number of the machine's requests that wait at the row's time. "
        "Steps without waiting requests are not used for the model of the share; in replays they "
        "offer only the work that was done.",
    )
    reference: Text = Field(
        examples=["2 cores of a Xeon 8488C, caps every 50 ms"],
        description="The measured host, and how shares were enforced.",
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )
    held_out_ppm: OpenPercentPpm | None = Field(
        default=None,
        alias="held_out",
        examples=["30%"],
        description="Part of each machine's rows, the latest, that is held out for `verify`.",
    )
