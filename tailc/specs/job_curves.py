"""Speed-ups of the applications in a spec, by number of virtual machines and servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from tailc.errors import Code, Finding, Severity, TailcError, did_you_mean
from tailc.specs.fields import Complaint, Whole
from tailc.specs.jobs import JobsSpec
from tailc.specs.load import LoadedSpec
from tailc.specs.speedup_shapes import SPEEDUP_SHAPES
from tailc.specs.speedups import Speedups
from tailc.units import plural

# Energy of changes is a table over pairs of counts.
MOST_SERVERS = 2_048
MOST_MACHINES = 64
# Haque, Rutgers 2016, appendix B: a job starts with 2 or 4 machines for each server it asks for,
# and a server takes 4; counts are powers of two, up to 32 of 50 servers.
VMS_A_SERVER = (2, 4)
MOST_VMS = 4
COUNTS = (1, 2, 4, 8, 16, 32)

Servers = Annotated[Whole, Field(ge=1, le=MOST_SERVERS)]
Counts = Annotated[tuple[Servers, ...], Field(min_length=1)] | Literal["any"]
MostVms = Annotated[Whole, Field(ge=1, le=MOST_MACHINES)]
Findings = tuple[Finding, ...]
VmsAServer = Annotated[tuple[MostVms, ...], Field(min_length=1)]


@dataclass(frozen=True)
class JobCurves:
    """Speed-ups of applications: from the spec, else the built-in shape of the same name.

    own: speed-ups in the spec. vms_per_server: numbers of virtual machines per requested server
    that a job may have. counts: numbers of servers on which a job may run, in addition to the
    requested number. max_vms: largest number of virtual machines per server.
    """

    own: Mapping[str, Speedups]
    vms_per_server: tuple[int, ...]
    counts: tuple[int, ...] | Literal["any"]
    max_vms: int

    def speedup_ppm(
        self, application: str, requested: int, servers: int
    ) -> dict[int, dict[int, int]]:
        """Speed-ups [ppm] of an application by number of virtual machines, then of servers.

        requested: number of servers that the job requests; servers: number of the cluster. Raises
        TailcError if the application has no speed-up on them with its fewest virtual machines.
        """
        speedups = self.own.get(application) or Speedups(shape=application)
        fewest = min(self.vms_per_server) * requested
        found = {}
        for vms in sorted({factor * requested for factor in self.vms_per_server}):
            if curve := speedups.speedups_on(vms, self._counts(vms, requested, servers)):
                found[vms] = curve
        if requested not in found.get(fewest, {}):
            raise _no_speedup(application, requested, fewest)
        return found

    def _counts(self, vms: int, requested: int, servers: int) -> list[int]:
        """Numbers of servers that a number of virtual machines can run on."""
        most = min(vms, servers)
        allowed = range(1, most + 1) if self.counts == "any" else self.counts
        return sorted({n for n in (*allowed, requested) if n <= most and vms <= self.max_vms * n})


def all_of_one(jobs: JobsSpec, own: Mapping[str, Speedups]) -> JobsSpec:
    """Assign all jobs to the only application with a speed-up, if the spec names none."""
    if jobs.applications or len(own) != 1:
        return jobs
    return jobs.model_copy(update={"applications": dict.fromkeys(own, 1)})


def without_speedup(jobs: JobsSpec, own: Mapping[str, Speedups]) -> list[Complaint]:
    """Report each application that jobs have but no speed-up is given for."""
    known = sorted({*own, *SPEEDUP_SHAPES})
    return [
        Complaint(
            Code.MISSING_KEY,
            "has no speed-up",
            f"add `speedup: {{{name}: ...}}`; known: {', '.join(known)}",
            ("jobs", "applications", name),
        )
        for name in jobs.applications
        if name not in known
    ]


def unused_speedups(jobs: JobsSpec, own: Mapping[str, Speedups], loaded: LoadedSpec) -> Findings:
    """Warn of each speed-up of an application without jobs."""
    if not jobs.applications:
        return ()
    return tuple(
        Finding(
            Code.UNUSED_SPEEDUP,
            f"no job belongs to the application `{name}`, so its speed-up has no effect",
            loaded.place("speedup", name),
            did_you_mean(name, tuple(jobs.applications)),
            Severity.WARNING,
        )
        for name in own
        if name not in jobs.applications
    )


def wide_machines(
    vms_per_server: tuple[int, ...], max_vms: int, at: tuple[str, ...]
) -> list[Complaint]:
    """Report each number of virtual machines that exceeds the limit of a server.

    at: path of the limit.
    """
    key = ".".join(at)
    return [
        Complaint(
            Code.CONFLICT,
            f"is more than the limit of {max_vms} virtual machines on a server",
            f"lower it, or raise `{key}`",
            ("vms_per_server", number),
            at,
        )
        for number, vms in enumerate(vms_per_server)
        if vms > max_vms
    ]


def _no_speedup(application: str, requested: int, vms: int) -> TailcError:
    message = (
        f"application `{application}` has no speed-up on {plural(requested, 'server')} with "
        f"{vms} virtual machines, but some jobs request this"
    )
    hint = "add it to the table, change widths with `map_width`, or use a built-in shape"
    return TailcError(Finding(Code.MISSING_KEY, message, help=hint, about=("speedup", application)))
