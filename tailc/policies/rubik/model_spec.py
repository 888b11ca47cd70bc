"""Spec keys for powers that come from a model of performance counters."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code
from tailc.policies.rubik.levels_spec import MAX_LEVELS
from tailc.specs.cores_fields import SharePpm
from tailc.specs.fields import PPM, Complaint, RefusalError, SpecModel, Text, exact, value_text

MOST_BY_CYCLE = 100
MOST_VOLTS = 10


def _by_cycle(value: object) -> int:
    ppm = round(exact(value) * PPM)
    if not 0 <= ppm <= MOST_BY_CYCLE * PPM:
        message = (
            f"must be at least 0 and at most {MOST_BY_CYCLE} by cycle, not {value_text(value)}"
        )
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `0.3`"))
    return ppm


def _microvolts(value: object) -> int:
    microvolts = round(exact(value) * PPM)
    if not 0 < microvolts <= MOST_VOLTS * PPM:
        message = f"must be more than zero and at most {MOST_VOLTS} volts, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `0.95`"))
    return microvolts


EventsPpm = Annotated[
    int,
    BeforeValidator(_by_cycle),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": MOST_BY_CYCLE}),
]
MicroVolts = Annotated[
    int,
    BeforeValidator(_microvolts),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": MOST_VOLTS}),
]


class CountersSpec(SpecModel):
    """Events per cycle of a core that does one kind of work at `demand.clock`."""

    ipc_ppm: EventsPpm = Field(
        alias="ipc", examples=[1.2], description="Instructions retired per cycle."
    )
    near_loads_ppm: EventsPpm = Field(
        alias="near_loads",
        examples=[0.3],
        description="Loads per cycle that hit the first or second level of cache.",
    )
    far_accesses_ppm: EventsPpm = Field(
        alias="far_accesses",
        examples=[0.01],
        description="Accesses per cycle to the last level of cache.",
    )


class ModelSpec(SpecModel):
    """A power model from `tailc fit power`, and the counters of requests for it."""

    file: Text = Field(
        examples=["model.json"],
        description="JSON that `tailc fit power` prints; its path, relative to the spec.",
    )
    counters: CountersSpec = Field(
        description="Events per cycle of a core that serves requests at `demand.clock`.",
        examples=[{"ipc": 1.2, "near_loads": 0.3, "far_accesses": 0.01}],
    )
    memory_ppm: SharePpm = Field(
        alias="memory",
        examples=["30%"],
        description="Share of the core's cycles that wait for memory, and have no events.",
    )
    volts: Annotated[tuple[MicroVolts, ...], Field(max_length=MAX_LEVELS)] | None = Field(
        default=None,
        examples=[[0.73, 1.03]],
        description="Voltage at each frequency, for a model that was trained on measured voltages.",
    )
