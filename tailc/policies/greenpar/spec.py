"""Spec of a greenpar policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from tailc.errors import Code, Finding, TailcError
from tailc.policies.greenpar.cluster_spec import (
    PRICING,
    ClusterSpec,
    GreenParSearch,
    RunTimeSpec,
    SlowdownPpm,
)
from tailc.specs.battery import BatterySpec
from tailc.specs.days import DaysSettings, HorizonSpec
from tailc.specs.fields import PPM, Complaint, Name, Text
from tailc.specs.job_curves import (
    VMS_A_SERVER,
    JobCurves,
    VmsAServer,
    all_of_one,
    wide_machines,
    without_speedup,
)
from tailc.specs.jobs import JobsSpec
from tailc.specs.older_keys import BATTERY, DAYS, rename_key
from tailc.specs.overrides import overridden
from tailc.specs.plan_units import Seconds
from tailc.specs.plan_weights import ViolationsPpm, WeightsSpec
from tailc.specs.speedups import SpeedupsField
from tailc.specs.supply import SupplySpec
from tailc.specs.without_requests import WithoutRequests

NAME = "greenpar"
DAY_S = 24 * 3_600
# Haque, Rutgers 2016, section B.4.
SLOWDOWN = 1.1
# No job was late in the source; but no number of jobs proves that none ever will be.
VIOLATIONS_PPM = 10_000


class OneDaySpec(HorizonSpec):
    """Start and length of a plan; the default length is a day."""

    length_s: Seconds = Field(
        default=DAY_S,
        alias="length",
        description="Length of the plan.",
        json_schema_extra={"default": "24h"},
    )


class GreenParSpec(WithoutRequests):
    """A greenpar policy: servers of malleable jobs by epoch, and prices for future jobs."""

    older: ClassVar = (
        *DAYS,
        *BATTERY,
        rename_key((), "vms_a_server", "vms_per_server"),
        rename_key(("cluster",), "most_vms", "max_vms"),
        rename_key(("search",), "aim", "gap"),
    )

    api_version: Literal["tailc/v1"] = Field(alias="apiVersion", description="The spec language.")
    kind: Literal["greenpar"] = Field(description="The kind of policy.")
    name: Name = Field(examples=["green-cluster"], description="Name of the policy.")
    jobs: JobsSpec = Field(
        examples=[{"trace": "jobs.swf.gz"}],
        description="The log of jobs; run times are those on the servers that jobs requested.",
    )
    supply: SupplySpec = Field(
        examples=[{"green": [{"trace": "roof.csv", "column": "kw", "unit": "kW"}]}],
        description="Green energy, and the price of brown energy.",
    )
    horizon: OneDaySpec = Field(
        examples=[{"start": "2012-07-01T00:00-06:00"}], description="Start and length of the plan."
    )
    cluster: ClusterSpec = Field(
        examples=[{"servers": 50, "busy": "30W"}], description="The servers."
    )
    own_speedup: dict[Text, SpeedupsField] = Field(
        default_factory=dict,
        alias="speedup",
        examples=[{"FT": "FT", "render": {"1": 1, "2": 1.9, "4": 3.4}}],
        description="For each application: the name of a built-in shape, speed-ups by servers, or "
        "speed-ups by virtual machines and servers. Applications with the name of a "
        "built-in shape need none.",
    )
    vms_per_server: VmsAServer = Field(
        default=VMS_A_SERVER,
        description="Numbers of virtual machines that a job may start with, per server that it "
        "requests.",
    )
    slowdown_ppm: SlowdownPpm = Field(
        default=round(SLOWDOWN * PPM),
        alias="slowdown",
        description="Longest time of a job, relative to its time on the servers that it requests.",
        json_schema_extra={"default": SLOWDOWN},
    )
    run_time: RunTimeSpec = Field(default_factory=RunTimeSpec)
    battery: BatterySpec | None = Field(
        default=None,
        examples=[{"capacity": "40kWh", "charge": "10kW", "discharge": "10kW"}],
        description="A battery for unused green energy.",
    )
    weights: WeightsSpec = Field(default_factory=WeightsSpec)
    deferral_s: Seconds | None = Field(
        default=None,
        alias="deferral",
        examples=["2h"],
        description="How long the start of a job may be deferred. Default: not at all.",
    )
    violations_ppm: ViolationsPpm = Field(
        default=VIOLATIONS_PPM,
        alias="violations",
        description="SLA: largest share of jobs that take longer than allowed.",
        json_schema_extra={"default": "1%"},
    )
    search: GreenParSearch = Field(default_factory=GreenParSearch)

    def checks_between(self) -> tuple[Callable[[], list[Complaint]], ...]:
        """Check keys against each other: applications, speed-ups, machines per server."""
        return (self._applications, self._one_application, self._machines)

    def _applications(self) -> list[Complaint]:
        return without_speedup(self.jobs, self.own_speedup)

    def _one_application(self) -> list[Complaint]:
        if self.jobs.applications or len(self.own_speedup) == 1:
            return []
        message = "does not state the applications of jobs"
        hint = (
            "add applications, for example `applications: {FT: 2, LU: 1}`, or one `speedup` for "
            "all jobs"
        )
        return [Complaint(Code.MISSING_KEY, message, hint, ("jobs",))]

    def _machines(self) -> list[Complaint]:
        return wide_machines(self.vms_per_server, self.cluster.max_vms, ("cluster", "max_vms"))

    @property
    def speedups(self) -> JobCurves:
        """Speed-ups of an application: from the spec, else the built-in curve of that name."""
        cluster = self.cluster
        return JobCurves(self.own_speedup, self.vms_per_server, cluster.counts, cluster.max_vms)

    @property
    def demand(self) -> DaysSettings:
        """Days of jobs and energy to plan; a single speed-up applies to all jobs."""
        return DaysSettings(all_of_one(self.jobs, self.own_speedup), self.supply, self.horizon)

    def with_search(self, overrides: Mapping[str, object]) -> GreenParSpec:
        """Return the spec with fields of its search replaced.

        A solver without a method selects the method `mip`. Raises TailcError (USAGE) for unknown
        fields.
        """
        changes = dict(overrides)
        if "solver" in changes:
            changes.setdefault("method", "mip")
        search = overridden(self.search, changes, NAME)
        if search.method != "mip" and search.solver not in PRICING:
            if "solver" in changes:
                method = f"`--method {search.method}`"
                message = f"`--solver {search.solver}` cannot be used with {method}"
                hint = "give `--method mip`, or remove one of the two options"
                raise TailcError(Finding(Code.USAGE, message, help=hint))
            search = search.model_copy(update={"solver": PRICING[0]})
        return self.model_copy(update={"search": search})
