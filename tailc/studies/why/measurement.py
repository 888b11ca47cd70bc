"""Measure a table by replay, always on the same requests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tailc.experiment.experiment import Experiment
from tailc.models.execution_model import Subject
from tailc.models.outcome import nearest_us
from tailc.percentiles import PPM


@dataclass(frozen=True, eq=False)
class ReplayCase:
    """A ladder on a server, and the experiment that replays it there."""

    subject: Subject
    experiment: Experiment


@dataclass(frozen=True, eq=False)
class TableMeasurement:
    """Result of replaying a table: percentile and mean resource use of each replication.

    tail_us, used_ppm: int64 (replications,). used_ppm: in millionths of the resource `used_unit`.
    is_overloaded: whether a replay was stopped for overload.
    """

    tail_us: NDArray[np.int64]
    used_ppm: NDArray[np.int64]
    is_overloaded: bool


def measure(case: ReplayCase, percentile_ppm: int) -> TableMeasurement:
    """Replay a table in all replications, and measure its tail and resource use."""
    subject = case.subject
    per_replay = case.experiment.each(
        subject,
        lambda _one, outcome: (
            nearest_us(outcome.tail_ns(percentile_ppm)),
            round(subject.in_use(outcome) * PPM),
            outcome.was_cut_off,
        ),
    )
    tail_us, used_ppm, cut_off = zip(*per_replay, strict=True)
    return TableMeasurement(np.array(tail_us), np.array(used_ppm), any(cut_off))
