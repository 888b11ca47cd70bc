"""Spec keys for the server of a joint ladder, and for the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from tailc.policies.joint_ladder.choices import Method, Objective
from tailc.specs.cores_fields import PowerField, PowersField, SharePpm
from tailc.specs.fields import Complaint, DurationUs, Flag, SpecModel, Whole
from tailc.specs.robust import RobustSpec
from tailc.specs.simulation_fields import (
    AUTO,
    RATE,
    SIMULATION,
    AutoSearch,
    OptionalRules,
    objective_complaints,
)
from tailc.specs.tolerance import DEFAULT_PPM, TolerancePpm

# The search stores a row for every load up to this one.
MAX_IN_SYSTEM = 10_000
MAX_THREADS = 1_024

# Objectives that the method `auto` has.
_OF_AUTO = ("tail", "energy", "batch")


class JointServer(SpecModel):
    """The power that requests share, their largest number of threads, and the quantum."""

    own_peak_power: PowerField | None = Field(
        default=None,
        alias="peak_power",
        examples=[102],
        description="Largest power of all busy cores together; required with `dvfs`, where "
        "requests share it. With `types` requests share the cores, and the default is "
        "the power of all cores.",
    )
    target_powers: Annotated[PowersField, Field(min_length=1)] | None = Field(
        default=None,
        alias="target_power",
        description="Mean power under load, near the peak. Default: the peak. A list is swept. "
        "With `types` it reduces the cores of each type by the same factor.",
    )
    max_threads: Annotated[Whole, Field(ge=1, le=MAX_THREADS)] | None = Field(
        default=None,
        description="Maximum number of threads of a request. Default: as many as have a speed-up.",
    )
    quantum_us: DurationUs = Field(
        default=5_000,
        alias="quantum",
        description="How often a running request checks whether to climb.",
        json_schema_extra={"default": "5ms"},
    )
    boosting: Flag = Field(
        default=True, description="Whether requests at the last rung may get priority."
    )
    age_clock: Literal["execution", "arrival"] = Field(
        default="execution", description="Start of the age at which a request climbs."
    )


class JointLanes(SpecModel):
    """Spec keys for SMT cores: slowdowns of a request and of batch work on the other lane."""

    interference_ppm: SharePpm = Field(
        alias="interference",
        examples=["33%"],
        description="How much slower a request is while batch work shares its core.",
    )
    own_slowdown_ppm: SharePpm | None = Field(
        default=None,
        alias="batch_slowdown",
        description="How much slower batch work is while it shares a core with a request. "
        "Default: as much as a request.",
    )

    @property
    def slowdown_ppm(self) -> int:
        """Slowdown of batch work by a request [1e-6]."""
        own = self.own_slowdown_ppm
        return self.interference_ppm if own is None else own


class JointSearch(AutoSearch):
    """The search for a joint ladder: method, objective and tuning."""

    # Optional keys are checked independently of each other.

    method: Method | None = Field(
        default=None,
        description="`auto`: the best of the formula's table, settings by hand and a search on "
        "replays with queues at `rates` (default with `rates`). `dual`: rows in continuous time "
        "with a bound (default otherwise). `simulation`: these rows tuned on replays.",
    )
    objective: Objective = Field(
        default="tail",
        description="Lowest tail; lowest energy of a request that meets the first SLO; with "
        "`lanes`, least batch work given up that meets it; or, with the method "
        "`simulation`, the highest rate that meets the SLO, up to the highest of "
        "`rates`.",
    )
    optional_rules: OptionalRules = ()
    robust: RobustSpec | None = Field(
        default=None,
        description="Errors of demand and speeds. The compile computes the largest errors that "
        "the table tolerates at `rates`, and with the method `simulation` tunes it "
        "for the worst case. Default: none.",
        examples=[{"demand": "10%", "speedup": "10%"}],
    )
    max_in_system: Annotated[Whole, Field(ge=1, le=MAX_IN_SYSTEM)] | None = Field(
        default=None,
        description="Last load with a row. Default: the number of requests that the target power "
        "can run on the first rung; with `types`, the number of cores.",
    )
    tolerance_ppm: TolerancePpm = DEFAULT_PPM

    def objective_complaints(self) -> list[Complaint]:
        """Report an objective in a joint-ladder spec that the search method does not support."""
        last = (RATE,) if self.method == SIMULATION else ()
        choices = (*_OF_AUTO, *last)
        return list(objective_complaints(self.objective, self.method, choices, _OF_AUTO))

    def method_at(self, rates_mrps: Sequence[int]) -> str:
        """The method of search; if not stated, the most thorough one that the objective allows."""
        if self.method is not None:
            return self.method
        return AUTO if rates_mrps and self.objective in _OF_AUTO else "dual"

    @property
    def looks_for_rate(self) -> bool:
        """Whether the objective is the highest rate, instead of tables for given rates."""
        return self.objective == RATE
