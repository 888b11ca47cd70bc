"""Spec keys for the engine of a language model, and for the profile of its iterations."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tailc.forms.step_times import LARGEST_AMOUNT
from tailc.specs.fields import SpecModel, Text, Whole

Amount = Annotated[Whole, Field(ge=1, le=LARGEST_AMOUNT)]
# The engine's arrays have a place for each sequence, and baselines a row.
MAX_SEQUENCES = 4_095


class StepsSpec(SpecModel):
    """A table of measured iterations, by what their batches contained."""

    file: Text = Field(
        examples=["steps.csv"], description="Path of the table, relative to the spec."
    )
    unit: Literal["ns", "us", "ms", "s"] = Field(
        default="ms", description="Unit of the times of iterations."
    )
    prompt: Text = Field(default="prompt", description="Column with the prompt tokens.")
    decoding: Text = Field(default="decoding", description="Column with the decoding sequences.")
    context: Text | None = Field(
        default=None,
        examples=["context"],
        description="Column with the tokens in the cache of all sequences of the batch, before the "
        "iteration. Default: the time does not depend on them.",
    )
    time: Text = Field(default="time", description="Column with the time of the iteration.")


class EngineSpec(SpecModel):
    """The engine: its cache, its largest batch, and the times of its iterations."""

    steps: StepsSpec = Field(
        examples=[{"file": "steps.csv"}], description="Measured times of iterations."
    )
    kv_blocks: Amount = Field(
        examples=[20000], description="Blocks of the key-value cache that sequences share."
    )
    block_tokens: Amount = Field(
        default=16, alias="block", description="Tokens of a block of the key-value cache."
    )
    max_sequences: Annotated[Whole, Field(ge=1, le=MAX_SEQUENCES)] = Field(
        default=256, description="Most sequences in a batch."
    )
    largest_budget: Amount = Field(
        default=16_384,
        alias="max_budget",
        description="Most tokens that the engine accepts in an iteration.",
    )
    budget_step: Amount = Field(
        default=1,
        examples=[64],
        description="Budgets are multiples of this number of tokens, such as the tokens of a tile "
        "of the engine's matrix products.",
    )
