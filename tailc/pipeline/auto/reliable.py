"""A table with earlier ages, so that it meets the first SLO on all but a few resamples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forms.ladder.table import Ladder
from tailc.pipeline.auto.resamples import Resamples
from tailc.pipeline.auto.within_limit import NOISE
from tailc.tuning.scaled_table import scale_to_limit
from tailc.tuning.tuning_problem import TuningProblem

# Number of resamples, from the deciding one on, that are replayed for each part of the ages.
_DECIDING = 3


def reliable(
    table: Ladder, problem: TuningProblem[Ladder], resamples: Resamples[Ladder], risk: float
) -> Ladder:
    """The table with the latest ages that meet the first SLO in all but `risk` of the resamples.

    The table itself if it meets the SLO, or if no part of its ages does. Further SLOs count when
    tables are compared.
    """
    aim = resamples.aim
    assert aim.limit_us is not None
    tail_us = resamples.by_resample(resamples.trials.measure([table]).tail_us.mean(axis=2))
    worst = tail_us[0].max(axis=1) / aim.limit_us
    order = np.argsort(-worst, kind="stable")
    allowed = int(risk * len(order))
    if worst[order[allowed]] <= 1.0 + NOISE:
        return table
    few = resamples.only(order[allowed : allowed + _DECIDING].tolist())
    limit_us = round(aim.limit_us * (1.0 + NOISE))
    return scale_to_limit(problem, table, few, replace(aim, limit_us=limit_us, objectives=())).table
