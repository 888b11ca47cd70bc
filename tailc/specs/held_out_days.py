"""The document `kind: days`, which defines days on which a plan is judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

from pydantic import Field

from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.fields import Complaint, SpecModel, Text
from tailc.specs.job_curves import (
    COUNTS,
    MOST_VMS,
    VMS_A_SERVER,
    Counts,
    JobCurves,
    MostVms,
    VmsAServer,
    all_of_one,
    wide_machines,
    without_speedup,
)
from tailc.specs.jobs import JobsSpec
from tailc.specs.older_keys import DAYS, rename_key
from tailc.specs.speedups import SpeedupsField
from tailc.specs.supply import SupplySpec


class StartSpec(SpecModel):
    """Start of the days; their length is that of the plan."""

    start: Text = Field(
        examples=["2012-08-01T00:00-06:00"], description="Start of the days: ISO 8601."
    )
    zone: Text | None = Field(
        default=None, examples=["America/Denver"], description="Time zone of a start without one."
    )


class DaysSpec(SpecModel):
    """Days of jobs and energy, without a policy."""

    older: ClassVar = (
        *DAYS,
        rename_key((), "vms_a_server", "vms_per_server"),
        rename_key((), "most_vms", "max_vms"),
    )

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["days"] = Field(description="Days to test a plan on.")
    jobs: JobsSpec = Field(
        description="The log of jobs.", examples=[{"trace": "jobs.swf.gz", "at_start": "72h"}]
    )
    supply: SupplySpec = Field(description="Energy of the same days.")
    horizon: StartSpec = Field(description="Start of the days.")
    own_speedup: dict[Text, SpeedupsField] = Field(
        default_factory=dict,
        alias="speedup",
        examples=[{"FT": "FT", "render": {"1": 1, "2": 1.9, "4": 3.4}}],
        description="Speed-ups of malleable jobs, as in a spec of kind `greenpar`.",
    )
    vms_per_server: VmsAServer = Field(
        default=VMS_A_SERVER,
        description="Numbers of virtual machines that a job may start with, per server that it "
        "requests.",
    )
    counts: Counts = Field(
        default=COUNTS,
        description="Numbers of servers on which a job may run, in addition to the number that it "
        "requests; or `any`.",
    )
    max_vms: MostVms = Field(
        default=MOST_VMS, description="Largest number of virtual machines on a server."
    )

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check applications against speed-ups, and virtual machines against a server's limit."""
        return (self._applications, self._machines)

    def _applications(self) -> list[Complaint]:
        return without_speedup(self.jobs, self.own_speedup)

    def _machines(self) -> list[Complaint]:
        return wide_machines(self.vms_per_server, self.max_vms, ("max_vms",))

    @property
    def speedups(self) -> JobCurves:
        """Speed-up of each application: from the document, else the built-in shape of this name."""
        return JobCurves(self.own_speedup, self.vms_per_server, self.counts, self.max_vms)

    @property
    def demand(self) -> DaysSettings:
        """The settings of which days of jobs and energy to read, without epochs."""
        start = HorizonSpec(start=self.horizon.start, zone=self.horizon.zone)
        return DaysSettings(all_of_one(self.jobs, self.own_speedup), self.supply, start)
