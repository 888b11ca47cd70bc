"""Rigid jobs in a datacentre: as submitted, while running, and with their final payment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailc.models.datacentre.supply import PPM, Whole
from tailc.models.datacentre.window import JobWindow


@dataclass(frozen=True)
class SubmittedJob:
    """A job as it is submitted in a replay of rigid jobs.

    number: in order of submission. submit_s: time of submission since the start of the replay.
    run_s: run time. width: number of servers. green_ppm: requested share of server-epochs on green
    energy [1e-6].
    """

    number: int
    submit_s: int
    run_s: int
    width: int
    green_ppm: int

    def __post_init__(self) -> None:
        if min(self.run_s, self.width) <= 0 or not 0 <= self.green_ppm <= PPM:
            raise ValueError("a job must run for at least one second on at least one server")

    def epochs(self, epoch_s: int) -> int:
        """Number of epochs that the job takes; an incomplete last one counts."""
        return -(-self.run_s // epoch_s)


@dataclass(eq=False)
class RunningJob:
    """A running job in a replay of rigid jobs: its servers, and its green energy until now.

    Attributes:
        first_epoch, epochs: first epoch, and number of epochs.
        width: number of servers that have not failed.
        places: number of servers on each rack from the first epoch on, int64 (racks, epochs).
        slots, green_slots: server-epochs until now, and those on green energy.
        moved: number of servers moved until now.
    """

    job: SubmittedJob
    first_epoch: int
    epochs: int
    width: int
    places: Whole
    slots: int = 0
    green_slots: int = 0
    moved: int = 0

    @property
    def past_epoch(self) -> int:
        """The epoch after the last one of a running job."""
        return self.first_epoch + self.epochs

    def places_at(self, epoch: int) -> Whole:
        """Number of the job's servers on each rack in an epoch; int64 (racks,)."""
        return self.places[:, epoch - self.first_epoch]

    def promised_slots(self, slots: int) -> int:
        """Number of promised green server-epochs among `slots` server-epochs, rounded up."""
        return -(-self.job.green_ppm * slots // PPM)


@dataclass(frozen=True)
class SettledJob:
    """Final result of a rigid job in a replay.

    number: number of the job. slots: number of server-epochs within the replay. promised_slots,
    green_slots: number of these that were promised to run on green energy, and that did. moved:
    number of moved servers. udollars: payment less penalty [1e-6 dollars].
    """

    number: int
    slots: int
    promised_slots: int
    green_slots: int
    moved: int
    udollars: int

    @property
    def is_missed(self) -> bool:
        """Whether some server-epochs that were promised to be green were not."""
        return self.green_slots < self.promised_slots


def rigid_jobs_of(window: JobWindow) -> tuple[SubmittedJob, ...]:
    """The rigid jobs of a window of days.

    Without a column of green shares in the log, they request no green slots.
    """
    log = window.jobs
    green_ppm = np.zeros_like(log.width) if log.green_ppm is None else log.green_ppm
    columns = (log.number, log.submit_s, log.run_s, log.width, green_ppm)
    return tuple(SubmittedJob(*row) for row in zip(*(one.tolist() for one in columns), strict=True))
