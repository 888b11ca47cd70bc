"""What a user writes of the server of a joint ladder, and of the search for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

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

# Every load up to it is a row that is searched and kept in memory.
MAX_IN_SYSTEM = 10_000
MAX_THREADS = 1_024


class ServerSpec(SpecModel):
    """The power that requests share, and how they look at their age."""

    own_peak_power: PowerField | None = Field(
        default=None,
        alias="peak_power",
        examples=[102],
        description="What all cores at work may draw at once; needed with `dvfs`, where requests "
        "share it. Of `types` they share the cores; what these draw, if absent.",
    )
    target_powers: Annotated[PowersField, Field(min_length=1)] | None = Field(
        default=None,
        alias="target_power",
        description="Mean power under load, near the peak; the peak, if absent. A list is swept. "
        "Of `types` the same part of the cores of each.",
    )
    max_threads: Annotated[Whole, Field(ge=1, le=MAX_THREADS)] | None = Field(
        default=None,
        description="Maximum number of threads of a request. Default: as many as have a speed-up.",
    )
    quantum_us: DurationUs = Field(
        default=5_000,
        alias="quantum",
        description="How often a request looks whether to climb.",
        json_schema_extra={"default": "5ms"},
    )
    boosting: Flag = Field(
        default=True, description="Whether requests at the last rung may get priority."
    )
    age_clock: Literal["execution", "arrival"] = Field(
        default="execution", description="Where the age that decides on climbing counts from."
    )


class LanesSpec(SpecModel):
    """What a request and batch work on the other lane of its cores do to each other."""

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
        """Of batch work."""
        own = self.own_slowdown_ppm
        return self.interference_ppm if own is None else own


class SearchSpec(AutoSearch):
    """Which rows are searched for, and how a table is tuned with queues."""

    # What is optional, with what every tuned search has, is asked for each by itself.

    method: Literal["auto", "dual", "simulation"] | None = Field(
        default=None,
        description="The best of the formula's table, of what could be set by hand, and of a "
        "search on replays with queues at `rates` (`auto`, the default for the objective `tail` "
        "where there are rates); rows in continuous time with a bound (the default elsewhere); or "
        "these tuned on replays.",
    )
    objective: Literal["tail", "energy", "batch", "rate"] = Field(
        default="tail",
        description="Least tail, least energy of a request under the first SLO, with `lanes` least "
        "batch work given up for one under it, or, by the method `simulation`, the highest rate "
        "that meets the SLO, up to the highest of `rates`.",
    )
    optional_rules: OptionalRules = ()
    robust: RobustSpec | None = Field(
        default=None,
        description="Errors of demand and speeds that the table shall stand: tells how large ones "
        "it stands at `rates`, and by the method `simulation` tunes it for the worst; none, if "
        "absent.",
        examples=[{"demand": "10%", "speedup": "10%"}],
    )
    max_in_system: Annotated[Whole, Field(ge=1, le=MAX_IN_SYSTEM)] | None = Field(
        default=None,
        description="Last load with a row; as many as the target power runs on the first rung, "
        "if absent; of `types`, as many as there are cores.",
    )
    tolerance_ppm: TolerancePpm = DEFAULT_PPM

    def objective_complaints(self) -> list[Complaint]:
        """An objective that the method does not have."""
        last = (RATE,) if self.method == SIMULATION else ()
        choices = ("tail", "energy", "batch", *last)
        return list(objective_complaints(self.objective, self.method, choices))

    def method_at(self, rates_mrps: Sequence[int]) -> str:
        """The method, where it is not stated that which does most for what is asked."""
        if self.method is not None:
            return self.method
        return AUTO if rates_mrps and self.objective == "tail" else "dual"

    @property
    def looks_for_rate(self) -> bool:
        """Whether the highest rate is looked for, in place of tables for given ones."""
        return self.objective == RATE
