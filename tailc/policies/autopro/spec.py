"""Spec of an autopro policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from tailc.errors import Code, Finding, TailcError
from tailc.policies.autopro.control_spec import ControlSpec
from tailc.specs.fields import (
    PERCENT_SCHEMA,
    PPM,
    Complaint,
    Name,
    OpenPercentPpm,
    RefusalError,
    SpecModel,
    Text,
    quantity,
    quantity_schema,
    value_text,
)
from tailc.specs.older_keys import rename_key
from tailc.specs.throughput import ThroughputSpec
from tailc.specs.without_requests import WithoutRequests
from tailc.units import PERCENT, RATE, format_ppm

# Open in the source, and ours.
LEAST_PPM = 50_000
TOLERANCE_PPM = 50_000


@dataclass(frozen=True)
class Target:
    """A throughput target of a machine.

    milli: in thousandths of work per second; ppm: as a share of what the whole host attains [1e-6].
    One of them is None.
    """

    milli: int | None = None
    ppm: int | None = None


def _target(value: object) -> Target:
    if isinstance(value, Target):
        return value
    steps = quantity(RATE, PERCENT)(value)
    if "%" not in str(value):
        return Target(milli=steps)
    if steps > PPM:
        message = f"must be at most the throughput of the whole host, not {value_text(value)}"
        hint = "for example `80%`, or units of work per second such as `30/s`"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, hint))
    return Target(ppm=steps)


def _share(value: object) -> int:
    ppm = quantity(PERCENT)(value)
    if ppm > PPM:
        message = f"must be at most the whole host, not {value_text(value)}"
        raise RefusalError(Complaint(Code.BAD_VALUE, message, "for example `100%`"))
    return ppm


TargetField = Annotated[
    Target,
    BeforeValidator(_target),
    WithJsonSchema(
        quantity_schema(
            "Units of work per second, or a part of the throughput of the whole host.",
            RATE,
            PERCENT,
        )
    ),
]
SharePpm = Annotated[int, BeforeValidator(_share), WithJsonSchema(PERCENT_SCHEMA)]


class MachineSpec(SpecModel):
    """A virtual machine with a target."""

    name: Text = Field(examples=["encoder"], description="Name of the machine in the trace.")
    target: TargetField = Field(
        examples=["30/s"],
        description="Units of work per second, or a part of the throughput with the whole host.",
    )


class HostSpec(SpecModel):
    """The host: the largest sum of shares, and the least share of a machine."""

    most_ppm: SharePpm = Field(
        default=PPM,
        alias="max_total",
        description="Largest total share of all machines.",
        json_schema_extra={"default": "100%"},
    )
    least_ppm: OpenPercentPpm = Field(
        default=LEAST_PPM,
        alias="min_share",
        description="Smallest share of a machine with a target. Smaller caps are not precise.",
        json_schema_extra={"default": "5%"},
    )


class AutoProSpec(WithoutRequests):
    """An autopro policy: shares of a host's processors that follow throughput targets."""

    older: ClassVar = (
        rename_key(("host",), "most", "max_total"),
        rename_key(("host",), "least", "min_share"),
        rename_key(("control",), "least_b", "min_b"),
    )

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["autopro"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["encoders"], description="Name of the policy.")
    demand: ThroughputSpec = Field(
        alias="throughput",
        description="Where throughput was measured, and how to read it.",
        examples=[{"trace": "traces/design.parquet"}],
    )
    machines: Annotated[tuple[MachineSpec, ...], Field(min_length=1)] = Field(
        examples=[[{"name": "encoder", "target": "30/s"}]], description="Machines with targets."
    )
    batch: tuple[Text, ...] = Field(
        default=(), examples=[["nightly"]], description="Machines that share the rest of the host."
    )
    tolerance_ppm: OpenPercentPpm = Field(
        default=TOLERANCE_PPM,
        alias="tolerance",
        description="SLO: mean absolute error of a machine's throughput, relative to its target.",
        json_schema_extra={"default": "5%"},
    )
    host: HostSpec = Field(default_factory=HostSpec)
    control: ControlSpec = Field(default_factory=ControlSpec)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check that names of machines differ, and that their least shares fit on the host."""
        return (self._repeated_names, self._least_shares)

    def _repeated_names(self) -> list[Complaint]:
        paths: list[tuple[tuple[str | int, ...], str]] = [
            *((("machines", at, "name"), each.name) for at, each in enumerate(self.machines)),
            *((("batch", at), name) for at, name in enumerate(self.batch)),
        ]
        first: dict[str, tuple[str | int, ...]] = {}
        return [
            Complaint(
                Code.CONFLICT,
                "is also the name of another machine",
                "rename one of the two",
                path,
                also,
            )
            for path, name in paths
            if (also := first.setdefault(name, path)) != path
        ]

    def _least_shares(self) -> list[Complaint]:
        together_ppm = self.host.least_ppm * len(self.machines)
        if together_ppm <= self.host.most_ppm:
            return []
        if "least_ppm" in self.host.model_fields_set:
            message = f"is given to {len(self.machines)} machines, which is more than the host"
            hint = "lower it, or move machines to another host"
            return [Complaint(Code.CONFLICT, message, hint, ("host", "min_share"))]
        least, most = format_ppm(self.host.least_ppm), format_ppm(self.host.most_ppm)
        message = f"get at least {least} each, which together is more than the {most} of the host"
        hint = "set a smaller `host.min_share`, or move machines to another host"
        return [Complaint(Code.CONFLICT, message, hint, ("machines",))]

    def with_search(self, overrides: Mapping[str, Any]) -> AutoProSpec:
        """Refuse all overrides of a search with TailcError (USAGE): the kind has no search."""
        if overrides:
            option = "--" + next(iter(overrides)).replace("_", "-")
            message = f"`{option}` does not apply to a policy of kind `{self.kind}`"
            raise TailcError(Finding(Code.USAGE, message, help="remove the option"))
        return self
