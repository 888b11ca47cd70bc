"""Hints of users on the speed-up of a malleable job, derived from the speed-ups of a log.

The hints are those of Haque, 2016, section B.3.2; the limits between them are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from tailc.models.datacentre.window import JobWindow
from tailc.models.malleable_jobs.jobs import MalleableJob


class Hint(IntEnum):
    """A user's rough hint on how a job speeds up with more servers."""

    POOR = 0
    FAIR = 1
    GOOD = 2
    EXCELLENT = 3


# Lower limits of the parallel efficiency at up to twice the requested servers.
_LIMITS = ((0.9, Hint.EXCELLENT), (0.75, Hint.GOOD), (0.6, Hint.FAIR))


@dataclass(frozen=True)
class JobDescription:
    """A user's description of a job: its application, and how that speeds up."""

    application: str
    hint: Hint


def descriptions_of(window: JobWindow, jobs: Sequence[MalleableJob]) -> dict[int, JobDescription]:
    """Make a user's description of each job, by job number."""
    named = zip(window.jobs.application_of_job, jobs, strict=True)
    return {job.number: JobDescription(name, hint_of(job)) for name, job in named}


def hint_of(job: MalleableJob) -> Hint:
    """Derive the hint from the speed-up on up to twice the requested servers."""
    curve = job.speedup_ppm[max(job.speedup_ppm)]
    wide = max((count for count in curve if count <= 2 * job.requested), default=job.requested)
    if wide <= job.requested:
        return Hint.POOR
    efficiency = curve[wide] / job.requested_ppm * job.requested / wide
    return next((hint for least, hint in _LIMITS if efficiency >= least), Hint.POOR)
