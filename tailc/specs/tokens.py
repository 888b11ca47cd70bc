"""Spec keys for the trace of requests to a language model."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tailc.specs.fields import Cell, OpenPercentPpm, SpecModel, Text


class TokensSpec(SpecModel):
    """A trace with a row for each request, and how to read it."""

    trace: Text = Field(
        examples=["traces/design.parquet"],
        description="Path of the trace, relative to the spec; `-` is standard input.",
    )
    format: Literal["auto", "parquet", "csv", "ndjson"] = Field(
        default="auto", description="Format of the trace; `auto` goes by its name and first bytes."
    )
    time: Text = Field(default="time", description="Column with the arrival time, as a number.")
    unit: Literal["ns", "us", "ms", "s"] = Field(
        default="s", description="Unit of the arrival times."
    )
    prompt: Text = Field(default="prompt", description="Column with the tokens of the prompt.")
    output: Text = Field(default="output", description="Column with the generated tokens.")
    cached: Text | None = Field(
        default=None,
        examples=["cached"],
        description="Column with the tokens of the prompt that the engine's cache of prefixes has "
        "when the request arrives. Default: none.",
    )
    request_class: Text | None = Field(
        default=None,
        alias="class",
        examples=["class"],
        description="Column with the class of a request, for SLOs of a class. Default: none.",
    )
    priority: Text | None = Field(
        default=None,
        examples=["priority"],
        description="Column with the priority of a request, a whole number: of the requests that "
        "wait, one with the lowest number starts first, and of those the first to arrive. "
        "Default: first come, first served.",
    )
    reference: Text = Field(
        examples=["chat service, one hour"], description="The recorded service."
    )
    where: dict[str, Cell] = Field(
        default_factory=dict, description="Use the rows whose column equals the value."
    )
    held_out_ppm: OpenPercentPpm | None = Field(
        default=None,
        alias="held_out",
        examples=["30%"],
        description="Part of the requests, the latest, that is held out for `verify`.",
    )
