"""Spec of rubik: frequencies by a core's queue (Kasture et al., MICRO 2015)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.forms.tail_table import LARGEST_BOUND_US
from tailc.policies.rubik.batch_power import CountedPower
from tailc.policies.rubik.batch_spec import BatchSpec
from tailc.policies.rubik.feedback_spec import FeedbackSpec
from tailc.policies.rubik.server_spec import ServerSpec
from tailc.specs.budgets import Budgets
from tailc.specs.clocked_demand import ClockedDemandSpec
from tailc.specs.common import repeated_rates
from tailc.specs.fields import (
    Complaint,
    Name,
    OpenPercentPpm,
    RateMrps,
    RefusalError,
    SpecModel,
    Whole,
)
from tailc.specs.older_keys import OlderKey
from tailc.specs.overrides import overridden
from tailc.specs.simulation_fields import (
    AUTO,
    METHOD_AT,
    PAPER,
    SIMULATION,
    AutoSearch,
    formula_complaints,
    not_of_auto,
    not_of_others,
    refuse_options_of_auto,
)
from tailc.specs.slo_spec import AllowMisses, SloSpec, WithSlos
from tailc.units import format_us

_TARGET_PPM = 980_000


class SearchSpec(AutoSearch):
    """The search for the entries of a rubik table."""

    method: Literal["auto", "paper", "simulation"] | None = Field(
        default=None,
        description="`paper`: percentiles of the remaining work, independent of arrivals (default "
        "without `rates`). `simulation`: lowest energy that meets the first SLO with queues; bound "
        "and entries are tuned on the replay at `rates`. `auto`: the best of these, with and "
        "without the feedback, and of each fixed frequency, or pair of frequencies with `batch` "
        "(default with `rates`).",
    )
    target_ppm: OpenPercentPpm = Field(
        default=_TARGET_PPM,
        alias="target",
        description="Methods `simulation` and `auto`: limit of the percentile in the replays of "
        "a search, as a share of the first SLO's latency.",
        json_schema_extra={"default": "98%"},
    )

    def complaints(
        self, method: str, rates_mrps: Sequence[int], demand: ClockedDemandSpec
    ) -> Iterator[Complaint]:
        """Report invalid weights and arrivals, and keys that the search method does not use.

        rates_mrps: arrival rates of the spec.
        """
        if method != AUTO:
            yield from not_of_others(self)
        if method == PAPER:
            yield from formula_complaints(self, "target")
            return
        if method == AUTO:
            yield from not_of_auto(self)
        yield from tuned_complaints(self, rates_mrps, demand)


NAME = "rubik"
_METHODS = {"queue": "simulation", "frequency": "paper"}
# Bartolini, dissertation, 2015, section 3.4.2; queues there have seldom more than ten requests.
BUCKETS, ROWS, POSITIONS = 128, 8, 16
MOST_POSITIONS = 64
MAX_BUCKETS, MAX_ROWS, MAX_POSITIONS = 1_024, 256, 256


class TableSpec(SpecModel):
    """Resolution of the tail table."""

    buckets: Annotated[Whole, Field(ge=2, le=MAX_BUCKETS)] = Field(
        default=BUCKETS,
        description="Number of buckets of each distribution; work is rounded up to buckets.",
    )
    rows: Annotated[Whole, Field(ge=1, le=MAX_ROWS)] = Field(
        default=ROWS,
        description="Number of rows, which begin at equally spaced quantiles of elapsed work.",
    )
    positions: Annotated[Whole, Field(ge=1, le=MAX_POSITIONS)] = Field(
        default=POSITIONS, description="Number of queue positions whose tails are convolved."
    )
    most_positions: Annotated[Whole, Field(ge=1, le=MAX_POSITIONS)] = Field(
        default=MOST_POSITIONS,
        description="Number of queue positions with an entry; those beyond `positions` are "
        "Gaussian. With more requests the core runs at the highest frequency.",
    )
    distribution: Literal["separate", "joint"] = Field(
        default="separate",
        description="Tails of cycles and of memory time added (the paper's), or the tail of their "
        "sum.",
    )

    @model_validator(mode="after")
    def _check_positions(self) -> TableSpec:
        if self.most_positions >= self.positions:
            return self
        if "most_positions" in self.model_fields_set:
            message = f"is less than the {self.positions} positions that are convolved"
            at, also = ("most_positions",), ("positions",)
            raise RefusalError(
                Complaint(Code.CONFLICT, message, f"raise it to {self.positions}", at, also)
            )
        message = (
            f"is {self.positions}, more than the {self.most_positions} of `table.most_positions`, "
            "which is not given"
        )
        hint = f"raise `table.most_positions` to at least {self.positions} as well"
        raise RefusalError(Complaint(Code.CONFLICT, message, hint, ("positions",)))


class RubikSpec(WithSlos):
    """A rubik policy: the lowest frequency that still meets the percentile, at every event."""

    older: ClassVar = (OlderKey(("search", "objective"), ("search", "method"), _METHODS),)

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["rubik"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["masstree"], description="Name of the policy.")
    slo: Annotated[tuple[SloSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"percentile": "95%", "latency": "1ms"}]],
        description="Limits of latency percentiles; frequencies are chosen for the first.",
    )
    budgets: Budgets
    allow_misses: AllowMisses
    demand: ClockedDemandSpec = Field(
        description="Where cycles and memory time were measured, and how to read them.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    server: ServerSpec = Field(examples=[{"cores": 6}])
    batch: BatchSpec | None = Field(
        default=None, description="Work of cores without requests. Default: they sleep."
    )
    table: TableSpec = Field(default_factory=TableSpec, description="Resolution of the table.")
    feedback: FeedbackSpec = Field(
        default_factory=FeedbackSpec,
        description="How the latency bound for frequencies follows the measured tail; `off`: it "
        "is constant.",
    )
    search: SearchSpec = Field(default_factory=SearchSpec, description="How entries are found.")
    rates_mrps: tuple[RateMrps, ...] = Field(
        default=(), alias="rates", description="Arrival rates that the policy is for."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: SLOs, rates, wake-up, transition, model, search."""
        checks = self._slo_complaints, self._repeated_rates, self._missing_rates
        times = self._long_wake, self._long_transition
        return (*checks, *times, self._missing_model, self.search_complaints)

    def _slo_complaints(self) -> list[Complaint]:
        complaints = [
            Complaint(
                Code.CONFLICT,
                "is for a class, but requests of this kind have no classes",
                "remove it",
                ("slo", position, "class"),
            )
            for position, slo in enumerate(self.slo)
            if slo.request_class is not None
        ]
        if self.slo[0].latency_us > LARGEST_BOUND_US:
            message = f"is above the limit, {format_us(LARGEST_BOUND_US)}"
            at = ("slo", 0, "latency")
            complaints.append(
                Complaint(Code.BAD_VALUE, message, f"lower it to {format_us(LARGEST_BOUND_US)}", at)
            )
        return complaints

    def _repeated_rates(self) -> list[Complaint]:
        return repeated_rates(self.rates_mrps)

    def _missing_rates(self) -> list[Complaint]:
        if self.rates_mrps:
            return []
        add = "add `rates: [200/s, 600/s]`, or set"
        if self.is_steered:
            message = (
                "is missing; the feedback counts its window, one second, in requests at the "
                "highest rate"
            )
            return [Complaint(Code.MISSING_KEY, message, f"{add} `feedback: off`", ("rates",))]
        if self.batch is not None and self.batch.rate_mrps is None:
            message = "is missing, but the time for batch work depends on the arrival rate"
            return [Complaint(Code.MISSING_KEY, message, f"{add} `batch.rate`", ("rates",))]
        return []

    def _long_wake(self) -> list[Complaint]:
        """Cores with batch work never sleep."""
        wake_us, latency_us = self.server.sleep.wake_us, self.slo[0].latency_us
        if self.batch is not None or wake_us < latency_us:
            return []
        message = (
            f"is {format_us(wake_us)}, so every request that finds its core asleep misses the "
            f"latency of the first SLO, {format_us(latency_us)}"
        )
        hint = "use a sleep state from which cores wake up sooner, or relax the latency"
        at, also = ("server", "sleep", "wake"), ("slo", 0, "latency")
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _long_transition(self) -> list[Complaint]:
        """Entries include the halt, so there must be time for one."""
        transition, latency_us = self.server.transition, self.slo[0].latency_us
        if transition is None or transition.time_us < latency_us:
            return []
        message = (
            f"is {format_us(transition.time_us)}, so every request during which the frequency "
            f"changes misses the latency of the first SLO, {format_us(latency_us)}"
        )
        hint = "check the time, relax the latency, or run the cores at one frequency"
        at, also = ("server", "transition", "time"), ("slo", 0, "latency")
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _missing_model(self) -> list[Complaint]:
        is_counted = self.batch is not None and isinstance(self.batch.draws, CountedPower)
        if not is_counted or self.server.model is not None:
            return []
        message = "has events for a power model, but there is no power model"
        hint = "name one with `server.model`, or write `batch.power`"
        return [Complaint(Code.CONFLICT, message, hint, ("batch", "counters"))]

    def search_complaints(self) -> list[Complaint]:
        """Report search keys that the search method does not use."""
        method = self.method
        complaints = list(self.search.complaints(method, self.rates_mrps, self.demand))
        if method == PAPER:
            return complaints
        is_steered = "feedback" in self.model_fields_set and self.feedback.is_on
        if method == SIMULATION and is_steered:
            message = (
                f"cannot be combined with the method `{SIMULATION}`, which tunes a constant bound"
            )
            hint = "remove it, set `feedback: off`, or set `method: paper`"
            complaints.append(Complaint(Code.CONFLICT, message, hint, ("feedback",), METHOD_AT))
        if method == SIMULATION and self.batch is not None:
            message = (
                f"is `{method}`, which tunes one table, but with `batch` the frequencies of "
                "requests and of batch work are chosen together"
            )
            hint = "remove `method`: the default compares tables with all of them"
            complaints.append(Complaint(Code.CONFLICT, message, hint, METHOD_AT, ("batch",)))
        return complaints

    @property
    def is_steered(self) -> bool:
        """Whether a feedback controller scales the latency bound."""
        return self.feedback.is_on and self.method != SIMULATION

    @property
    def method(self) -> str:
        """The method of the spec's search, stated or default."""
        return self.search.method or (AUTO if self.rates_mrps else PAPER)

    @property
    def speedup(self) -> None:
        """Speed-ups in a spec: None, because the speed of a core depends on its frequency alone."""

    @property
    def max_degree(self) -> None:
        """Largest number of threads: None, because each request runs on a single core."""

    def with_search(self, overrides: Mapping[str, object]) -> RubikSpec:
        """Return the spec with fields of `search` replaced.

        Raises TailcError (USAGE) for unknown fields.
        """
        search = overridden(self.search, overrides, NAME)
        changed = self.model_copy(update={"search": search})
        refuse_options_of_auto(overrides, changed.method)
        return changed
