"""Spec of a joint ladder: threads combined with frequencies, core types or lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from tailc.errors import Code
from tailc.experiment.objective_checks import tuned_complaints
from tailc.policies.joint_ladder.rungs import (
    JointRung,
    combinations,
    lane_combinations,
    useful_rungs,
)
from tailc.policies.joint_ladder.server_spec import (
    JointLanes,
    JointSearch,
    JointServer,
)
from tailc.specs.budgets import Budgets
from tailc.specs.common import DemandSpec, SpeedupSpec, repeated_rates
from tailc.specs.cores import Cores
from tailc.specs.cores_build import build, reference_complaints
from tailc.specs.cores_fields import PowerQuantity
from tailc.specs.cores_spec import CoresSpec, CoreTypesSpec, MeasuredCores
from tailc.specs.fields import (
    PPM,
    Complaint,
    DurationUs,
    Name,
    RateMrps,
    RefusalError,
)
from tailc.specs.older_keys import OBJECTIVE_BESIDE_SEARCH, OPTIONAL_RULES
from tailc.specs.overrides import overridden
from tailc.specs.robust import (
    asked_besides,
    day_complaints,
    robust_rate_complaints,
    untuned_complaints,
)
from tailc.specs.simulation_fields import (
    AUTO,
    OBJECTIVE_AT,
    SIMULATION,
    formula_complaints,
    not_of_auto,
    not_of_others,
    rate_complaints,
    refuse_any,
    refuse_options_of_auto,
    rule_complaints,
)
from tailc.specs.slo_spec import AllowMisses, SloSpec, WithSlos
from tailc.units import format_us

NAME = "joint-ladder"


class JointSpec(WithSlos):
    """A joint-ladder policy: more threads, higher frequencies or other cores as requests age."""

    older: ClassVar = (*OBJECTIVE_BESIDE_SEARCH, OPTIONAL_RULES)

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["joint-ladder"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["websearch-joint"], description="Name of the policy.")
    slo: Annotated[tuple[SloSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"percentile": "99%", "latency": "400ms"}]],
        description="Limits of latency percentiles; the search uses the first.",
    )
    budgets: Budgets
    allow_misses: AllowMisses
    target_us: DurationUs | None = Field(
        default=None,
        alias="target",
        description="Objectives `energy` and `batch`: target of the search, at most the first "
        "SLO's latency. Default: that latency.",
    )
    demand: DemandSpec = Field(
        description="Where demand was measured, on one thread. Speed 1 is that of the level named "
        "by its reference, or of the table of powers, or otherwise of the slowest "
        "level.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    threads: SpeedupSpec = Field(
        alias="speedup",
        examples=[[1, 1.9, 2.65, 3.2]],
        description="Speed-up of requests by number of threads, on any core: one curve.",
    )
    cores: CoresSpec = Field(
        examples=[{"power_from": "micro-2017-dvfs", "dvfs": {"count": 60}}],
        description="The cores: `types`, or frequencies as `dvfs`, ascending in speed.",
    )
    lanes: JointLanes | None = Field(
        default=None,
        description="Batch work on the other lane of all cores, which have one type. Requests "
        "share their core with it or are alone.",
    )
    server: JointServer = Field(
        default_factory=JointServer,
        examples=[{"peak_power": 102}],
        description="What requests share, and how they climb.",
    )
    search: JointSearch = Field(default_factory=JointSearch)
    rates_mrps: tuple[RateMrps, ...] = Field(
        default=(), alias="rates", description="Arrival rates that the policy will be verified at."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: speed-ups, cores, lanes, powers, rates, classes, days."""
        return (
            self._speedup_complaints,
            self._core_complaints,
            self._lane_complaints,
            self._power_complaints,
            self._target_complaints,
            self._rate_complaints,
            self._class_complaints,
            self.search_complaints,
            self._day_complaints,
        )

    def _speedup_complaints(self) -> list[Complaint]:
        if self.demand.has_timings:
            message = "has speed-ups by request, but this kind needs one curve for all requests"
            hint = "name the column with the demand on one thread as `demand.column`"
            return [Complaint(Code.CONFLICT, message, hint, ("demand", "timings"))]
        if not self.threads.source.shared_curve:
            message = (
                "has speed-ups by class or request, but this kind needs one curve for all requests"
            )
            hint = "write one curve, such as `speedup: [1, 1.9, 2.65, 3.2]`"
            return [Complaint(Code.CONFLICT, message, hint, ("speedup",))]
        most = self.server.max_threads
        if most is not None and most > self.threads.degrees:
            message = f"is `{most}`, but there are speed-ups for {self.threads.degrees} threads"
            at, also = ("server", "max_threads"), ("speedup",)
            return [Complaint(Code.CONFLICT, message, "lower it, or add speed-ups", at, also)]
        return []

    def _core_complaints(self) -> list[Complaint]:
        if isinstance(self.cores.powers, MeasuredCores):
            message = "is not supported by this kind"
            hint = "write `speed` and `power` of each level or type"
            return [Complaint(Code.CONFLICT, message, hint, ("cores", "table"))]
        try:
            build(self.cores, self.demand.reference)
        except RefusalError as refusal:
            return [complaint.below("cores") for complaint in refusal.complaints]
        return reference_complaints(self.cores, self.demand.reference)

    def _lane_complaints(self) -> list[Complaint]:
        """Lanes need lost batch work as cost, and sharing a core must be able to pay."""
        objective = self.search.objective
        if self.lanes is None:
            if objective != "batch":
                return []
            message, hint = (
                "is `batch`, but `lanes` is missing",
                "add `lanes`, or remove `objective`",
            )
            return [Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT)]
        if objective != "batch":
            message = f"is `{objective}`, but with `lanes` a rung costs only batch work"
            hint = "set `objective: batch`, or remove `lanes`"
            return [Complaint(Code.CONFLICT, message, hint, OBJECTIVE_AT, ("lanes",))]
        if not isinstance(self.cores.which, CoreTypesSpec) or len(self.cores.which.types) != 1:
            message, hint = "needs cores of one type", "give `cores.types` with one type"
            return [Complaint(Code.CONFLICT, message, hint, ("lanes",), ("cores",))]
        if self.lanes.interference_ppm + self.lanes.slowdown_ppm >= PPM:
            message = (
                "means that sharing a core gives no advantage: the slowdowns of both add up to "
                "100 % or more"
            )
            hint = "remove it, because no request should share its core"
            return [Complaint(Code.CONFLICT, message, hint, ("lanes",))]
        return []

    def _power_complaints(self) -> list[Complaint]:
        """All powers must have one unit, and only one resource may be limited."""
        if self._core_complaints():
            return []
        own = self.server.own_peak_power
        if own is None and self.all_cores.is_in_place:
            message = "is missing, but with `dvfs` requests share a total power"
            hint = "add the largest power of all cores together, such as `peak_power: 102`"
            return [Complaint(Code.MISSING_KEY, message, hint, ("server", "peak_power"))]
        unit = self.all_cores.unit
        slowest_ppm = min(each.power_ppm for each in self.all_cores.types)
        powers: list[tuple[PowerQuantity, tuple[str | int, ...]]] = [
            (self.peak_power, ("server", "peak_power")),
            *((power, ("server", "target_power")) for power in self.server.target_powers or ()),
        ]
        for power, at in powers:
            if power.unit is not unit:
                message = "is in another unit than the powers of the cores"
                hint = "give all in watts, such as `2.5W`, or all relative to a slow core"
                return [Complaint(Code.CONFLICT, message, hint, at, ("cores",))]
            if power.ppm < slowest_ppm:
                message = "is less than the power of one core at its lowest frequency"
                return [
                    Complaint(
                        Code.CONFLICT,
                        message,
                        "raise it, so that at least one core can run",
                        at,
                        ("cores",),
                    )
                ]
        if not self.all_cores.is_in_place:
            return self._draw_complaints()
        return self._count_complaints(slowest_ppm)

    def _draw_complaints(self) -> list[Complaint]:
        """With core types, the cores are limited instead of the power, and counts fit the
        server.
        """
        most = PowerQuantity(self.all_cores.peak_ppm, self.all_cores.unit)
        if self.peak_power.ppm < most.ppm:
            message = (
                f"is less than `{most.ppm / PPM:g}`, the power of all busy cores, but with "
                "`types` requests share the cores, and not a limited power"
            )
            hint = "remove it, or remove cores until it suffices for all of them"
            return [Complaint(Code.CONFLICT, message, hint, ("server", "peak_power"), ("cores",))]
        return []

    def _count_complaints(self, slowest_ppm: int) -> list[Complaint]:
        needed = -(-self.peak_power.ppm // slowest_ppm)
        if self.all_cores.count >= needed:
            return []
        message = (
            f"is `{self.all_cores.count}`, but the peak power runs {needed} cores at the lowest "
            "frequency, and with `dvfs` the power limits requests, not the cores"
        )
        hint = f"set it to {needed}, lower `server.peak_power`, or remove the lowest levels"
        at, also = ("cores", "dvfs", "count"), ("server", "peak_power")
        return [Complaint(Code.CONFLICT, message, hint, at, also)]

    def _target_complaints(self) -> list[Complaint]:
        most_us = self.slo[0].latency_us
        if self.target_us is None:
            return []
        if self.aim == "tail":
            message, hint = (
                "applies only to the objective `energy`",
                "remove it, or set `objective: energy`",
            )
            return [Complaint(Code.CONFLICT, message, hint, ("target",), OBJECTIVE_AT)]
        if self.target_us <= most_us:
            return []
        message = f"is above the first SLO's latency, {format_us(most_us)}"
        at, also = ("target",), ("slo", 0, "latency")
        return [
            Complaint(Code.CONFLICT, message, f"lower it to {format_us(most_us)} or less", at, also)
        ]

    def _rate_complaints(self) -> list[Complaint]:
        complaints = repeated_rates(self.rates_mrps)
        if len(self.server.target_powers or ()) < 2:
            return complaints
        at = ("server", "target_power")
        if self.aim != "tail":
            message = "is a list, which is swept for the least tail, but the objective is "
            message += f"`{self.aim}`"
            complaints.append(
                Complaint(
                    Code.CONFLICT,
                    message,
                    "give one power, or set `objective: tail`",
                    at,
                    OBJECTIVE_AT,
                )
            )
        elif not self.rates_mrps:
            message = "is a list, whose values are compared in replays, but `rates` is missing"
            hint = "add `rates: [30/s, 40/s]`, or give one value"
            complaints.append(Complaint(Code.MISSING_KEY, message, hint, at))
        return complaints

    def _class_complaints(self) -> list[Complaint]:
        message, hint = "has no effect, because requests of this kind have no classes", "remove it"
        return [
            Complaint(Code.CONFLICT, message, hint, ("slo", position, "class"))
            for position, slo in enumerate(self.slo)
            if slo.request_class is not None
        ]

    def search_complaints(self) -> list[Complaint]:
        """Report search keys that the method does not use because it makes no replays."""
        search, complaints = self.search, self.search.objective_complaints()
        if self.method != SIMULATION:
            complaints += untuned_complaints(search.robust, self.rates_mrps)
        if self.method == AUTO:
            fits = tuned_complaints(search, self.rates_mrps, self.demand)
            return [*complaints, *not_of_auto(search), *fits]
        complaints += not_of_others(search)
        if self.method != SIMULATION:
            return [*complaints, *formula_complaints(search)]
        complaints += tuned_complaints(search, self.rates_mrps, self.demand)
        complaints += [*self._rule_complaints(), *self._batch_complaints()]
        if search.looks_for_rate:
            complaints += rate_complaints(search.weights, self.rates_mrps, len(self.slo))
            complaints += robust_rate_complaints(search.robust)
        return complaints

    def _rule_complaints(self) -> Iterator[Complaint]:
        optional_rules = self.search.optional_rules
        yield from rule_complaints(optional_rules)
        if optional_rules and self.aim != "tail":
            message = f"need the objective `tail` or `rate`, but the objective is `{self.aim}`"
            at, hint = ("search", "optional_rules"), "remove them, or set `objective: tail`"
            yield Complaint(Code.CONFLICT, message, hint, at, OBJECTIVE_AT)
        if "start-below" in optional_rules and isinstance(self.cores.which, CoreTypesSpec):
            message = (
                "has `start-below`, which needs one resource that all requests share, but each "
                "core type is a resource of its own"
            )
            at, also = ("search", "optional_rules"), ("cores", "types")
            yield Complaint(Code.CONFLICT, message, "remove it, or give `cores.dvfs`", at, also)

    def _batch_complaints(self) -> Iterator[Complaint]:
        if self.search.robust is not None and self.search.objective == "batch":
            message = "is for the worst tail or energy, but the objective is `batch`"
            hint = (
                "remove it, and `--robust`; or set `method: dual`, which reports the errors that "
            )
            hint += "the table tolerates"
            yield Complaint(Code.CONFLICT, message, hint, ("search", "robust"), OBJECTIVE_AT)

    def _day_complaints(self) -> list[Complaint]:
        return list(day_complaints(self.search.robust, self.demand))

    @property
    def aim(self) -> str:
        """The objective of the table that a formula computes.

        The formula knows no rate, so for the objective of the highest rate it minimises the tail.
        """
        return "tail" if self.search.looks_for_rate else self.search.objective

    @property
    def method(self) -> str:
        """The method of the spec's search, stated or default."""
        return self.search.method_at(self.rates_mrps)

    @property
    def all_cores(self) -> Cores:
        """All frequency levels or core types of the spec."""
        return build(self.cores, self.demand.reference)

    @property
    def peak_power(self) -> PowerQuantity:
        """Power limit of all busy cores together."""
        cores = self.all_cores
        return self.server.own_peak_power or PowerQuantity(cores.peak_ppm, cores.unit)

    @property
    def rungs(self) -> tuple[JointRung, ...]:
        """The rungs of the ladder, slowest first."""
        curve_ppm = self.threads.source.shared_curve[: self.server.max_threads]
        if self.lanes is not None:
            each = self.lanes.interference_ppm, self.lanes.slowdown_ppm
            return useful_rungs(lane_combinations(self.all_cores.types[0], curve_ppm, *each))
        return useful_rungs(combinations(self.all_cores, curve_ppm))

    @property
    def speedup(self) -> SpeedupSpec:
        """Speeds of a request on the rungs of the ladder, the same for all requests."""
        return SpeedupSpec.of_rungs("rungs", tuple(rung.speed_ppm for rung in self.rungs))

    @property
    def target_powers_ppm(self) -> tuple[int, ...]:
        """Limits on the mean power of all requests [1e-6 of the unit]."""
        return tuple(each.ppm for each in self.server.target_powers or (self._full_power,))

    @property
    def _full_power(self) -> PowerQuantity:
        """The power limit; for core types the power of all cores."""
        cores, peak = self.all_cores, self.peak_power
        return peak if cores.is_in_place else PowerQuantity(cores.peak_ppm, cores.unit)

    @property
    def aim_us(self) -> int:
        """Limit of the latency percentile that the search must meet [us]: target, or first SLO."""
        return self.slo[0].latency_us if self.target_us is None else self.target_us

    @property
    def max_degree(self) -> None:
        """Largest number of threads: None, as speed-ups of all rungs are read from the trace."""

    def with_search(self, overrides: Mapping[str, object]) -> JointSpec:
        """Return the spec with some fields of `search` replaced, except a stated `robust`."""
        search = overridden(self.search, asked_besides(overrides, self.search.robust), NAME)
        changed = self.model_copy(update={"search": search})
        refuse_any([*search.objective_complaints(), *changed._lane_complaints()])
        refuse_options_of_auto(overrides, changed.method)
        return changed

    def with_target(self, power_ppm: int) -> JointSpec:
        """Return the spec with one target power."""
        power = PowerQuantity(power_ppm, self.peak_power.unit)
        server = self.server.model_copy(update={"target_powers": (power,)})
        return self.model_copy(update={"server": server})
