"""A table that was judged, and which of several is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tailc.pipeline.auto.rivals import Option


@dataclass(frozen=True)
class Judged:
    """A table, and what is known of it against the best of what is there without a search.

    loss_share: of resamples, where it loses. regret: over them, by how much in the mean. change: of
    the tail, in the mean, on replays that no search saw. is_safe: as `Best` says.
    """

    option: Option
    loss_share: float
    regret: float
    change: float
    is_safe: bool


def chosen_of(judged: Sequence[Judged]) -> Judged:
    """Of those that are safe the one with the shortest tails, else the least regretted."""
    safe = [one for one in judged if one.is_safe]
    return min(safe, key=lambda one: one.change) if safe else least_regretted(judged)


def least_regretted(judged: Sequence[Judged]) -> Judged:
    """The table that is least regretted over resamples of the records."""
    return min(judged, key=lambda one: one.regret)
