"""What replays show of a table on a server, on the same requests whatever table or server it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.experiment import Experiment
from tailc.models.execution_model import Subject
from tailc.models.outcome import nearest_us
from tailc.percentiles import PPM


@dataclass(frozen=True, eq=False)
class Case:
    """A table on a server, and the experiment that replays it there."""

    subject: Subject
    experiment: Experiment


@dataclass(frozen=True, eq=False)
class Measured:
    """By replay the percentile of latency, and what was in use in the mean, as `used_unit` counts.

    is_overloaded: whether requests piled up until a replay was given up.
    """

    tail_us: NDArray[np.int64]
    used_ppm: NDArray[np.int64]
    is_overloaded: bool


def measured(case: Case, percentile_ppm: int) -> Measured:
    """The case on all replications."""
    subject = case.subject
    found = case.experiment.each(
        subject,
        lambda _one, outcome: (
            nearest_us(outcome.tail_ns(percentile_ppm)),
            round(subject.in_use(outcome) * PPM),
            outcome.was_cut_off,
        ),
    )
    tail_us, used_ppm, cut_off = zip(*found, strict=True)
    return Measured(np.array(tail_us), np.array(used_ppm), any(cut_off))
