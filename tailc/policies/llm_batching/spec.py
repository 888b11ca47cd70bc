"""Spec of llm-batching: token budgets of a language model's server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from tailc.errors import Code
from tailc.forms.step_times import LARGEST_AMOUNT
from tailc.policies.llm_batching.choices import Method, Objective
from tailc.policies.llm_batching.engine_spec import EngineSpec
from tailc.specs.common import repeated_rates
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    Name,
    OpenPercentPpm,
    RateMrps,
    SpecModel,
    Text,
)
from tailc.specs.overrides import overridden
from tailc.specs.slo import EndToEnd, Metric, Slo
from tailc.specs.slo_spec import AllowMisses
from tailc.specs.tokens import TokensSpec
from tailc.traces.step_rows import StepRows

_TOO_FEW_TOKENS = "is less than the sequences in a batch, which all need a token of an iteration"


class TokenSloSpec(SpecModel):
    """An SLO: limit of a percentile of a metric of tokens."""

    metric: Literal["ttft", "itl", "tpot"] = Field(
        examples=["ttft"],
        description="`ttft`: time from arrival to the first token. `itl`: each time between two "
        "tokens of a request. `tpot`: mean time between the tokens of a request.",
    )
    percentile_ppm: OpenPercentPpm = Field(alias="percentile", examples=["99%"])
    latency_us: DurationUs = Field(alias="latency", examples=["500ms"])
    request_class: Text | None = Field(
        default=None,
        alias="class",
        examples=["chat"],
        description="Class of requests, from the column `tokens.class`. Default: all requests.",
    )

    @property
    def slo(self) -> Slo:
        """Convert the SLO of the spec to the form that artifacts have."""
        metric, request_class = Metric(self.metric), self.request_class
        return Slo(self.percentile_ppm, self.latency_us, request_class=request_class, metric=metric)


class TokenSearch(SpecModel):
    """The search for a table of token budgets: its method, objective and effort."""

    method: Method = Field(
        default="auto",
        description="`auto`: the best of static budgets and of tables that are tuned on replays of "
        "the trace, as judged on requests that the search does not see. `one-step`: the "
        "largest budget whose iteration meets the limit of gaps between tokens.",
    )
    objective: Objective = Field(
        default="tail",
        description="Method `auto`: the least tail of the first SLO within the others, the most "
        "requests that meet all SLOs, or the highest rate at which all SLOs are met.",
    )
    monotone: bool = Field(
        default=False,
        description="Whether no budget rises with the number of decoding sequences, or falls with "
        "the number of waiting prompt tokens.",
    )
    effort: Literal["quick", "normal", "thorough"] = Field(
        default="normal", description="Method `auto`: amount of simulation."
    )


class LlmBatchingSpec(SpecModel):
    """An llm-batching policy: tokens of an iteration by decoding sequences and waiting prompts."""

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["llm-batching"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["chat"], description="Name of the policy.")
    slo: Annotated[tuple[TokenSloSpec, ...], Field(min_length=1)] = Field(
        examples=[
            [
                {"metric": "ttft", "percentile": "99%", "latency": "2s"},
                {"metric": "itl", "percentile": "99%", "latency": "100ms"},
            ]
        ],
        description="Limits of percentiles; the search minimises the first within the others.",
    )
    allow_misses: AllowMisses
    demand: TokensSpec = Field(
        alias="tokens",
        examples=[{"trace": "traces/design.parquet", "reference": "chat service"}],
        description="Where requests were recorded, and how to read them.",
    )
    engine: EngineSpec = Field(examples=[{"steps": {"file": "steps.csv"}, "kv_blocks": 20000}])
    rates_mrps: tuple[RateMrps, ...] = Field(
        default=(),
        alias="rates",
        description="Mean arrival rates, to which the recorded arrivals are stretched. Default: "
        "the recorded rate.",
    )
    search: TokenSearch = Field(default_factory=TokenSearch)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: rates, the method with the SLOs, and the engine."""
        return (
            self._repeated_rates,
            self._method_complaints,
            self._budget_complaints,
            self._cache_complaints,
            self._class_complaints,
        )

    def _repeated_rates(self) -> list[Complaint]:
        return repeated_rates(self.rates_mrps)

    def _method_complaints(self) -> list[Complaint]:
        if self.search.method != "one-step":
            return []
        wrong = []
        if all(slo.metric == "ttft" for slo in self.slo):
            message = "needs a limit of the time between tokens, but `slo` has none"
            hint = "add an SLO of the metric `itl`, or set `method: auto`"
            wrong.append(Complaint(Code.CONFLICT, message, hint, ("search", "method"), ("slo",)))
        for key in sorted({"objective", "effort"} & self.search.model_fields_set):
            message, hint = "applies only to the method `auto`", "remove it, or set `method: auto`"
            at, also = ("search", key), ("search", "method")
            wrong.append(Complaint(Code.CONFLICT, message, hint, at, also))
        return wrong

    def _budget_complaints(self) -> list[Complaint]:
        engine, at = self.engine, ("engine", "max_budget")
        if engine.largest_budget < engine.max_sequences:
            message, also = _TOO_FEW_TOKENS, ("engine", "max_sequences")
            hint = "raise it, or lower `max_sequences`"
            return [Complaint(Code.CONFLICT, message, hint, at, also)]
        if engine.largest_budget % engine.budget_step:
            message, also = "is not a multiple of `budget_step`", ("engine", "budget_step")
            lower = engine.largest_budget // engine.budget_step * engine.budget_step
            hint = f"set it to {lower or engine.budget_step:,}, or change `budget_step`"
            return [Complaint(Code.CONFLICT, message, hint, at, also)]
        return []

    def _class_complaints(self) -> list[Complaint]:
        if self.demand.request_class is not None:
            return []
        message = "needs the class of each request, but `tokens` names no column"
        hint = "add `class: COLUMN` to `tokens`, or remove the class"
        return [
            Complaint(Code.CONFLICT, message, hint, ("slo", number, "class"), ("tokens",))
            for number, slo in enumerate(self.slo)
            if slo.request_class is not None
        ]

    def _cache_complaints(self) -> list[Complaint]:
        engine = self.engine
        tokens = engine.kv_blocks * engine.block_tokens
        if tokens <= LARGEST_AMOUNT:
            return []
        message = (
            f"gives a cache of {tokens:,} tokens with blocks of {engine.block_tokens:,}, but at "
            f"most {LARGEST_AMOUNT:,} are possible"
        )
        hint = "write the number of blocks, and not of tokens or bytes"
        return [Complaint(Code.OUT_OF_RANGE, message, hint, ("engine", "kv_blocks"))]

    @property
    def slos(self) -> tuple[Slo, ...]:
        """The SLOs of the spec as in artifacts; the search minimises the first percentile."""
        return tuple(spec.slo for spec in self.slo)

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """End-to-end SLO for each SLO: None, because each SLO is that of one server."""
        return tuple(None for _ in self.slo)

    @property
    def speedup(self) -> None:
        """Speed-ups of requests: None, because a language model's server has none."""
        return

    @property
    def max_degree(self) -> None:
        """Largest number of threads: None, because requests have no degree of parallelism."""
        return

    @property
    def serial(self) -> None:
        """Serial parts of requests: None, because requests have no threads."""
        return

    def with_search(self, overrides: Mapping[str, object]) -> LlmBatchingSpec:
        """Return the spec with some fields of `search` replaced."""
        search = overridden(self.search, overrides, "llm-batching")
        return self.model_copy(update={"search": search})


class ProfiledSpec(LlmBatchingSpec):
    """A spec of token budgets together with the measured iterations of the file that it names."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    step_rows: StepRows = Field(exclude=True)
