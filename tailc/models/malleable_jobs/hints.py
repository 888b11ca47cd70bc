"""What a user says of a malleable job, and how it is made from the speed-ups of a log.

The words are those of Haque, 2016, section B.3.2; the limits between them are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from tailc.models.datacentre.window import Window
from tailc.models.malleable_jobs.jobs import MalleableJob


class Hint(IntEnum):
    """How a job speeds up with more servers."""

    POOR = 0
    FAIR = 1
    GOOD = 2
    EXCELLENT = 3


# What twice the servers that a job asks for do of twice the speed.
_LIMITS = ((0.9, Hint.EXCELLENT), (0.75, Hint.GOOD), (0.6, Hint.FAIR))


@dataclass(frozen=True)
class Word:
    """What a user says of a job: which application it is, and how that speeds up."""

    application: str
    hint: Hint


def words_of(window: Window, jobs: Sequence[MalleableJob]) -> dict[int, Word]:
    """What a user would say of each job, by its number: its application, and how that speeds up."""
    named = zip(window.jobs.named, jobs, strict=True)
    return {job.number: Word(name, hint_of(job)) for name, job in named}


def hint_of(job: MalleableJob) -> Hint:
    """By the most servers that are no more than twice those asked for."""
    curve = job.speedup_ppm[max(job.speedup_ppm)]
    wide = max((count for count in curve if count <= 2 * job.requested), default=job.requested)
    if wide <= job.requested:
        return Hint.POOR
    efficiency = curve[wide] / job.asked_ppm * job.requested / wide
    return next((hint for least, hint in _LIMITS if efficiency >= least), Hint.POOR)
