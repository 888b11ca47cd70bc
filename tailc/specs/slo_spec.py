"""What specs say of objectives: percentiles of a metric, of one server or of several."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, Strict, model_validator

from tailc.errors import Code
from tailc.percentiles import PPM, per_server_ppm
from tailc.specs.fields import (
    Complaint,
    DurationUs,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    Whole,
    WindowField,
)
from tailc.specs.slo import EndToEnd, Metric, Slo
from tailc.units import format_ppm

AllowMisses = Annotated[
    bool,
    Strict(),
    Field(
        default=False,
        description="Whether to write a policy that misses an SLO, or overloads the server, at "
        "one of `rates`. The option `--allow-misses` does this for one compile.",
    ),
]

# Papers speak of hundreds and of 2,000; more are no servers that one request waits for.
MAX_FAN_OUT = 10_000


def allows_misses(spec: object) -> bool:
    """Whether a spec says so; a kind need not have the key."""
    return bool(getattr(spec, "allow_misses", False))


class SloSpec(SpecModel):
    """A percentile of a metric, such as latency, queueing included, that requests must meet."""

    metric: Literal["latency"] = Field(
        default="latency",
        description="Metric of the percentile: latency, from arrival to exit.",
    )
    percentile_ppm: OpenPercentPpm = Field(alias="percentile", examples=["99%"])
    latency_us: DurationUs = Field(alias="latency", examples=["500ms"])
    window: WindowField | None = Field(
        default=None,
        description="Accounting window: a number of requests or a duration. Default: all requests.",
    )
    request_class: Text | None = Field(
        default=None,
        alias="class",
        description="Class of requests. Default: all requests.",
    )
    fan_out: Annotated[Whole, Field(ge=1, le=MAX_FAN_OUT)] = Field(
        default=1,
        examples=[10],
        description="Parallel servers that all must answer; the percentile is then end to end.",
    )

    @model_validator(mode="after")
    def _check_fan_out(self) -> SloSpec:
        """Servers that each need a percentile closer to 100 % than a spec can say."""
        if self.end_to_end is not None and self.per_server_ppm == PPM:
            shown = format_ppm(self.percentile_ppm)
            message = (
                f"asks each of {self.fan_out:,} servers for more than {format_ppm(PPM - 1)} of its "
                f"requests, so that all answer {shown} in time"
            )
            most = math.floor(math.log(self.percentile_ppm / PPM) / math.log1p(-1 / PPM))
            hint = "lower `percentile`"
            if most > 0:
                hint += f", or name at most {most:,} servers"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("fan_out",)))
        return self

    @property
    def per_server_ppm(self) -> int:
        """The percentile of one server."""
        return per_server_ppm(self.percentile_ppm, self.fan_out)

    @property
    def end_to_end(self) -> EndToEnd | None:
        """What users are promised, where their requests wait for several servers."""
        return EndToEnd(self.percentile_ppm, self.fan_out) if self.fan_out > 1 else None

    @property
    def slo(self) -> Slo:
        """What one server promises: the value that an artifact carries."""
        return Slo(
            self.per_server_ppm,
            self.latency_us,
            self.window.requests if self.window else None,
            self.window.duration_us if self.window else None,
            self.request_class,
            Metric(self.metric),
        )


class WithSlos(SpecModel):
    """What the specs of all kinds say that have objectives, as `slo`."""

    if TYPE_CHECKING:
        # Fields of each kind, in their places among the others and with words of their own.
        slo: tuple[SloSpec, ...]
        name: str
        budgets: dict[str, int]

    @property
    def slos(self) -> tuple[Slo, ...]:
        """What one server promises, as artifacts carry it; a kind works for the first."""
        return tuple(spec.slo for spec in self.slo)

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """For each of `slos` what it is for, where that is several servers."""
        return tuple(spec.end_to_end for spec in self.slo)
