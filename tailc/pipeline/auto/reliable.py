"""A table with its ages made earlier, until few enough resamples make it miss its latency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tailc.forms.ladder.table import Ladder
from tailc.pipeline.auto.resamples import Resamples
from tailc.pipeline.auto.within_limit import NOISE, excess_of
from tailc.pipeline.queue.approach import Approach
from tailc.pipeline.queue.scaled_table import kept

# So many resamples about the one that decides are replayed for each part of the ages.
_DECIDING = 3


def reliable(
    table: Ladder, approach: Approach[Ladder], resamples: Resamples[Ladder], risk: float
) -> Ladder:
    """The table with the latest ages that keep the limit in all but `risk` of the resamples.

    The table as it is where it keeps the limit, or where no part of its ages would.
    """
    aim = resamples.aim
    excess = resamples.by_resample(excess_of(resamples.trials.measure([table]), aim).mean(axis=2))
    worst = excess[0].max(axis=1)
    order = np.argsort(-worst, kind="stable")
    allowed = int(risk * len(order))
    if worst[order[allowed]] <= 1.0 + NOISE or aim.limit_us is None:
        return table
    few = resamples.only(order[allowed : allowed + _DECIDING].tolist())
    limit_us = round(aim.limit_us * (1.0 + NOISE))
    return kept(approach, table, few, replace(aim, limit_us=limit_us, objectives=())).table
