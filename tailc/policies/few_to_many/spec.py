"""Spec of few-to-many: incremental parallelism (Haque et al., ASPLOS 2015)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code, did_you_mean
from tailc.percentiles import PPM
from tailc.policies.few_to_many.overload_spec import OverloadSpec
from tailc.policies.few_to_many.search_spec import MAX_IN_SYSTEM, FewToManySearch
from tailc.specs.budgets import Budgets
from tailc.specs.common import DemandSpec, SpeedupSpec, repeated_rates
from tailc.specs.fields import (
    POSITIVE_SCHEMA,
    Complaint,
    DurationUs,
    Flag,
    Name,
    RateMrps,
    SpecModel,
    ThreadsPpm,
    Whole,
)
from tailc.specs.older_keys import OBJECTIVE_IN_SEARCH, OPTIONAL_RULES, OlderKey
from tailc.specs.overrides import overridden
from tailc.specs.robust import asked_besides, day_complaints
from tailc.specs.serial_spec import SerialSpec
from tailc.specs.simulation_fields import (
    refuse_any,
    refuse_options_of_auto,
    with_formula_kept,
)
from tailc.specs.slo_spec import AllowMisses, SloSpec, WithSlos
from tailc.units import shorten

# Rows are enumerated one by one; the paper does not consider larger servers.
MAX_CORES = 65_536
MAX_DEGREE = 1_024
# The paper's term for admission on a departure.
_E1 = OlderKey(
    ("search", "e1"), ("search", "admit_on_departure"), {"paper": "true", "never": "false"}
)


def _as_list(value: Any) -> Any:
    """Convert a single number to a list."""
    return value if isinstance(value, (list, dict)) else [value]


_TARGETS_SCHEMA = {
    "anyOf": [POSITIVE_SCHEMA, {"type": "array", "items": POSITIVE_SCHEMA, "minItems": 1}]
}


class FewToManyServer(SpecModel):
    """The server: its cores, target parallelism, quantum and largest degree."""

    cores: Annotated[Whole, Field(ge=1, le=MAX_CORES)] = Field(
        examples=[15], description="Hardware threads that requests run on."
    )
    targets_ppm: Annotated[
        tuple[ThreadsPpm, ...],
        Field(min_length=1),
        BeforeValidator(_as_list),
        WithJsonSchema(_TARGETS_SCHEMA),
    ] = Field(
        alias="target_parallelism",
        examples=[24],
        description="Mean number of running threads under load, moderately above the cores; a "
        "list is swept.",
    )
    quantum_us: DurationUs = Field(
        default=5_000,
        alias="quantum",
        description="How often a running request checks whether to climb.",
        json_schema_extra={"default": "5ms"},
    )
    max_degree: Annotated[Whole, Field(ge=1, le=MAX_DEGREE)] | None = Field(
        default=None,
        description="Maximum number of threads of a request. Default: as many as reduce the tail.",
    )
    boosting: Flag = Field(
        default=True, description="Whether requests at the last degree may get priority."
    )
    age_clock: Literal["execution", "arrival"] = Field(
        default="execution", description="Start of the age at which a request climbs."
    )


class FewToManySpec(WithSlos):
    """A few-to-many policy: threads are added to a request as it ages, by the load."""

    older: ClassVar = (*OBJECTIVE_IN_SEARCH, OPTIONAL_RULES, _E1)

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["few-to-many"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["websearch-isn"], description="Name of the policy.")
    slo: Annotated[tuple[SloSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"percentile": "99%", "latency": "500ms"}]],
        description="Limits of latency percentiles; the search uses the first.",
    )
    budgets: Budgets
    allow_misses: AllowMisses
    demand: DemandSpec = Field(
        description="Where demand was measured, and how to read it.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    speedup: SpeedupSpec | None = Field(
        default=None,
        description="Speed-up of requests by degree; absent with `demand.timings`.",
    )
    serial_parts: SerialSpec | None = Field(
        default=None,
        alias="serial",
        description="Beginning and end of a request that run on one thread. Default: none.",
        examples=[{"start": "2ms", "end": "5%"}],
    )
    server: FewToManyServer = Field(examples=[{"cores": 15, "target_parallelism": 24}])
    search: FewToManySearch = Field(default_factory=FewToManySearch)
    rates_mrps: tuple[RateMrps, ...] = Field(
        default=(), alias="rates", description="Arrival rates that the policy will be verified at."
    )
    overload: OverloadSpec | None = Field(
        default=None,
        description="Overload rates, at which a rule may refuse or shorten requests. Default: "
        "none.",
        examples=[{"rates": ["80/s"], "allow": ["shed"]}],
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: speed-ups, demand, rates, sweep, rows, classes."""
        return (
            self._speedup_complaints,
            self._serial_complaints,
            self._repeated_rates,
            self._sweep_complaints,
            self._row_complaints,
            self._class_complaints,
            self.search_complaints,
            self._overload_complaints,
            self._day_complaints,
        )

    def _speedup_complaints(self) -> list[Complaint]:
        has_timings = self.demand.has_timings
        if self.speedup is None:
            message = "is missing"
            hint = "add `speedup: [1, 1.9, 2.7]`, or `demand.timings` for times by degree"
            return [] if has_timings else [Complaint(Code.MISSING_KEY, message, hint, ("speedup",))]
        if has_timings:
            message = "and `demand.timings` both give speed-ups"
            at, also = ("speedup",), ("demand", "timings")
            return [Complaint(Code.CONFLICT, message, "remove one", at, also)]
        most = self.server.max_degree
        if most is not None and most > self.speedup.degrees:
            message = (
                f"is `{most}`, but there are speed-ups only for {self.speedup.degrees} degrees"
            )
            at, also = ("server", "max_degree"), ("speedup",)
            return [Complaint(Code.CONFLICT, message, "lower it, or add speed-ups", at, also)]
        return []

    def _serial_complaints(self) -> list[Complaint]:
        if self.serial is None or self.speedup is None:
            return []
        curve_ppm = self.speedup.source.shared_curve[: self.server.max_degree]
        return self.serial.curve_complaints(curve_ppm)

    def _repeated_rates(self) -> list[Complaint]:
        return repeated_rates(self.rates_mrps)

    def _sweep_complaints(self) -> list[Complaint]:
        if len(self.server.targets_ppm) == 1 or self.rates_mrps:
            return []
        message = "is a list, whose values are compared in replays, but `rates` is missing"
        hint = "add `rates: [30/s, 40/s]`, or give one value"
        return [Complaint(Code.MISSING_KEY, message, hint, ("server", "target_parallelism"))]

    def _row_complaints(self) -> list[Complaint]:
        if self.search.max_in_system or max(self.server.targets_ppm) <= MAX_IN_SYSTEM * PPM:
            return []
        message = f"needs a row for each load up to this value; the limit is {MAX_IN_SYSTEM:,}"
        hint = f"set `search.max_in_system` to {MAX_IN_SYSTEM} or less"
        at, also = ("server", "target_parallelism"), ("search",)
        return [
            Complaint(
                Code.CONFLICT,
                message,
                hint,
                at,
                also if "search" in self.model_fields_set else None,
            )
        ]

    def _class_complaints(self) -> list[Complaint]:
        """The first SLO must apply to all requests; others may be for a known class."""
        return [
            complaint
            for position, slo in enumerate(self.slo)
            if slo.request_class is not None
            and (complaint := self._class_complaint(position, slo.request_class))
        ]

    def _class_complaint(self, position: int, name: str) -> Complaint | None:
        at = ("slo", position, "class")
        if position == 0:
            message = (
                "makes a class the target of the search, but there is one table for all requests"
            )
            hint = "put an objective without `class` first; those after it can have a class"
            return Complaint(Code.CONFLICT, message, hint, at)
        classes = self.speedup.source.class_names if self.speedup else ()
        if not classes:
            message = f"is `{shorten(name)}`, but requests have no classes"
            return Complaint(Code.CONFLICT, message, "name them in `speedup.classes`", at)
        if name not in classes:
            message = f"is `{shorten(name)}`, which is not a class of `speedup.classes`"
            hint = did_you_mean(name, classes)
            return Complaint(Code.CONFLICT, message, hint, at, ("speedup", "classes"))
        return None

    def search_complaints(self) -> list[Complaint]:
        """Report search keys that the search method does not use."""
        return self.search.complaints(self.rates_mrps, len(self.slo), self.demand)

    def _overload_complaints(self) -> list[Complaint]:
        return [] if self.overload is None else self.overload.complaints(self.rates_mrps)

    def _day_complaints(self) -> list[Complaint]:
        return list(day_complaints(self.search.robust, self.demand))

    @property
    def max_degree(self) -> int | None:
        """Largest number of threads that is read from the trace; None: all."""
        return self.server.max_degree

    @property
    def serial(self) -> SerialSpec | None:
        """Serial beginning and end of requests; None: they have none."""
        return self.serial_parts

    def with_search(self, overrides: Mapping[str, object]) -> FewToManySpec:
        """Return the spec with some fields of `search` replaced, except a stated `robust`."""
        changes = with_formula_kept(
            asked_besides(overrides, self.search.robust), self.search.method
        )
        search = overridden(self.search, changes, "few-to-many")
        refuse_any(search.objective_complaints())
        refuse_options_of_auto(overrides, search.method_at(self.rates_mrps))
        return self.model_copy(update={"search": search})

    def with_target(self, target_ppm: int) -> FewToManySpec:
        """Return the spec with one target parallelism [1e-6 threads]."""
        server = self.server.model_copy(update={"targets_ppm": (target_ppm,)})
        return self.model_copy(update={"server": server})
