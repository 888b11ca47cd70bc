"""Requests on cores without batch work, which sleep where they have none."""

from __future__ import annotations

from tailc.forms.ladder.lanes import Lanes, Waking, at_any_load, lane_ladder
from tailc.models.subject import Subject

NO_BATCH = "no-batch"


def no_batch(lanes: Lanes, waking: Waking) -> Subject:
    """Every request alone on its core, which wakes up for it."""
    ladder = lane_ladder(lanes, at_any_load(0, lanes.cores))
    return Subject(NO_BATCH, (ladder,), waking=waking, has_batch=False)
