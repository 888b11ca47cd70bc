"""Spec keys for SLOs, of one server or of several."""

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

if TYPE_CHECKING:
    from tailc.specs.serial_spec import SerialSpec

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
    """Whether the spec allows tailc to write a policy that misses an SLO.

    False for kinds without the key.
    """
    return bool(getattr(spec, "allow_misses", False))


class SloSpec(SpecModel):
    """An SLO: limit of a percentile of a metric, such as latency with waiting."""

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
        """Refuse a number of servers for which each needs a percentile above the largest in a
        spec."""
        if self.end_to_end is not None and self.per_server_ppm == PPM:
            shown = format_ppm(self.percentile_ppm)
            message = (
                f"requires each of {self.fan_out:,} servers to answer more than "
                f"{format_ppm(PPM - 1)} of its requests in time, so that all of them answer "
                f"{shown} in time"
            )
            most = math.floor(math.log(self.percentile_ppm / PPM) / math.log1p(-1 / PPM))
            hint = "lower `percentile`"
            if most > 0:
                hint += f", or set `fan_out` to at most {most:,}"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("fan_out",)))
        return self

    @property
    def per_server_ppm(self) -> int:
        """The percentile that one server needs [1e-6], if requests wait for several servers."""
        return per_server_ppm(self.percentile_ppm, self.fan_out)

    @property
    def end_to_end(self) -> EndToEnd | None:
        """The SLO of requests that wait for several parallel servers; None for a single server."""
        return EndToEnd(self.percentile_ppm, self.fan_out) if self.fan_out > 1 else None

    @property
    def slo(self) -> Slo:
        """Convert the SLO of the spec, for one server, to the form that artifacts have."""
        return Slo(
            self.per_server_ppm,
            self.latency_us,
            self.window.requests if self.window else None,
            self.window.duration_us if self.window else None,
            self.request_class,
            Metric(self.metric),
        )


class WithSlos(SpecModel):
    """Spec keys of all kinds with SLOs."""

    if TYPE_CHECKING:
        # Fields of each kind, in their places among the others and with words of their own.
        slo: tuple[SloSpec, ...]
        name: str
        budgets: dict[str, int]

    @property
    def slos(self) -> tuple[Slo, ...]:
        """The SLOs of one server, in the form of artifacts; the search uses the first."""
        return tuple(spec.slo for spec in self.slo)

    @property
    def end_to_ends(self) -> tuple[EndToEnd | None, ...]:
        """End-to-end SLO for each of `slos`; None for one server."""
        return tuple(spec.end_to_end for spec in self.slo)

    @property
    def serial(self) -> SerialSpec | None:
        """Serial beginning and end of requests; None: they have none, as in most kinds."""
        return None
